/** The messages of a session: the seed's shapes, with stable ids, as zod schemas because they are stored and sent as JSON. */
import { z } from "zod";
import { actorRecordSchema } from "./actor-record.js";
import { metadataSchema, speakerSchema } from "./names.js";

export const toolCallRequestSchema = z.object({
  toolCallId: z.string(),
  server: z.string(),
  tool: z.string(),
  args: z.record(z.string(), z.unknown()),
  /** Of a question to a person: whom it is for. Those of versions before don't say. */
  audience: z.enum(["user", "staff"]).optional(),
});
/** A call that a reply asks for. */
export type ToolCallRequest = z.infer<typeof toolCallRequestSchema>;

export const toolCallResultSchema = toolCallRequestSchema.extend({
  output: z.string().optional(),
  error: z.string().optional(),
  elapsedMs: z.number(),
});
/** A call that was made, with its output or its error. */
export type ToolCallResult = z.infer<typeof toolCallResultSchema>;

export const replyTurnSchema = z.object({
  turnId: z.string(),
  message: z.string().optional(),
  inputTokens: z.number().optional(),
  outputTokens: z.number().optional(),
  toolCalls: z.array(toolCallResultSchema).optional(),
  error: z.string().optional(),
  /** Why its text ends before its end: the limit on its length, or a filter. */
  cut: z.enum(["length", "content_filter"]).optional(),
});
/** One round of a model within a reply. */
export type ReplyTurn = z.infer<typeof replyTurnSchema>;

export const modelReplySchema = z.object({
  timestamp: z.iso.datetime(),
  turns: z.array(replyTurnSchema),
  pendingToolCalls: z.array(toolCallRequestSchema).optional(),
  /** What the model has to say of itself, e.g. that it is the offline one. */
  metadata: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
});
export type ModelReply = z.infer<typeof modelReplySchema>;

/** Its text was erased: nothing of it may be shown, recorded or sent to a model any more. */
const erased = z.literal(true).optional();

/** Messages of the version before have no time. */
const createdAt = z.iso.datetime().optional();

export const plainMessageSchema = z.object({
  messageId: z.string(),
  role: z.enum(["user", "system", "error"]),
  content: z.string(),
  /** Who said it, where several people share a conversation. */
  speaker: speakerSchema.optional(),
  /** The caller's notes on it. */
  metadata: metadataSchema.optional(),
  /** Of an error: what went wrong, for programs. */
  code: z
    .enum([
      "misconfigured",
      "budget_exceeded",
      "rate_limited",
      "context_length_exceeded",
      "limit_reached",
      "unpriced_model",
    ])
    .optional(),
  /** Of one that passes: when to try again, in seconds. */
  retryAfterSeconds: z.int().optional(),
  /** The ask that it was taken as the answer to. */
  answers: z.string().optional(),
  createdAt,
  erased,
});
export const assistantMessageSchema = z.object({
  messageId: z.string(),
  role: z.literal("assistant"),
  modelReply: modelReplySchema,
  /** The person who wrote it; absent where an agent did. */
  author: actorRecordSchema.optional(),
  createdAt,
  erased,
});
export const chatMessageSchema = z.discriminatedUnion("role", [plainMessageSchema, assistantMessageSchema]);
export type PlainMessage = z.infer<typeof plainMessageSchema>;
export type AssistantMessage = z.infer<typeof assistantMessageSchema>;
export type ChatMessage = z.infer<typeof chatMessageSchema>;

/** What a person reads of a reply: the messages of its turns, a line apart. */
export function replyText(reply: ModelReply): string {
  return reply.turns
    .map((turn) => turn.message)
    .filter((message) => message !== undefined && message !== "")
    .join("\n");
}

export function messageText(message: ChatMessage): string {
  return message.role === "assistant" ? replyText(message.modelReply) : message.content;
}
