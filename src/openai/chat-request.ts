/** What `POST /v1/chat/completions` takes, and what it means here. What isn't supported is refused, never ignored. */
import { z } from "zod";
import type { ChatInput } from "../application/openai/chat-input.js";
import { logitBiasSchema, resultsText } from "../chat/turn-request.js";
import { defined } from "../conversation/defined.js";
import { memoryChoiceSchema } from "../conversation/memory-binding.js";
import { subjectSchema } from "../conversation/names.js";
import { reasoningEfforts, verbosities } from "../model/port.js";
import { only } from "./body.js";
import { askIn, historyOf, type Message, messageSchema, resultsOf, textOf } from "./chat-messages.js";
import { OpenAiError } from "./errors.js";

const functionTool = z.strictObject({
  type: z.literal("function", { error: "only tools of type function can be called" }),
  function: z.strictObject({
    name: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/),
    description: z.string().max(10_000).nullish(),
    parameters: z.record(z.string(), z.unknown()).nullish(),
    strict: z.boolean().nullish(),
  }),
});

const chosenTool = z.strictObject({ type: z.literal("function"), function: z.strictObject({ name: z.string() }) });

const responseFormat = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("text") }),
  z.strictObject({ type: z.literal("json_object") }),
  z.strictObject({
    type: z.literal("json_schema"),
    json_schema: z.strictObject({
      name: z.string().min(1).max(100),
      description: z.string().nullish(),
      schema: z.record(z.string(), z.unknown()).nullish(),
      strict: z.boolean().nullish(),
    }),
  }),
]);

export const chatRequestSchema = z.strictObject({
  model: z.string().min(1).max(200),
  messages: z.array(messageSchema).min(1).max(2_000),
  stream: z.boolean().nullish(),
  stream_options: z
    .strictObject({ include_usage: z.boolean().nullish(), include_obfuscation: z.boolean().nullish() })
    .nullish(),
  tools: z.array(functionTool).max(128).nullish(),
  tool_choice: z
    .union([
      z.enum(["auto", "none", "required"]),
      chosenTool,
      z.strictObject({
        type: z.literal("allowed_tools"),
        allowed_tools: z.strictObject({
          mode: z.enum(["auto", "required"]),
          tools: z.array(chosenTool).min(1).max(128),
        }),
      }),
    ])
    .nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  response_format: responseFormat.nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  max_tokens: z.int().min(1).max(200_000).nullish(),
  max_completion_tokens: z.int().min(1).max(200_000).nullish(),
  stop: z.union([z.string().min(1).max(1_000), z.array(z.string().min(1).max(1_000)).max(4)]).nullish(),
  seed: z.int().nullish(),
  reasoning_effort: z.enum(reasoningEfforts).nullish(),
  verbosity: z.enum(verbosities).nullish(),
  logit_bias: logitBiasSchema.nullish(),
  n: only([1], "one answer is given: n can only be 1"),
  user: z.union([subjectSchema, z.literal("")]).nullish(),
  metadata: z.record(z.string().max(100), z.string().max(2_000)).nullish(),
  memory: memoryChoiceSchema.nullish(),
  frequency_penalty: only([0], "penalties aren't passed on"),
  presence_penalty: only([0], "penalties aren't passed on"),
  logprobs: only([false], "log probabilities aren't given"),
  modalities: z.array(z.literal("text", { error: "answers are text" })).nullish(),
  store: only([false], "what is kept is a session: name one in metadata.sessionId"),
  service_tier: only(["auto", "default"], "there is one tier of service"),
  // Hints that change nothing of the answer.
  prompt_cache_key: z.string().nullish(),
  prompt_cache_retention: z.string().nullish(),
  safety_identifier: z.string().nullish(),
});
export type ChatRequest = z.infer<typeof chatRequestSchema>;

/**
 * The request as what is to be done.
 * @param session named by the header, if it is
 * @param isFollowing it goes on from an answer of ours: what came of calls may be of that one's
 */
