/** What `POST /v1/chat/completions` takes, and what it means here. What isn't supported is refused, never ignored. */
import { z } from "zod";
import type { ChatInput } from "../application/openai/chat-input.js";
import { callerServer, type GivenMessage, type GivenResult, resultsText } from "../chat/turn-request.js";
import { subjectSchema } from "../conversation/names.js";
import { only } from "./body.js";
import { OpenAiError } from "./errors.js";

const maxText = 1_000_000;
const text = z.string().max(maxText);

const textPart = z.strictObject({ type: z.enum(["text", "input_text", "output_text"]), text });
const refusalPart = z.strictObject({ type: z.literal("refusal"), refusal: text });
/** Text, or parts of it. Of an image or a file an agent here sees nothing. */
const textContent = z.union([text, z.array(textPart).min(1).max(1_000)], {
  error: "this agent takes text alone: no images, audio or files",
});
const assistantContent = z.union([text, z.array(z.union([textPart, refusalPart])).max(1_000)]).nullish();

const toolCall = z.strictObject({
  id: z.string().max(200),
  type: z.literal("function"),
  function: z.strictObject({ name: z.string().max(100), arguments: text }),
});
const name = z.string().min(1).max(100).nullish();

const message = z.discriminatedUnion(
  "role",
  [
    z.strictObject({ role: z.enum(["system", "developer"]), content: textContent, name }),
    z.strictObject({ role: z.literal("user"), content: textContent, name }),
    z.strictObject({
      role: z.literal("assistant"),
      content: assistantContent,
      refusal: text.nullish(),
      name,
      tool_calls: z.array(toolCall).max(128).nullish(),
      // As OpenAI's own answers have them; they say nothing to an agent.
      annotations: z.array(z.unknown()).max(1_000).nullish(),
      audio: z.null().optional(),
      function_call: z.null().optional(),
    }),
    z.strictObject({ role: z.literal("tool"), content: textContent, tool_call_id: z.string().max(200), name }),
  ],
  { error: "a role is system, developer, user, assistant or tool" },
);
type Message = z.infer<typeof message>;

