/** Turns as they stand in the session's SQLite. */
import { z } from "zod";
import { turnOutcomeSchema, turnStatuses } from "../../src/chat/session.js";
import { type TurnRequest, turnRequestSchema } from "../../src/chat/turn-request.js";
import { readAuthor } from "../../src/conversation/actor-record.js";
import { modelReplySchema } from "../../src/conversation/message.js";
import { type Metadata, metadataSchema } from "../../src/conversation/names.js";

export const turnRow = z
  .object({
    seq: z.number(),
    turn_id: z.string(),
    request_hash: z.string(),
    status: z.enum(turnStatuses),
    message_id: z.string(),
    reply_id: z.string(),
    original: z.string(),
    accepted_at: z.number(),
    ended_at: z.number().nullable(),
    crashes: z.number(),
    outcome: z.string().nullable(),
    message_salt: z.string().nullable(),
    reply_salt: z.string().nullable(),
    speaker: z.string().nullable(),
    metadata: z.string().nullable(),
    sent_by: z.string().nullable(),
    key_id: z.string().nullable(),
    partial: z.string().nullable(),
    request: z.string().nullable(),
  })
  .transform((row) => ({
    seq: row.seq,
    turnId: row.turn_id,
    requestHash: row.request_hash,
    status: row.status,
    messageId: row.message_id,
    replyId: row.reply_id,
    original: row.original,
    acceptedAt: row.accepted_at,
    endedAt: row.ended_at ?? undefined,
    crashes: row.crashes,
    outcome: row.outcome === null ? undefined : turnOutcomeSchema.parse(JSON.parse(row.outcome)),
    messageSalt: row.message_salt ?? undefined,
    replySalt: row.reply_salt ?? undefined,
    speaker: row.speaker ?? undefined,
    keyId: row.key_id ?? undefined,
    /** What there is of the reply while the turn waits. */
    partial: row.partial === null ? undefined : modelReplySchema.parse(JSON.parse(row.partial)),
    /** What the caller sent along with the message: the restricted record, like what was sent. */
    request: row.request === null ? undefined : turnRequestSchema.parse(JSON.parse(row.request)),
    sentBy: row.sent_by === null ? undefined : readAuthor(row.sent_by),
    metadata: row.metadata === null ? undefined : metadataSchema.parse(JSON.parse(row.metadata)),
  }));
export type TurnRecord = z.infer<typeof turnRow>;

export interface NewTurn {
  readonly turnId: string;
  readonly messageId: string;
  readonly replyId: string;
  readonly content: string;
  readonly idempotencyKey: string;
  readonly requestHash: string;
  /** Of the digests of the message and of the reply: each goes with its text. */
  readonly messageSalt: string;
  readonly replySalt: string;
  readonly speaker?: string | undefined;
  readonly metadata?: Metadata | undefined;
  /** The key that it was sent with, or that its token was minted with. */
  readonly keyId?: string | undefined;
  readonly request?: TurnRequest | undefined;
  readonly at: number;
}
