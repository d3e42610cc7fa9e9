/** The SQL of a session's effective messages. The newest are kept in memory: nobody else writes them. */
import type { HistoryMessage } from "../../src/agent/prompt.js";
import { historyOf, historyRows } from "../../src/chat/history.js";
import { type ChatMessage, chatMessageSchema, type ModelReply } from "../../src/conversation/message.js";
import { exec } from "../../src/platform/sql.js";
import { ParsedTexts } from "../kit/parsed-texts.js";

/** How many of the newest are kept: those of the turn under way, and what was blocked, are no history of it. */
const keptRows = historyRows + 4;

interface KeptMessage {
  readonly message: ChatMessage;
  readonly turnId: string;
  readonly inHistory: boolean;
}

export class MessageStore {
  private readonly bodies = new ParsedTexts(chatMessageSchema);
  /** The newest, oldest first; read when they are asked for. */
  private newest: readonly KeptMessage[] | undefined;

  constructor(private readonly sql: SqlStorage) {}

  /** A write was rolled back: what was read within it doesn't hold. */
  onRollback(): void {
    this.newest = undefined;
  }

  /** @param inHistory whether later prompts may hold it. */
  add(message: ChatMessage, turnId: string, inHistory: boolean): void {
    const { newest } = this;
    exec(this.sql)`INSERT INTO messages (message_id, turn_id, role, body, in_history)
      VALUES (${message.messageId}, ${turnId}, ${message.role}, ${JSON.stringify(message)}, ${inHistory ? 1 : 0})`;
    this.newest = newest && [...newest, { message, turnId, inHistory }].slice(-keptRows);
  }

  get(messageId: string): ChatMessage | undefined {
    const kept = this.newest?.findLast(({ message }) => message.messageId === messageId);
    return kept?.message ?? this.read("WHERE message_id = ? ORDER BY seq DESC LIMIT 1", messageId)[0]?.message;
  }

  /** Another text in the place of an effective one; what is erased is in no later prompt. */
  replace(message: ChatMessage): void {
    this.newest = undefined;
    exec(this.sql)`
      UPDATE messages SET body = ${JSON.stringify(message)}, in_history = in_history AND ${message.erased ? 0 : 1}
      WHERE message_id = ${message.messageId}`;
  }

  after(seq: number, limit: number): { seq: number; message: ChatMessage }[] {
    return this.read("WHERE seq > ? ORDER BY seq LIMIT ?", seq, limit);
  }

  /** The newest before a number, the newest last, each with its turn. */
  before(seq: number, limit: number): { seq: number; turnId: string; message: ChatMessage }[] {
    return exec<{ seq: number; turn_id: string; body: string }>(this.sql)`
      SELECT seq, turn_id, body FROM messages WHERE seq < ${seq} ORDER BY seq DESC LIMIT ${limit}`
      .toArray()
      .map((row) => ({ seq: row.seq, turnId: row.turn_id, message: this.bodies.read(row.body) }))
      .reverse();
  }

  /** The newest effective messages said before this turn, oldest first: as many as a prompt can use, however long the session. */
  history(turnId: string): HistoryMessage[] {
    return historyOf(this.newestFirst(turnId));
  }

  /** The newest reply before this turn's own. */
  lastReply(turnId: string): ModelReply | undefined {
    const [newest] = this.read(
      "WHERE role = 'assistant' AND in_history = 1 AND turn_id <> ? ORDER BY seq DESC LIMIT 1",
      turnId,
    );
    return newest?.message.role === "assistant" ? newest.message.modelReply : undefined;
  }

  /** The newest first. */
  private newestFirst(turnId: string): ChatMessage[] {
    this.newest ??= this.readNewest();
    const kept = this.newest.filter((one) => one.inHistory && one.turnId !== turnId).slice(-historyRows);
    if (kept.length === historyRows || this.newest.length < keptRows)
      return kept.map(({ message }) => message).reverse();
    const where = "WHERE in_history = 1 AND turn_id <> ? ORDER BY seq DESC LIMIT ?";
    return this.read(where, turnId, historyRows).map(({ message }) => message);
  }

  private readNewest(): KeptMessage[] {
    return exec<{ turn_id: string; body: string; in_history: number }>(this.sql)`
      SELECT turn_id, body, in_history FROM messages ORDER BY seq DESC LIMIT ${keptRows}`
      .toArray()
      .map((row) => ({
        message: this.bodies.read(row.body),
        turnId: row.turn_id,
        inHistory: row.in_history === 1,
      }))
      .reverse();
  }

  private read(rest: string, ...bindings: (string | number)[]): { seq: number; message: ChatMessage }[] {
    return this.sql
      .exec<{ seq: number; body: string }>(`SELECT seq, body FROM messages ${rest}`, ...bindings)
      .toArray()
      .map(({ seq, body }) => ({ seq, message: this.bodies.read(body) }));
  }
}
