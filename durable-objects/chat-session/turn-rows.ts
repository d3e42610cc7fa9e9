/** Turns as they stand in the session's SQLite. */
import type { StoredOutcome, TurnStatus } from "../../src/chat/session.js";
import { type TurnRequest, turnRequestSchema } from "../../src/chat/turn-request.js";
import { type ActorRecord, readAuthor } from "../../src/conversation/actor-record.js";
import { modelReplySchema } from "../../src/conversation/message.js";
import { type Metadata, metadataSchema } from "../../src/conversation/names.js";
import type { ParsedTexts } from "../kit/parsed-texts.js";

/** A row as it is selected. We wrote it ourselves: what isn't text of its own form is taken as it is. */
export interface TurnRow extends Record<string, SqlStorageValue> {
  seq: number;
  turn_id: string;
  request_hash: string;
  status: TurnStatus;
  message_id: string;
  reply_id: string;
  original: string;
  accepted_at: number;
  ended_at: number | null;
  crashes: number;
  outcome: string | null;
  message_salt: string | null;
  reply_salt: string | null;
  speaker: string | null;
  metadata: string | null;
  sent_by: string | null;
  key_id: string | null;
  partial: string | null;
  request: string | null;
  first_event: number | null;
  last_event: number | null;
  first_pass: number | null;
  last_pass: number | null;
  first_try: number | null;
}

export function readTurn(row: TurnRow, outcomes: ParsedTexts<StoredOutcome>) {
  return {
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
    outcome: row.outcome === null ? undefined : outcomes.read(row.outcome),
    messageSalt: row.message_salt ?? undefined,
    replySalt: row.reply_salt ?? undefined,
    speaker: row.speaker ?? undefined,
    keyId: row.key_id ?? undefined,
    /** What there is of the reply while the turn waits. */
    partial: row.partial === null ? undefined : modelReplySchema.parse(JSON.parse(row.partial)),
    /** What the caller sent along with the message: the restricted record, like what was sent. */
    request: row.request === null ? undefined : turnRequestSchema.parse(JSON.parse(row.request)),
    sentBy: row.sent_by === null ? undefined : readAuthor(row.sent_by),
    /** Between which events and passes its own lie. */
    events: spanOf(row.first_event, row.last_event),
    passes: spanOf(row.first_pass, row.last_pass),
    /** It was tried as soon as it was made, and that try may be under way: the row was stored as running. */
    firstTry: row.first_try === 1,
    metadata: row.metadata === null ? undefined : metadataSchema.parse(JSON.parse(row.metadata)),
  };
}

/** Nothing where they may lie anywhere: of turns of versions before that were stored meanwhile. */
function spanOf(first: number | null, last: number | null): Span | undefined {
  return first === null ? undefined : { first, last: last ?? undefined };
}

/** Numbers, both included; without a last one up to the newest. */
export interface Span {
  readonly first: number;
  readonly last: number | undefined;
}

export type TurnRecord = ReturnType<typeof readTurn>;

export interface NewTurn {
  readonly turnId: string;
  readonly messageId: string;
  readonly replyId: string;
  readonly content: string;
  /** Of the sender's own. */
  readonly idempotencyKey: string | undefined;
  readonly requestHash: string;
  /** Of the digests of the message and of the reply: each goes with its text. */
  readonly messageSalt: string;
  readonly replySalt: string;
  readonly speaker?: string | undefined;
  readonly metadata?: Metadata | undefined;
  /** The key that it was sent with, or that its token was minted with. */
  readonly keyId?: string | undefined;
  /** Who sent it. */
  readonly sender: ActorRecord;
  readonly request?: TurnRequest | undefined;
  readonly at: number;
  /** The first numbers that an event and a pass of it can have. */
  readonly firstEvent: number;
  readonly firstPass: number;
  /** It is tried in the write that makes it. */
  readonly firstTry: boolean;
}
