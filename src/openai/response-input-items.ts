/** What a stored response's request sent, as items: for clients that show a conversation from its responses. */
import { z } from "zod";
import type { StoredResponse } from "../application/openai/read-response.js";
import { responseId } from "../application/openai/response-ref.js";
import { isFinal } from "../chat/session.js";
import { type CallerMessage, resultsText } from "../chat/turn-request.js";
import { OpenAiError } from "./errors.js";

const status = z.literal("completed");
export const inputItemSchema = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("message"),
    id: z.string(),
    status,
    role: z.enum(["user", "assistant"]),
    content: z.array(z.object({ type: z.enum(["input_text", "output_text"]), text: z.string() })),
  }),
  z.object({
    type: z.literal("function_call"),
    id: z.string(),
    status,
    call_id: z.string(),
    name: z.string(),
    arguments: z.string(),
  }),
  z.object({
    type: z.literal("function_call_output"),
    id: z.string(),
    status,
    call_id: z.string(),
    output: z.string(),
  }),
]);
type InputItem = z.infer<typeof inputItemSchema>;
/** Without what is the same of all, and the id, which its place makes. */
type Sent =
  | Pick<Extract<InputItem, { type: "message" }>, "type" | "role" | "content">
  | Omit<Extract<InputItem, { type: "function_call" }>, "id" | "status">
  | Omit<Extract<InputItem, { type: "function_call_output" }>, "id" | "status">;

export const inputItemsSchema = z.object({
  object: z.literal("list"),
  data: z.array(inputItemSchema),
  first_id: z.string().nullable(),
  last_id: z.string().nullable(),
  has_more: z.boolean(),
});

export const listQuery = z.object({
  limit: z.coerce.number<string>().int().min(1).max(100).default(20),
  order: z.enum(["asc", "desc"]).default("desc"),
  after: z.string().max(200).optional(),
});
export const listParameters = Object.keys(listQuery.shape);

/**
 * In the order in which they were sent. Of a request that supervisors changed only the message is shown, as they left it, of one that they
 * blocked nothing, and nothing of one that they haven't judged yet.
 */
export function inputItemsOf({ ref, turn, request }: StoredResponse): InputItem[] {
  if (!isFinal(turn.status) && turn.status !== "waiting") return [];
  const action = turn.supervision.request?.action ?? "allow";
  if (action === "block") return [];
  const { message } = turn;
  const text = message?.role !== "user" || message.erased ? "" : message.content;
  const isWhole = action === "allow";
  const results = isWhole ? request.results : [];
  const isResults = results.length > 0 && text === resultsText(results);
  const items: Sent[] = [
    ...(isWhole ? request.history : []).flatMap(itemsOf),
    ...results.map(({ toolCallId, output }) => resultOf(toolCallId, output)),
    ...(text === "" || isResults ? [] : [messageOf("user", text)]),
  ];
  const base = responseId(ref).replace(/^resp/, "in");
  return items.map((item, index) => ({ ...item, id: `${base}_${index}`, status: "completed" as const }));
}

/** A reply with what it called and what came of it. Its calls have no ids of their own any more. */
function itemsOf({ role, content, rounds = [] }: CallerMessage, at: number): Sent[] {
  const calls = rounds.flatMap((round) => round.calls);
  return [
    ...calls.flatMap(({ ref, args, result }, index) => {
      const id = `call_${at}_${index}`;
      return [{ type: "function_call" as const, call_id: id, name: ref.tool, arguments: args }, resultOf(id, result)];
    }),
    ...(content === "" ? [] : [messageOf(role, content)]),
  ];
}

function messageOf(role: "user" | "assistant", text: string): Sent {
  return { type: "message", role, content: [{ type: role === "user" ? "input_text" : "output_text", text }] };
}

function resultOf(id: string, output: string): Sent {
  return { type: "function_call_output", call_id: id, output };
}

/** @throws {OpenAiError} where `after` is none of them */
export function pageOfItems(
  items: readonly InputItem[],
  { limit, order, after }: z.infer<typeof listQuery>,
): z.infer<typeof inputItemsSchema> {
  const inOrder = order === "asc" ? items : items.toReversed();
  const last = after === undefined ? -1 : inOrder.findIndex(({ id }) => id === after);
  if (after !== undefined && last < 0) throw new OpenAiError(400, "invalid_value", "There is no such item.", "after");
  const data = inOrder.slice(last + 1, last + 1 + limit);
  return {
    object: "list",
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: last + 1 + limit < inOrder.length,
  };
}
