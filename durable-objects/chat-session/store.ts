/** The SQL of a chat session. No rules: what a row means is decided elsewhere. */
import { type StoredHold, storedHoldSchema } from "../../src/chat/hold.js";
import { type SessionDefinition, type StoredOutcome, sessionDefinitionSchema } from "../../src/chat/session.js";
import type { ChatMessage } from "../../src/conversation/message.js";
import { exec } from "../../src/platform/sql.js";
import { AnswerStore } from "./answer-store.js";
import { MessageStore } from "./message-store.js";
import { PassStore } from "./pass-store.js";
import { TraceStore } from "./trace-store.js";
import type { TurnRecord } from "./turn-rows.js";
import { TurnStore } from "./turn-store.js";
import { VersionStore } from "./version-store.js";

export interface SessionRecord {
  readonly tenantId: string;
  readonly sessionId: string;
  readonly definition: SessionDefinition;
  readonly salt: string;
  readonly createdAt: number;
  /** When what the list shows of it changed last. */
  readonly updatedAt: number;
  /** Up to this number all turns are known to have ended, as it is stored. */
  readonly settled: number;
  /** The conversation of a chat channel that shows what happens here, as JSON. */
  readonly conversation: string | undefined;
  readonly hold: StoredHold | undefined;
}

/** How many ended turns an instance that wakes up looks through for open ones. */
const mostUnsettled = 16;

export class ChatSessionStore {
  readonly turns: TurnStore;
  readonly messages: MessageStore;
  readonly passes: PassStore;
  readonly versions: VersionStore;
  readonly answers: AnswerStore;
  readonly trace: TraceStore;

  /** The session, once it was read. */
  private known: SessionRecord | undefined;

  constructor(private readonly sql: SqlStorage) {
    this.turns = new TurnStore(sql);
    this.messages = new MessageStore(sql);
    this.passes = new PassStore(sql, this.turns);
    this.versions = new VersionStore(sql);
    this.answers = new AnswerStore(sql);
    this.trace = new TraceStore(sql);
  }

  /** A write was rolled back: what was read within it doesn't hold. */
  onRollback(): void {
    this.known = undefined;
    this.turns.onRollback();
    this.messages.onRollback();
    this.passes.onRollback();
  }

  /**
   * What a message of this key came to: a turn of its own, known by its id where the sender gave no key, or the answer that it was taken as.
   * @param erased what stands in the place of the key, should the message have been erased
   */
  sentUnder(key: string, erased = key): { readonly turnId: string; readonly requestHash: string } | undefined {
    const query = `SELECT turn_id, request_hash FROM turns WHERE idempotency_key IN (?1, ?2)
       UNION ALL SELECT turn_id, request_hash FROM turns WHERE turn_id = ?1
       UNION ALL SELECT turn_id, request_hash FROM answer_messages WHERE idempotency_key IN (?1, ?2) LIMIT 1`;
    const [row] = this.sql.exec<{ turn_id: string; request_hash: string }>(query, key, erased).toArray();
    return row === undefined ? undefined : { turnId: row.turn_id, requestHash: row.request_hash };
  }

  createSession(record: Omit<SessionRecord, "updatedAt" | "settled" | "conversation" | "hold">): void {
    this.known = undefined;
    exec(this.sql)`INSERT INTO session (one, tenant_id, session_id, definition, salt, created_at)
      VALUES (1, ${record.tenantId}, ${record.sessionId}, ${JSON.stringify(record.definition)}, ${record.salt},
        ${record.createdAt})`;
  }

  session(): SessionRecord {
    this.known ??= this.readSession();
    return this.known;
  }

  private readSession(): SessionRecord {
    const row = exec<{
      tenant_id: string;
      session_id: string;
      definition: string;
      salt: string;
      created_at: number;
      updated_at: number | null;
      settled: number | null;
      conversation: string | null;
      hold: string | null;
    }>(this.sql)`
      SELECT tenant_id, session_id, definition, salt, created_at, updated_at, settled, conversation, hold
      FROM session`.one();
    return {
      tenantId: row.tenant_id,
      sessionId: row.session_id,
      definition: sessionDefinitionSchema.parse(JSON.parse(row.definition)),
      salt: row.salt,
      createdAt: row.created_at,
      updatedAt: Math.max(row.updated_at ?? row.created_at, this.turns.lastEndedAt()),
      settled: row.settled ?? 0,
      conversation: row.conversation ?? undefined,
      hold: row.hold === null ? undefined : storedHoldSchema().parse(JSON.parse(row.hold)),
    };
  }

  setConversation(conversation: string): void {
    exec(this.sql)`UPDATE session SET conversation = ${conversation}`;
    this.known = undefined;
  }

  setHold(hold: StoredHold | undefined): void {
    exec(this.sql)`UPDATE session SET hold = ${hold === undefined ? null : JSON.stringify(hold)}`;
    this.known = undefined;
  }

  setDefinition(definition: SessionDefinition): void {
    exec(this.sql)`UPDATE session SET definition = ${JSON.stringify(definition)}`;
    this.known = undefined;
  }

  touch(at: number): void {
    const settled = this.turns.settledUpTo();
    exec(this.sql)`UPDATE session SET updated_at = ${at}, settled = ${settled}`;
    this.known &&= { ...this.known, updatedAt: at, settled };
  }

  /** The same at the end of a turn, whose row says it: the session's own is written so often that few turns have to be looked through. */
  turnEnded(at: number): void {
    if (this.turns.settledUpTo() - this.session().settled >= mostUnsettled) this.touch(at);
    else this.known &&= { ...this.known, updatedAt: at };
  }

  /** Another text in the place of an effective one, wherever it is kept as that; what is erased is in no later prompt. */
  replaceMessage(message: ChatMessage): void {
    this.messages.replace(message);
    const turn = this.turns.ofReply(message.messageId);
    if (turn?.outcome === undefined) return;
    const replaced = message.role === "assistant" ? { reply: message } : { error: message };
    const { failure, ...kept } = turn.outcome;
    const outcome: StoredOutcome = {
      ...kept,
      ...(message.erased || failure === undefined ? {} : { failure }),
      ...replaced,
    };
    this.turns.setOutcome(turn.turnId, outcome);
  }

  /** What is kept of a message beside it goes with its text. */
  /** @param erasedKey what stands in the place of the sender's key, which may say something, too */
  forgetText({ turnId, messageId, replyId }: TurnRecord, erased: string, erasedKey: string | undefined): void {
    if (erased === messageId) this.turns.forgetMessage(turnId, erasedKey);
    else if (erased === replyId) this.turns.forgetReply(turnId);
    else this.answers.forgetText(erased, erasedKey);
  }

  /** The sender's key of a message; undefined where it had none, and for replies. */
  keyOf(messageId: string): string | undefined {
    const query = `SELECT idempotency_key AS key FROM turns WHERE message_id = ?1 AND idempotency_key IS NOT NULL
      UNION ALL SELECT idempotency_key FROM answer_messages WHERE message_id = ?1`;
    return this.sql.exec<{ key: string }>(query, messageId).toArray()[0]?.key;
  }
}
