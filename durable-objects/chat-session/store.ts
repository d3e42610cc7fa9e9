/** The SQL of a chat session. No rules: what a row means is decided elsewhere. */
import { z } from "zod";
import type { HistoryMessage } from "../../src/agent/prompt.js";
import {
  type NewSession,
  newSessionSchema,
  type StoredOutcome,
  type TurnStatus,
  turnOutcomeSchema,
  turnStatuses,
} from "../../src/chat/session.js";
import { type ChatMessage, chatMessageSchema, messageText } from "../../src/conversation/message.js";
import { type SupervisionState, supervisionStateSchema } from "../../src/supervision/state.js";
import { VersionStore } from "./version-store.js";

export interface SessionRecord {
  readonly tenantId: string;
  readonly sessionId: string;
  readonly definition: NewSession;
  readonly salt: string;
  readonly createdAt: number;
}

const turnRow = z
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
  readonly at: number;
}

/** How many messages of the history are read at most; the prompt's token budget decides among them. */
const historyRows = 60;

export class ChatSessionStore {
  readonly versions: VersionStore;

  constructor(private readonly sql: SqlStorage) {
    this.versions = new VersionStore(sql);
  }

  createSession(record: SessionRecord): void {
    this.sql.exec(
      "INSERT INTO session (one, tenant_id, session_id, definition, salt, created_at) VALUES (1, ?, ?, ?, ?, ?)",
      record.tenantId,
      record.sessionId,
      JSON.stringify(record.definition),
      record.salt,
      record.createdAt,
    );
  }

  session(): SessionRecord {
    const row = this.sql
      .exec<{ tenant_id: string; session_id: string; definition: string; salt: string; created_at: number }>(
        "SELECT * FROM session",
      )
      .one();
    return {
      tenantId: row.tenant_id,
      sessionId: row.session_id,
      definition: newSessionSchema.parse(JSON.parse(row.definition)),
      salt: row.salt,
      createdAt: row.created_at,
    };
  }

  addTurn(turn: NewTurn): void {
    this.sql.exec(
      `INSERT INTO turns (turn_id, idempotency_key, request_hash, status, message_id, reply_id, original, accepted_at,
         message_salt, reply_salt) VALUES (?, ?, ?, 'queued', ?, ?, ?, ?, ?, ?)`,
      turn.turnId,
      turn.idempotencyKey,
      turn.requestHash,
      turn.messageId,
      turn.replyId,
      turn.content,
      turn.at,
      turn.messageSalt,
      turn.replySalt,
    );
  }

  turn(turnId: string): TurnRecord | undefined {
    return this.turns("WHERE turn_id = ?", turnId)[0];
  }

  /** The turn that a message was sent for, or that it answers. */
  turnOfMessage(messageId: string): TurnRecord | undefined {
    return this.turns("WHERE message_id = ?1 OR reply_id = ?1", messageId)[0];
  }

  turnByKey(idempotencyKey: string): TurnRecord | undefined {
    return this.turns("WHERE idempotency_key = ?", idempotencyKey)[0];
  }

  /** The oldest turn that is queued, running or waiting: the one that counts. */
  currentTurn(): TurnRecord | undefined {
    return this.turns("WHERE status IN ('queued', 'running', 'waiting') ORDER BY seq LIMIT 1")[0];
  }

  queuedTurns(): number {
    return this.sql.exec<{ n: number }>("SELECT COUNT(*) AS n FROM turns WHERE status = 'queued'").one().n;
  }

  /** How many turns there were, and how many of the latest were blocked: at the same cost however long the session is. */
  turnCounts(): { turns: number; blockedOfLast50: number } {
    return this.sql
      .exec<{ turns: number; blockedOfLast50: number }>(
        `SELECT (SELECT COALESCE(MAX(seq), 0) FROM turns) AS turns, COUNT(*) AS blockedOfLast50
         FROM (SELECT status FROM turns ORDER BY seq DESC LIMIT 50) WHERE status = 'blocked'`,
      )
      .one();
  }

  setStatus(turnId: string, status: TurnStatus): void {
    this.sql.exec("UPDATE turns SET status = ? WHERE turn_id = ?", status, turnId);
  }

  endTurn(turnId: string, status: TurnStatus, outcome: StoredOutcome, at: number): void {
    this.sql.exec(
      "UPDATE turns SET status = ?, outcome = ?, ended_at = ? WHERE turn_id = ?",
      status,
      JSON.stringify(outcome),
      at,
      turnId,
    );
  }