const functionTool = z.strictObject({
  type: z.literal("function", { error: "only tools of type function can be called" }),
  function: z.strictObject({
    name: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/),
    description: z.string().max(10_000).nullish(),
    parameters: z.record(z.string(), z.unknown()).nullish(),
    strict: z.boolean().nullish(),
  }),
});

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
  messages: z.array(message).min(1).max(2_000),
  stream: z.boolean().nullish(),
  stream_options: z
    .strictObject({ include_usage: z.boolean().nullish(), include_obfuscation: z.boolean().nullish() })
    .nullish(),
  tools: z.array(functionTool).max(128).nullish(),
  tool_choice: z
    .union([
      z.enum(["auto", "none", "required"]),
      z.strictObject({ type: z.literal("function"), function: z.strictObject({ name: z.string() }) }),
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
  n: only([1], "one answer is given: n can only be 1"),
  user: subjectSchema.nullish(),
  metadata: z.record(z.string().max(100), z.string().max(2_000)).nullish(),
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
export function chatInput(body: ChatRequest, session: string | undefined, isFollowing = false): ChatInput {
  const { sessionId: named, ...metadata } = body.metadata ?? {};
  const sessionId = session ?? named;
  const lastReply = body.messages.findLastIndex(({ role }) => role === "assistant");
  const before = body.messages.slice(0, lastReply + 1);
  const after = body.messages.slice(lastReply + 1);
  const results = resultsOf(after, body.messages, lastReply, sessionId !== undefined || isFollowing);
  const words = after.flatMap((one) => (one.role === "user" ? textOf(one) : []));
  const content = words.length > 0 ? words.join("\n\n") : resultsText(results);
  if (content.trim() === "") {
    throw new OpenAiError(
      400,
      "invalid_value",
      "The last message has to be a user's or a tool's, and say something.",
      "messages",
    );
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
    subject: body.user ?? undefined,
    metadata,
    content,
    speaker: speaker?.role === "user" ? (speaker.name ?? undefined) : undefined,
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
    request: {
      ...(instructions.length === 0 ? {} : { instructions: instructions.join("\n\n") }),
      history: historyOf(kept, results),
      results,
      ...answeringOf(body),
    },
  };
}

function answeringOf(body: ChatRequest): Omit<ChatInput["request"], "instructions" | "history" | "results"> {
  const { tools, tool_choice: choice, temperature, top_p: topP, seed, stop, response_format: format } = body;
  const maxOutputTokens = body.max_completion_tokens ?? body.max_tokens;
  const sampling = {
    ...(topP == null ? {} : { topP }),
    ...(seed == null ? {} : { seed }),
    ...(stop == null ? {} : { stop: typeof stop === "string" ? [stop] : stop }),
  };
  return {
    tools: (tools ?? []).map(({ function: { name: toolName, description, parameters } }) => ({
      name: toolName,
      description: description ?? "",
      parameters: parameters ?? { type: "object", properties: {} },
    })),
    ...(choice == null ? {} : { toolChoice: typeof choice === "string" ? choice : { tool: choice.function.name } }),
    parallelCalls: body.parallel_tool_calls ?? true,
    ...(format == null || format.type === "text" ? {} : { output: outputOf(format) }),
    ...(temperature == null ? {} : { temperature }),
    ...(maxOutputTokens == null ? {} : { maxOutputTokens }),
    ...(Object.keys(sampling).length === 0 ? {} : { sampling }),
  };
}

function outputOf(format: Exclude<z.infer<typeof responseFormat>, { type: "text" }>) {
  return format.type === "json_object"
    ? { name: "object", schema: { type: "object" } }
    : { name: format.json_schema.name, schema: format.json_schema.schema ?? { type: "object" } };
}

/** What came of calls of the last reply. In a session its own record says which calls those were. */
function resultsOf(
  after: readonly Message[],
  messages: readonly Message[],
  lastReply: number,
  inSession: boolean,
): GivenResult[] {
  const reply = messages[lastReply];
  const calls = reply?.role === "assistant" ? (reply.tool_calls ?? []) : [];
  return after.flatMap((one, index) => {
    if (one.role !== "tool") return [];
    const call = calls.find(({ id }) => id === one.tool_call_id);
    if (call === undefined && !inSession) {
      const param = `messages[${lastReply + 1 + index}].tool_call_id`;
      throw new OpenAiError(400, "invalid_value", "It names no call of the assistant's message before.", param);
    }
    const made = call?.function ?? { name: "", arguments: "{}" };
    return [{ toolCallId: one.tool_call_id, tool: made.name, args: made.arguments, output: textOf(one) }];
  });
}

/** The conversation before: a reply and the calls that it made are one message, however many they came in. */
function historyOf(messages: readonly Message[], results: readonly GivenResult[]): GivenMessage[] {
  const open = new Set(results.map(({ toolCallId }) => toolCallId));
  const outputs = new Map(messages.flatMap((one) => (one.role === "tool" ? [[one.tool_call_id, textOf(one)]] : [])));
  const history: GivenMessage[] = [];
  for (const one of messages) {
    if (one.role === "user") history.push({ role: "user", content: textOf(one) });
    if (one.role !== "assistant") continue;
    const calls = (one.tool_calls ?? [])
      .filter(({ id }) => !open.has(id))
      .map(({ id, function: called }) => ({
        ref: { server: callerServer, tool: called.name },
        args: called.arguments,
        result: outputs.get(id) ?? "",
      }));
    const said = textOf(one);
    const round = { message: said, calls };
    const last = history.at(-1);
    if (last?.role === "assistant") {
      last.content = [last.content, said].filter((part) => part !== "").join("\n");
      last.rounds = [...(last.rounds ?? []), round];
    } else {
      history.push({ role: "assistant", content: said, rounds: [round] });
    }
  }
  return history.map((one) =>
    one.rounds?.some(({ calls }) => calls.length > 0) === true ? one : { role: one.role, content: one.content },
  );
}

function textOf({ content, ...rest }: Message): string {
  if (typeof content === "string") return content;
  const parts = (content ?? []).map((part) => ("text" in part ? part.text : part.refusal));
  return parts.length === 0 && "refusal" in rest ? (rest.refusal ?? "") : parts.join("");
}

/** The question that a message of ours was: its text ends with the ask's id in brackets. */
function askIn(said: string): string | undefined {
  return /\[(ask_[0-9a-z_]{10,120})\]\s*$/.exec(said)?.[1];
}
