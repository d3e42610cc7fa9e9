/** Sessions and turns as they are stored and sent, and the decisions about them. */
import { z } from "zod";
import { usageSchema } from "../agent/work.js";
import { askSchema } from "../asks/ask.js";
import { assistantMessageSchema, chatMessageSchema, plainMessageSchema } from "../conversation/message.js";
import { itemName, metadataSchema } from "../conversation/names.js";
import { ok, type Result, refuse } from "../conversation/problem.js";
import { threadIdSchema } from "../memory/memory.js";
import { supervisionStateSchema } from "../supervision/state.js";
import { hookSummarySchema, supervisionSummarySchema } from "../supervision/summary.js";
import { sessionContextSchema } from "./context.js";

export const newSessionSchema = z.strictObject({
  agent: itemName,
  supervisors: z.array(itemName).max(50).default([]),
  context: sessionContextSchema.prefault({}),
  metadata: metadataSchema.default({}),
  /** Messages are recorded in a thread of this memory (the session's own, if none is named), and what it knows is recalled. */
  memory: z.strictObject({ memoryId: z.string().max(100), threadId: threadIdSchema.optional() }).optional(),
});
export type NewSession = z.infer<typeof newSessionSchema>;

export const sessionSchema = newSessionSchema.extend({
  sessionId: z.string(),
  status: z.enum(["idle", "running", "waiting"]),
  contextVersion: z.int(),
  createdAt: z.iso.datetime(),
});
export type Session = z.infer<typeof sessionSchema>;

export const turnStatuses = ["queued", "running", "waiting", "completed", "blocked", "failed", "cancelled"] as const;
export type TurnStatus = (typeof turnStatuses)[number];

export function isFinal(status: TurnStatus): boolean {
  return status === "completed" || status === "blocked" || status === "failed" || status === "cancelled";
}

export const turnSchema = z.object({
  turnId: z.string(),
  status: z.enum(turnStatuses),
  /** The effective message; absent until its verdict is in. */
  message: chatMessageSchema.optional(),
  reply: assistantMessageSchema.optional(),
  error: plainMessageSchema.optional(),
  supervision: supervisionSummarySchema,
  asks: z.array(askSchema),
  /** What all models of the turn took: the agent's, supervising agents', a team's. */
  usage: usageSchema,
  createdAt: z.iso.datetime(),
  endedAt: z.iso.datetime().optional(),
});
export type Turn = z.infer<typeof turnSchema>;

/** What is stored of a turn once it has ended. */
export const turnOutcomeSchema = z.object({
  reply: assistantMessageSchema.optional(),
  error: plainMessageSchema.optional(),
  request: hookSummarySchema.optional(),
  response: hookSummarySchema.optional(),
  degraded: z.array(z.string()),
  usage: usageSchema.extend({ modelCalls: z.number().default(0) }),
});
export type StoredOutcome = z.infer<typeof turnOutcomeSchema>;
/** What comes of a turn; what it took is in the journal. */
export type SettledOutcome = Omit<StoredOutcome, "usage">;

export const passViewSchema = supervisionStateSchema.extend({ turnId: z.string(), at: z.iso.datetime() });

export const sendMessageSchema = z.strictObject({
  content: z
    .string()
    .max(100_000)
    .refine((content) => content.trim() !== "", "the content of a message can't be empty"),
  waitMs: z.int().min(0).max(300_000).default(60_000),
});

/** Messages that may wait in a session behind the running one. */
const maxQueuedTurns = 32;

export interface SessionLoad {
  readonly queued: number;
  /** Open asks of the turn that is waiting, if one is. */
  readonly waitingOn: readonly string[];
}

/** Whether a session takes another message now. */
export function mayAccept(load: SessionLoad): Result<void> {
  const [askId] = load.waitingOn;
  if (askId !== undefined) {
    return refuse(
      "waiting_on_ask",
      `The session's turn is waiting for an answer to ${askId}. Answer it at POST /v1/asks/${askId}/answer, or cancel the turn, then send the message again.`,
      { askId },
    );
  }
  if (load.queued >= maxQueuedTurns) {
    return refuse("queue_full", `${load.queued} messages are waiting in this session already. Send it again later.`, {
      retryAfterSeconds: 5,
    });
  }
  return ok(undefined);
}
