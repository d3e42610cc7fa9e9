/** Messages of a chat as OpenAI's clients send them, and what they are here: the conversation before, and what came of calls. */
import { z } from "zod";
import { type CallerMessage, type CallerResult, callerServer } from "../chat/turn-request.js";
import { OpenAiError } from "./errors.js";

const maxText = 1_000_000;
const text = z.string().max(maxText);

// Messages are what clients echo: the fields that each adds (`parsed`, `index`, `reasoning_content`, `cache_control`, `annotations`) say nothing
// to an agent and are left out. What would change the answer is refused.
const textPart = z.object({ type: z.enum(["text", "input_text", "output_text"]), text });
const refusalPart = z.object({ type: z.literal("refusal"), refusal: text });
/** Text, or parts of it. Of an image or a file an agent here sees nothing. */
const textContent = z.union([text, z.array(textPart).min(1).max(1_000)], {
  error: "this agent takes text alone: no images, audio or files",
});
const assistantContent = z.union([text, z.array(z.union([textPart, refusalPart])).max(1_000)]).nullish();

const toolCall = z.object({
  id: z.string().max(200),
  type: z.literal("function").default("function"),
  function: z.object({ name: z.string().max(100), arguments: text }),
});
const name = z.string().max(100).nullish();

/** A message as clients send it. */
export const messageSchema = z.discriminatedUnion(
  "role",
  [
    z.object({ role: z.enum(["system", "developer"]), content: textContent, name }),
    z.object({ role: z.literal("user"), content: textContent, name }),
    z.object({
      role: z.literal("assistant"),
      content: assistantContent,
      refusal: text.nullish(),
      name,
      tool_calls: z.array(toolCall).max(128).nullish(),
      audio: z.null().optional(),
      function_call: z.null().optional(),
    }),
    z.object({ role: z.literal("tool"), content: textContent, tool_call_id: z.string().max(200), name }),
  ],
  { error: "a role is system, developer, user, assistant or tool" },
);
export type Message = z.infer<typeof messageSchema>;

/** What came of calls of the last reply. In a session its own record says which calls those were. */
export function resultsOf(
  after: readonly Message[],
  messages: readonly Message[],
  lastReply: number,
  inSession: boolean,
): CallerResult[] {
  const reply = messages[lastReply];
  const calls = reply?.role === "assistant" ? (reply.tool_calls ?? []) : [];
  return after.flatMap((one, index) => {
    if (one.role !== "tool") return [];
    const call = calls.find(({ id }) => id === one.tool_call_id);
    if (call === undefined && !inSession) {
      const param = `messages[${lastReply + 1 + index}].tool_call_id`;
      throw new OpenAiError(400, "invalid_value", "It names no call of the assistant's message before.", param);
    }
    const fn = call?.function ?? { name: "", arguments: "{}" };
    return [{ toolCallId: one.tool_call_id, tool: fn.name, args: fn.arguments, output: textOf(one) }];
  });
}

/** The conversation before: a reply and the calls that it made are one message, however many they came in. */
export function historyOf(messages: readonly Message[], results: readonly CallerResult[]): CallerMessage[] {
  const open = new Set(results.map(({ toolCallId }) => toolCallId));
  const outputs = new Map(messages.flatMap((one) => (one.role === "tool" ? [[one.tool_call_id, textOf(one)]] : [])));
  const history: CallerMessage[] = [];
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
    const content = textOf(one);
    const round = { message: content, calls };
    const last = history.at(-1);
    if (last?.role === "assistant") {
      last.content = [last.content, content].filter((part) => part !== "").join("\n");
      last.rounds = [...(last.rounds ?? []), round];
    } else {
      history.push({ role: "assistant", content: content, rounds: [round] });
    }
  }
  return history.map((one) =>
    one.rounds?.some(({ calls }) => calls.length > 0) === true ? one : { role: one.role, content: one.content },
  );
}

export function textOf({ content, ...rest }: Message): string {
  if (typeof content === "string") return content;
  const parts = (content ?? []).map((part) => ("text" in part ? part.text : part.refusal));
  return parts.length === 0 && "refusal" in rest ? (rest.refusal ?? "") : parts.join("");
}

/** The question that a message of ours was: its text ends with the ask's id in brackets. */
export function askIn(text: string): string | undefined {
  return /\[(ask_[0-9a-z_]{10,120})\]\s*$/.exec(text)?.[1];
}
