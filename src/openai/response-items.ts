/** Items that `/v1/responses` takes: what was said, calls and what came of them. They are read as the messages of a chat. */
import { z } from "zod";
import type { Message } from "./chat-messages.js";
import { OpenAiError } from "./errors.js";

const maxText = 1_000_000;
const text = z.string().max(maxText);
const id = z.string().max(200).nullish();
const status = z.enum(["in_progress", "completed", "incomplete"]).nullish();

// As with messages of a chat, what clients add to items is left out.
const inputText = z.object({ type: z.literal("input_text"), text });
const outputText = z.object({
  type: z.literal("output_text"),
  text,
});
const refusal = z.object({ type: z.literal("refusal"), refusal: text });
/** Of an image or a file an agent here sees nothing. */
const textAlone = { error: "this agent takes text alone: no images, audio, video or files" };
const inputContent = z.union([text, z.array(inputText).min(1).max(1_000)], textAlone);
const replyContent = z.union([text, z.array(z.union([outputText, refusal, inputText])).max(1_000)], textAlone);

const message = z.literal("message");
const userMessage = z.object({ type: message, role: z.literal("user"), content: inputContent, id, status });
const instruction = z.object({
  type: message,
  role: z.enum(["system", "developer"]),
  content: inputContent,
  id,
  status,
});
const assistantMessage = z.object({
  type: message,
  role: z.literal("assistant"),
  content: replyContent,
  id,
  status,
  phase: z.enum(["commentary", "final_answer"]).nullish(),
});
const callId = z.string().min(1).max(200);
const functionCallSchema = z.object({
  type: z.literal("function_call"),
  id,
  call_id: callId,
  name: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,64}$/, "a function's name is 1 to 64 letters, digits, hyphens or underscores"),
  arguments: text,
  status,
});
const functionCallOutput = z.object({
  type: z.literal("function_call_output"),
  id,
  call_id: callId,
  output: inputContent,
  status,
});
/** An item of an answer that is stored. */
const reference = z.object({ type: z.literal("item_reference"), id: z.string().max(200) });
const compaction = z.object({
  type: z.literal("compaction"),
  id,
  encrypted_content: z.string().max(maxText),
  created_by: z.string().nullish(),
});

const messages = z.discriminatedUnion("role", [userMessage, instruction, assistantMessage], {
  error: "a role is system, developer, user or assistant",
});
export const itemSchema = z.discriminatedUnion(
  "type",
  [messages, functionCallSchema, functionCallOutput, reference, compaction],
  {
    error: "an item is a message, function_call, function_call_output, item_reference or compaction",
  },
);
export type InputItem = z.infer<typeof itemSchema>;
/** What stands for itself: references and compactions have been looked up. */
export type WholeItem = Exclude<InputItem, { type: "item_reference" | "compaction" }> & {
  /** It was looked up: it is as it was put out. */
  readonly isStored?: true;
};

const untyped = z.looseObject({ type: z.null().optional() });

/** What clients leave out: a text is a user's message, what has a role is a message, what has nothing but an id is a reference. */
export function completeItems(input: unknown): unknown {
  if (typeof input === "string") return [{ type: "message", role: "user", content: input }];
  if (!Array.isArray(input)) return input;
  return input.map((item: unknown) => {
    const { data } = untyped.safeParse(item);
    if (data === undefined) return item;
    return { ...data, type: "role" in data ? "message" : "item_reference" };
  });
}

/** The items as messages of a chat, each with the place of its item. What one reply said and called is one message there. */
export function asMessages(items: readonly WholeItem[]): { readonly message: Message; readonly at: number }[] {
  const placed: { message: Message; at: number }[] = [];
  for (const [at, item] of items.entries()) {
    const last = placed.at(-1)?.message;
    const reply = last?.role === "assistant" ? last : undefined;
    switch (item.type) {
      case "message": {
        const content = textOf(item.content);
        if (item.role !== "assistant") placed.push({ message: { role: item.role, content }, at });
        else if (reply === undefined) placed.push({ message: { role: "assistant", content }, at });
        else reply.content = [textOf(reply.content), content].filter((part) => part !== "").join("\n");
        break;
      }
      case "function_call": {
        const { call_id, name, arguments: args } = item;
        const call = { id: call_id, type: "function" as const, function: { name, arguments: args } };
        if (reply === undefined) placed.push({ message: { role: "assistant", content: null, tool_calls: [call] }, at });
        else reply.tool_calls = [...(reply.tool_calls ?? []), call];
        break;
      }
      case "function_call_output":
        placed.push({ message: { role: "tool", tool_call_id: item.call_id, content: textOf(item.output) }, at });
    }
  }
  return placed;
}

type Parts = string | readonly ({ readonly text: string } | { readonly refusal: string })[] | null | undefined;

function textOf(content: Parts): string {
  if (typeof content === "string") return content;
  return (content ?? []).map((part) => ("text" in part ? part.text : part.refusal)).join("");
}

/** What is wrong with a message is wrong with its item. */
export function inItsWords<T>(read: () => T, itemOf: (message: number) => number | undefined): T {
  try {
    return read();
  } catch (error) {
    const [, index] = error instanceof OpenAiError ? (/^messages(?:\[(\d+)\])?/.exec(error.param ?? "") ?? []) : [];
    if (!(error instanceof OpenAiError) || error.param?.startsWith("messages") !== true) throw error;
    const item = index === undefined ? undefined : itemOf(Number(index));
    const param =
      item === undefined ? "input" : `input[${item}]${error.param.endsWith("tool_call_id") ? ".call_id" : ""}`;
    throw new OpenAiError(error.status, error.code, error.message, param);
  }
}