export function chatInput(sent: ChatRequest, session: string | undefined, isFollowing = false): ChatInput {
  const { messages, unsupported } = answerable(sent.messages);
  const body = { ...sent, messages };
  const { sessionId: named, memoryId, ...metadata } = body.metadata ?? {};
  const sessionId = session ?? named;
  const lastReply = body.messages.findLastIndex(({ role }) => role === "assistant");
  const before = body.messages.slice(0, lastReply + 1);
  const after = body.messages.slice(lastReply + 1);
  const results = resultsOf(after, body.messages, lastReply, sessionId !== undefined || isFollowing);
  const words = after.flatMap((one) => (one.role === "user" ? textOf(one) : []));
  const content = words.length > 0 ? words.join("\n\n") : resultsText(results);
  if (content.trim() === "") {
    throw new OpenAiError(400, "invalid_value", lastWord, "messages");
  }
  const kept = sessionId === undefined ? before : [];
  const instructions = body.messages
    .slice(sessionId === undefined ? 0 : lastReply + 1)
    .flatMap((one) => (one.role === "system" || one.role === "developer" ? textOf(one) : []));
  const speaker = after.findLast(({ role }) => role === "user");
  const last = body.messages[lastReply];
  const place = (role: Message["role"] | "instructions", from = 0): string | undefined => {
    const at = body.messages.findIndex(
      (one, index) =>
        index >= from &&
        (role === "instructions" ? one.role === "system" || one.role === "developer" : one.role === role),
    );
    return at === -1 ? undefined : `messages[${at}]`;
  };
  return {
    agent: body.model,
    sessionId,
    subject: body.user || undefined,
    metadata,
    memory: memoryOf(body.memory, memoryId),
    content,
    speaker: speaker?.role === "user" ? speaker.name || undefined : undefined,
    askId: last === undefined ? undefined : askIn(textOf(last)),
    sentAt: {
      instructions: place("instructions", sessionId === undefined ? 0 : lastReply + 1),
      history: place("assistant"),
      results: place("tool", lastReply + 1),
      toolChoice: "tool_choice",
      output: "response_format",
      sampling: body.stop != null ? "stop" : body.top_p != null ? "top_p" : "seed",
      speaker: speaker === undefined ? undefined : `messages[${body.messages.indexOf(speaker)}].name`,
    },
    unsupported,
    request: {
      ...(instructions.length === 0 ? {} : { instructions: instructions.join("\n\n") }),
      history: historyOf(kept, results),
      results,
      ...answeringOf(body),
    },
  };
}

const lastWord = "The last message has to be a user's or a tool's, and say something.";

/** The messages that can be answered: without the beginning of an answer at their end, and with one of a user. */
function answerable(messages: readonly Message[]): {
  readonly messages: Message[];
  readonly unsupported?: ChatInput["unsupported"];
} {
  const end = messages.findLastIndex(({ role }) => role !== "assistant") + 1;
  const before = messages.slice(0, end);
  const last = before.at(-1);
  const unsupported = [{ path: "messages", message: lastWord }];
  if (last !== undefined && before.every(({ role }) => role === "system" || role === "developer")) {
    return { messages: [...before.slice(0, -1), { role: "user", content: textOf(last) }], unsupported };
  }
  return last === undefined || end === messages.length
    ? { messages: [...messages] }
    : { messages: before, unsupported };
}

/** By the field of its own, or as clients can say it that send no other fields than OpenAI's. */
function memoryOf(memory: ChatRequest["memory"], memoryId: string | undefined): ChatInput["memory"] {
  if (memoryId === undefined) return memory ?? undefined;
  if (memory == null) return { memoryId };
  throw new OpenAiError(
    400,
    "invalid_value",
    "Name the memory in `memory` or in metadata.memoryId, not both.",
    "memory",
  );
}

function answeringOf(body: ChatRequest): Omit<ChatInput["request"], "instructions" | "history" | "results"> {
  const { temperature, top_p: topP, seed, stop, response_format: format, logit_bias: logitBias } = body;
  const { tools, choice } = toolsOf(body);
  const maxOutputTokens = body.max_completion_tokens ?? body.max_tokens;
  const sampling = {
    ...defined({
      topP: topP ?? undefined,
      seed: seed ?? undefined,
      reasoningEffort: body.reasoning_effort ?? undefined,
      verbosity: body.verbosity ?? undefined,
      logitBias: Object.keys(logitBias ?? {}).length === 0 ? undefined : (logitBias ?? undefined),
    }),
    ...(stop == null ? {} : { stop: typeof stop === "string" ? [stop] : stop }),
  };
  return {
    tools: tools.map(({ function: { name: toolName, description, parameters, strict } }) => ({
      name: toolName,
      description: description ?? "",
      parameters: parameters ?? { type: "object", properties: {} },
      ...defined({ strict: strict ?? undefined }),
    })),
    ...(choice == null ? {} : { toolChoice: typeof choice === "string" ? choice : { tool: choice.function.name } }),
    parallelCalls: body.parallel_tool_calls ?? true,
    ...(format == null || format.type === "text" ? {} : { output: outputOf(format) }),
    ...defined({ temperature: temperature ?? undefined, maxOutputTokens: maxOutputTokens ?? undefined }),
    ...(Object.keys(sampling).length === 0 ? {} : { sampling }),
  };
}

/** A tool that isn't allowed is none that the model could call. */
function toolsOf({ tools, tool_choice: choice }: ChatRequest) {
  if (choice == null || typeof choice === "string" || choice.type === "function") return { tools: tools ?? [], choice };
  const { mode, tools: allowed } = choice.allowed_tools;
  const names = new Set(allowed.map(({ function: { name: toolName } }) => toolName));
  return { tools: (tools ?? []).filter(({ function: { name: toolName } }) => names.has(toolName)), choice: mode };
}

function outputOf(format: Exclude<z.infer<typeof responseFormat>, { type: "text" }>) {
  if (format.type === "json_object") return { name: "object", schema: { type: "object" }, type: format.type };
  const { name: formatName, schema, description, strict } = format.json_schema;
  return {
    name: formatName,
    schema: schema ?? { type: "object" },
    ...defined({ description: description ?? undefined, strict: strict ?? undefined }),
  };
}
