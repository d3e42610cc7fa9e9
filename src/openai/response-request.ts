/** What `POST /v1/responses` takes, and what it means here. What isn't supported is refused, never ignored. */
import { z } from "zod";
import type { ChatInput } from "../application/openai/chat-input.js";
import { subjectSchema } from "../conversation/names.js";
import { only } from "./body.js";
import { type ChatRequest, chatInput } from "./chat-request.js";
import { OpenAiError } from "./errors.js";
import { asMessages, completeItems, inItsWords, itemSchema, type ToldItem } from "./response-items.js";

const name = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, "a name is 1 to 64 letters, digits, hyphens or underscores");
const functionTool = z.strictObject({
  type: z.literal("function", { error: "only tools of type function can be called" }),
  name,
  description: z.string().max(10_000).nullish(),
  parameters: z.record(z.string(), z.unknown()).nullish(),
  strict: z.boolean().nullish(),
});

const chosen = z.strictObject({ type: z.literal("function"), name });
const choiceWords = z.enum(["none", "auto", "required"]);
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
  text: z
    .strictObject({ format: textFormat.nullish(), verbosity: only(["medium"], "how much is said isn't set") })
    .nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  max_output_tokens: z.int().min(16).max(200_000).nullish(),
  truncation: z.enum(["auto", "disabled"]).nullish(),
  metadata: z
    .record(z.string().max(64), z.string().max(512))
    .refine((entries) => Object.keys(entries).length <= 16, "at most 16 entries")
    .nullish(),
  user: subjectSchema.nullish(),
  safety_identifier: subjectSchema.max(64).nullish(),
  // Nothing is left out by these: there is no reasoning here, so none is to be included.
  include: z
    .array(z.literal("reasoning.encrypted_content", { error: "there is nothing of that to include" }))
    .max(10)
    .nullish(),
  reasoning: z
    .strictObject({
      effort: only(["none"], "the agent's model reasons as it does"),
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
  readonly input: readonly ToldItem[];
};

function completed(body: unknown): unknown {
  const { data } = z.looseObject({ input: z.unknown() }).safeParse(body);
  return data === undefined || data.input === undefined ? body : { ...data, input: completeItems(data.input) };
}

/** The request as what is to be done. @param session named by the header, if it is */
export function responseInput(body: ResponseRequest, session: string | undefined): ChatInput {
  const { sessionId: named, ...metadata } = body.metadata ?? {};
  const inBody = typeof body.conversation === "string" ? body.conversation : body.conversation?.id;
  const sessionId = inBody ?? session ?? named;
  const previousId = body.previous_response_id ?? undefined;
  if (sessionId !== undefined) checkConversation(body, previousId);
  const told = asMessages(body.input);
  const messages = told.map(({ message }) => message);
  const chat: ChatRequest = {
    model: body.model,
    messages: body.instructions == null ? messages : [{ role: "developer", content: body.instructions }, ...messages],
    ...{ temperature: body.temperature, top_p: body.top_p, parallel_tool_calls: body.parallel_tool_calls, metadata },
    ...{ max_completion_tokens: body.max_output_tokens, user: subjectOf(body) },
    ...answeringOf(body),
  };
  const shift = messages.length - chat.messages.length;
  const input = inItsWords(
    () => chatInput(chat, sessionId, previousId !== undefined),
    (index) => told[index + shift]?.at,
  );
  const request = { ...input.request, note: echoOf(body, sessionId) };
  const isStored = body.store ?? true;
  return { ...input, request, previousId, isStored, isWhole: (body.truncation ?? "disabled") === "disabled" };
}

/** The end user that the request is made for. */
export function subjectOf({ user, safety_identifier }: Pick<ResponseRequest, "user" | "safety_identifier">) {
  return user ?? safety_identifier ?? undefined;
}

/** A conversation keeps its replies itself. */
function checkConversation({ input, store }: ResponseRequest, previousId: string | undefined): void {
  if (previousId !== undefined) {
    const detail = "Name either the conversation or the previous response.";
    throw new OpenAiError(400, "invalid_value", detail, "previous_response_id");
  }
  if (store === false) {
    throw new OpenAiError(400, "invalid_value", "A conversation keeps its answers: leave `store` out.", "store");
  }
  const at = input.findIndex(
    (item) => item.type === "function_call" || (item.type === "message" && item.role === "assistant"),
  );
  if (at === -1) return;
  const detail = "A conversation keeps its own replies: send only what is new.";
  throw new OpenAiError(400, "invalid_value", detail, `input[${at}]`);
}

function answeringOf({
  tools,
  tool_choice: choice,
  text,
}: ResponseRequest): Pick<ChatRequest, "tools" | "tool_choice" | "response_format"> {
  const allowed = typeof choice === "object" && choice?.type === "allowed_tools" ? choice : undefined;
  const one = typeof choice === "object" && choice?.type === "function" ? choice : undefined;
  const word = typeof choice === "string" ? choice : undefined;
  const named = allowed?.tools ?? (one === undefined ? [] : [one]);
  const unknown = named.find((each) => !(tools ?? []).some((tool) => tool.name === each.name));
  if (unknown !== undefined) {
    const detail = `There is no tool "${unknown.name}" among \`tools\`.`;
    throw new OpenAiError(400, "invalid_value", detail, "tool_choice");
  }
  const format = text?.format;
  return {
    // A tool that isn't allowed is none that the model could call.
    tools: (tools ?? [])
      .filter((tool) => allowed === undefined || allowed.tools.some((each) => each.name === tool.name))
      .map(({ name: toolName, description, parameters, strict }) => ({
        type: "function",
        function: { name: toolName, description, parameters, strict },
      })),
    tool_choice:
      one === undefined
        ? allowed === undefined
          ? word
          : (allowed.mode ?? "auto")
        : { type: "function", function: { name: one.name } },
    response_format:
      format?.type === "json_schema"
        ? { type: "json_schema", json_schema: { name: format.name, schema: format.schema, strict: format.strict } }
        : format,
  };
}

/** What the answer shows again of its request, as it is kept with it. Instructions are not: nobody has judged them. */
export const shownToolSchema = z.object({
  type: z.literal("function"),
  name: z.string(),
  description: z.string().nullable(),
  parameters: z.record(z.string(), z.unknown()).nullable(),
  strict: z.boolean().nullable(),
});
export const echoSchema = z.object({
  previous_response_id: z.string().nullable(),
  tools: z.array(shownToolSchema),
  tool_choice: z.union([
    choiceWords,
    z.object({ type: z.literal("function"), name: z.string() }),
    z.object({ type: z.literal("allowed_tools"), tools: z.array(chosen), mode: choiceWords }),
  ]),
  truncation: z.enum(["auto", "disabled"]),
  parallel_tool_calls: z.boolean(),
  text: z.object({
    format: z.union([
      z.object({ type: z.enum(["text", "json_object"]) }),
      z.object({
        type: z.literal("json_schema"),
        name: z.string(),
        description: z.string().nullable(),
        schema: z.null(),
        strict: z.boolean(),
      }),
    ]),
  }),
  top_p: z.number(),
  temperature: z.number(),
  max_output_tokens: z.int().nullable(),
  store: z.boolean(),
  metadata: z.record(z.string(), z.string()),
  user: z.string().optional(),
  safety_identifier: z.string().nullable(),
  prompt_cache_key: z.string().nullable(),
  conversation: z.object({ id: z.string() }).optional(),
});
export type Echo = z.infer<typeof echoSchema>;

function echoOf(body: ResponseRequest, sessionId: string | undefined): Echo {
  const { tool_choice: choice, text } = body;
  const format = text?.format ?? { type: "text" as const };
  return {
    previous_response_id: body.previous_response_id ?? null,
    tools: (body.tools ?? []).map(({ name: toolName, description, parameters, strict }) => ({
      ...{ type: "function", name: toolName, description: description ?? null, parameters: parameters ?? null },
      strict: strict ?? true,
    })),
    tool_choice:
      typeof choice === "object" && choice?.type === "allowed_tools"
        ? { ...choice, mode: choice.mode ?? "auto" }
        : (choice ?? "auto"),
    truncation: body.truncation ?? "disabled",
    parallel_tool_calls: body.parallel_tool_calls ?? true,
    text: {
      format:
        format.type === "json_schema"
          ? {
              ...{ type: format.type, name: format.name, description: format.description ?? null },
              ...{ schema: null, strict: format.strict ?? false },
            }
          : format,
    },
    top_p: body.top_p ?? 1,
    temperature: body.temperature ?? 1,
    max_output_tokens: body.max_output_tokens ?? null,
    store: body.store ?? true,
    metadata: body.metadata ?? {},
    ...(body.user == null ? {} : { user: body.user }),
    safety_identifier: body.safety_identifier ?? null,
    prompt_cache_key: body.prompt_cache_key ?? null,
    ...(sessionId === undefined ? {} : { conversation: { id: sessionId } }),
  };
}
