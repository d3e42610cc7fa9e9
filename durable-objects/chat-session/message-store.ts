/** The SQL of a session's effective messages. The newest are kept in memory: nobody else writes them. */
import type { HistoryMessage } from "../../src/agent/prompt.js";
import { historyText } from "../../src/chat/answered-questions.js";
import { newestRounds } from "../../src/chat/past-calls.js";
import { type ChatMessage, chatMessageSchema, type ModelReply } from "../../src/conversation/message.js";
import { ParsedTexts } from "../kit/parsed-texts.js";

/** How many messages of the history are read at most; the prompt's token budget decides among them. */
const historyRows = 60;
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

  /** A write was undone: what was read within it doesn't hold. */
  undone(): void {
    this.newest = undefined;
  }

  /** @param inHistory whether later prompts may hold it. */
  add(message: ChatMessage, turnId: string, inHistory: boolean): void {
    const { newest } = this;
    this.sql.exec(
      "INSERT INTO messages (message_id, turn_id, role, body, in_history) VALUES (?, ?, ?, ?, ?)",
      message.messageId,
      turnId,
      message.role,
      JSON.stringify(message),
      inHistory ? 1 : 0,
    );
    this.newest = newest && [...newest, { message, turnId, inHistory }].slice(-keptRows);
  }

  get(messageId: string): ChatMessage | undefined {
    const kept = this.newest?.findLast(({ message }) => message.messageId === messageId);
    return kept?.message ?? this.read("WHERE message_id = ?", messageId)[0]?.message;
  }

  /** Another text in the place of an effective one; what is erased is in no later prompt. */
  replace(message: ChatMessage): void {
    this.newest = undefined;
    this.sql.exec(
      "UPDATE messages SET body = ?, in_history = in_history AND ? WHERE message_id = ?",
      JSON.stringify(message),
      message.erased ? 0 : 1,
      message.messageId,
    );
  }

  after(seq: number, limit: number): { seq: number; message: ChatMessage }[] {
    return this.read("WHERE seq > ? ORDER BY seq LIMIT ?", seq, limit);
  }

  /** The newest effective messages said before this turn, oldest first: as many as a prompt can use, however long the session. */
  history(turnId: string): HistoryMessage[] {
    const messages = this.before(turnId);
    const rounds = newestRounds(messages);
    return messages
      .map((message, index): HistoryMessage => {
        const calls = rounds[index];
        return {
          role: message.role === "assistant" ? "assistant" : "user",
          content: historyText(message),
          ...(calls === undefined ? {} : { rounds: calls }),
        };
      })
      .reverse();
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
  private before(turnId: string): ChatMessage[] {
    this.newest ??= this.readNewest();
    const kept = this.newest.filter((one) => one.inHistory && one.turnId !== turnId).slice(-historyRows);
    if (kept.length === historyRows || this.newest.length < keptRows)
      return kept.map(({ message }) => message).reverse();
    const where = "WHERE in_history = 1 AND turn_id <> ? ORDER BY seq DESC LIMIT ?";
    return this.read(where, turnId, historyRows).map(({ message }) => message);
  }

  private readNewest(): KeptMessage[] {
    return this.sql
      .exec<{ turn_id: string; body: string; in_history: number }>(
        "SELECT turn_id, body, in_history FROM messages ORDER BY seq DESC LIMIT ?",
        keptRows,
      )
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
