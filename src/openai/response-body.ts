/** What `POST /v1/responses` takes: its fields, and what clients leave out of them. What isn't supported is refused, never ignored. */
import { z } from "zod";
import { memoryChoiceSchema } from "../conversation/memory-binding.js";
import { subjectSchema } from "../conversation/names.js";
import { reasoningEfforts, verbosities } from "../model/port.js";
import { only } from "./body.js";
import { completeItems, itemSchema, type WholeItem } from "./response-items.js";

const name = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, "a name is 1 to 64 letters, digits, hyphens or underscores");
const functionTool = z.strictObject({
  type: z.literal("function", { error: "only tools of type function can be called" }),
  name,
  description: z.string().max(10_000).nullish(),
  parameters: z.record(z.string(), z.unknown()).nullish(),
  strict: z.boolean().nullish(),
});

export const chosen = z.strictObject({ type: z.literal("function"), name });
export const choiceWords = z.enum(["none", "auto", "required"]);
const toolChoice = z.union(
  [
    choiceWords,
    chosen,
    z.strictObject({
      type: z.literal("allowed_tools"),
      tools: z.array(chosen).min(1).max(128),
      mode: choiceWords.optional(),
    }),
  ],
  { error: "a choice is none, auto, required, a function or allowed_tools" },
);

const textFormat = z.discriminatedUnion(
  "type",
  [
    z.strictObject({ type: z.literal("text") }),
    z.strictObject({ type: z.literal("json_object") }),
    z.strictObject({
      type: z.literal("json_schema"),
      name,
      description: z.string().max(10_000).nullish(),
      schema: z.record(z.string(), z.unknown()).nullish(),
      strict: z.boolean().nullish(),
    }),
  ],
  { error: "a format is text, json_object or json_schema" },
);

const conversation = z.union([z.string().max(100), z.strictObject({ id: z.string().max(100) })]);

/** What a call over HTTP and one over a WebSocket have in common. */
const fields = {
  model: z.string().min(1).max(200),
  previous_response_id: z.string().min(1).max(200).nullish(),
  conversation: conversation.nullish(),
  instructions: z.string().max(1_000_000).nullish(),
  store: z.boolean().nullish(),
  tools: z.array(functionTool).max(128).nullish(),
  tool_choice: toolChoice.nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  text: z.strictObject({ format: textFormat.nullish(), verbosity: z.enum(verbosities).nullish() }).nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  max_output_tokens: z.int().min(16).max(200_000).nullish(),
  truncation: z.enum(["auto", "disabled"]).nullish(),
  metadata: z
    .record(z.string().max(64), z.string().max(512))
    .refine((entries) => Object.keys(entries).length <= 16, "at most 16 entries")
    .nullish(),
  memory: memoryChoiceSchema.nullish(),
  user: z.union([subjectSchema, z.literal("")]).nullish(),
  safety_identifier: subjectSchema.max(64).nullish(),
  // Nothing is left out by these: there is no reasoning here, so none is to be included.
  include: z
    .array(z.literal("reasoning.encrypted_content", { error: "there is nothing of that to include" }))
    .max(10)
    .nullish(),
  reasoning: z
    .strictObject({
      effort: z.enum(reasoningEfforts).nullish(),
      summary: only([], "no reasoning is shown"),
    })
    .nullish(),
  max_tool_calls: only([], "the agent's own limits hold"),
  presence_penalty: only([0], "penalties aren't passed on"),
  frequency_penalty: only([0], "penalties aren't passed on"),
  top_logprobs: only([0], "log probabilities aren't given"),
  service_tier: only(["auto", "default"], "there is one tier of service"),
  // Hints that change nothing of the answer.
  prompt_cache_key: z.string().max(64).nullish(),
  prompt_cache_retention: z.string().max(64).nullish(),
};
const overHttp = {
  stream: z.boolean().nullish(),
  stream_options: z
    .strictObject({ include_obfuscation: only([false], "nothing is put between the bytes of an answer") })
    .nullish(),
  background: only([false], "an answer is waited for: read it later with its id"),
};

const items = z.array(itemSchema).min(1).max(2_000);
const bodySchema = z.strictObject({ ...fields, ...overHttp, input: items });
/** As the document shows it. */
export const responseRequestSchema = z.strictObject({ ...fields, ...overHttp, input: z.union([z.string(), items]) });

/** A body with what clients leave out of its items. */
export const responseBodySchema = z.preprocess(completed, bodySchema);
/** What a client sends over a WebSocket, for each response. */
export const createEventSchema = z.preprocess(
  completed,
  z.strictObject({ type: z.literal("response.create"), ...fields, input: items }),
);
/** What `POST /v1/responses/compact` takes. */
export const compactRequestSchema = z.strictObject({
  model: fields.model,
  input: z.union([z.string(), items]).nullish(),
  previous_response_id: fields.previous_response_id,
  instructions: fields.instructions,
  prompt_cache_key: fields.prompt_cache_key,
});
export const compactBodySchema = z.preprocess(
  completed,
  z.strictObject({ ...compactRequestSchema.shape, input: items.nullish() }),
);

/** A request whose items have been looked up. */
export type ResponseRequest = Omit<z.infer<typeof bodySchema>, "input" | keyof typeof overHttp> & {
  readonly input: readonly WholeItem[];
};

function completed(body: unknown): unknown {
  const { data } = z.looseObject({ input: z.unknown() }).safeParse(body);
  return data === undefined || data.input === undefined ? body : { ...data, input: completeItems(data.input) };
}