  /** @param inHistory whether later prompts may hold it. */
  addMessage(message: ChatMessage, turnId: string, inHistory: boolean): void {
    this.sql.exec(
      "INSERT INTO messages (message_id, turn_id, role, body, in_history) VALUES (?, ?, ?, ?, ?)",
      message.messageId,
      turnId,
      message.role,
      JSON.stringify(message),
      inHistory ? 1 : 0,
    );
  }

  message(messageId: string): ChatMessage | undefined {
    return this.messages("WHERE message_id = ?", messageId)[0]?.message;
  }

  /** Another text in the place of an effective one, wherever it is kept as that; what is erased is in no later prompt. */
  replaceMessage(message: ChatMessage): void {
    const { messageId } = message;
    this.sql.exec(
      "UPDATE messages SET body = ?, in_history = in_history AND ? WHERE message_id = ?",
      JSON.stringify(message),
      message.erased ? 0 : 1,
      messageId,
    );
    const turn = this.turns("WHERE reply_id = ?", messageId)[0];
    if (turn?.outcome === undefined) return;
    const replaced = message.role === "assistant" ? { reply: message } : { error: message };
    const outcome: StoredOutcome = { ...turn.outcome, ...replaced };
    this.sql.exec("UPDATE turns SET outcome = ? WHERE turn_id = ?", JSON.stringify(outcome), turn.turnId);
  }

  /** What a turn keeps beside the message itself: what was sent, its digest for repetitions, the salt. */
  forgetText({ turnId, messageId }: TurnRecord, erased: string): void {
    this.sql.exec(
      erased === messageId
        ? "UPDATE turns SET original = '', request_hash = '', message_salt = NULL WHERE turn_id = ?"
        : "UPDATE turns SET reply_salt = NULL WHERE turn_id = ?",
      turnId,
    );
  }

  messagesAfter(seq: number, limit: number): { seq: number; message: ChatMessage }[] {
    return this.messages("WHERE seq > ? ORDER BY seq LIMIT ?", seq, limit);
  }

  /** The newest effective messages said before this turn, oldest first: as many as a prompt can use, however long the session. */
  history(turnId: string): HistoryMessage[] {
    return this.messages("WHERE in_history = 1 AND turn_id <> ? ORDER BY seq DESC LIMIT ?", turnId, historyRows)
      .reverse()
      .map(({ message }) => ({
        role: message.role === "assistant" ? ("assistant" as const) : ("user" as const),
        content: messageText(message),
      }));
  }

  addPass(turnId: string, state: SupervisionState, at: number): void {
    this.sql.exec("INSERT INTO passes (turn_id, at, state) VALUES (?, ?, ?)", turnId, at, JSON.stringify(state));
  }

  passesAfter(seq: number, limit: number): { seq: number; turnId: string; at: number; state: SupervisionState }[] {
    return this.passes("WHERE seq > ? ORDER BY seq LIMIT ?", seq, limit);
  }

  passesOfTurn(turnId: string): SupervisionState[] {
    return this.passes("WHERE turn_id = ? ORDER BY seq", turnId).map(({ state }) => state);
  }

  private turns(where: string, ...bindings: string[]): TurnRecord[] {
    return this.sql
      .exec(
        `SELECT seq, turn_id, request_hash, status, message_id, reply_id, original, accepted_at, ended_at, crashes,
           outcome, message_salt, reply_salt
         FROM turns ${where}`,
        ...bindings,
      )
      .toArray()
      .map((row) => turnRow.parse(row));
  }

  private messages(rest: string, ...bindings: (string | number)[]): { seq: number; message: ChatMessage }[] {
    return this.sql
      .exec<{ seq: number; body: string }>(`SELECT seq, body FROM messages ${rest}`, ...bindings)
      .toArray()
      .map(({ seq, body }) => ({ seq, message: chatMessageSchema.parse(JSON.parse(body)) }));
  }

  private passes(
    rest: string,
    ...bindings: (string | number)[]
  ): { seq: number; turnId: string; at: number; state: SupervisionState }[] {
    return this.sql
      .exec<{ seq: number; turn_id: string; at: number; state: string }>(
        `SELECT seq, turn_id, at, state FROM passes ${rest}`,
        ...bindings,
      )
      .toArray()
      .map((row) => ({
        seq: row.seq,
        turnId: row.turn_id,
        at: row.at,
        state: supervisionStateSchema.parse(JSON.parse(row.state)),
      }));
  }
}
