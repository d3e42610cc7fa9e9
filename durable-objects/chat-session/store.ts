/** The SQL of a chat session. No rules: what a row means is decided elsewhere. */
import { type SessionDefinition, type StoredOutcome, sessionDefinitionSchema } from "../../src/chat/session.js";
import type { ChatMessage } from "../../src/conversation/message.js";
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
  /** The conversation of a chat channel that shows what happens here, as JSON. */
  readonly conversation: string | undefined;
}

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
    this.passes = new PassStore(sql);
    this.versions = new VersionStore(sql);
    this.answers = new AnswerStore(sql);
    this.trace = new TraceStore(sql);
  }

  /** A write was undone: what was read within it doesn't hold. */
  undone(): void {
    this.known = undefined;
    this.turns.undone();
    this.messages.undone();
    this.passes.undone();
  }

  /** What a message of this key came to: a turn of its own, known by its id where the sender gave no key, or the answer that it was taken as. */
  sentUnder(key: string): { readonly turnId: string; readonly requestHash: string } | undefined {
    const query = `SELECT turn_id, request_hash FROM turns WHERE idempotency_key = ?1
       UNION ALL SELECT turn_id, request_hash FROM turns WHERE turn_id = ?1
       UNION ALL SELECT turn_id, request_hash FROM answer_messages WHERE idempotency_key = ?1 LIMIT 1`;
    const [row] = this.sql.exec<{ turn_id: string; request_hash: string }>(query, key).toArray();
    return row === undefined ? undefined : { turnId: row.turn_id, requestHash: row.request_hash };
  }

  createSession(record: Omit<SessionRecord, "updatedAt" | "conversation">): void {
    this.known = undefined;
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
    this.known ??= this.readSession();
    return this.known;
  }

  private readSession(): SessionRecord {
    const row = this.sql
      .exec<{
        tenant_id: string;
        session_id: string;
        definition: string;
        salt: string;
        created_at: number;
        updated_at: number | null;
        conversation: string | null;
      }>("SELECT tenant_id, session_id, definition, salt, created_at, updated_at, conversation FROM session")
      .one();
    return {
      tenantId: row.tenant_id,
      sessionId: row.session_id,
      definition: sessionDefinitionSchema.parse(JSON.parse(row.definition)),
      salt: row.salt,
      createdAt: row.created_at,
      updatedAt: row.updated_at ?? row.created_at,
      conversation: row.conversation ?? undefined,
    };
  }

  setConversation(conversation: string): void {
    this.sql.exec("UPDATE session SET conversation = ?", conversation);
    this.known = undefined;
  }

  setDefinition(definition: SessionDefinition): void {
    this.sql.exec("UPDATE session SET definition = ?", JSON.stringify(definition));
    this.known = undefined;
  }

  touch(at: number): void {
    this.sql.exec("UPDATE session SET updated_at = ?, settled = ?", at, this.turns.settledUpTo());
    this.known &&= { ...this.known, updatedAt: at };
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
  forgetText({ turnId, messageId, replyId }: TurnRecord, erased: string): void {
    if (erased === messageId) this.turns.forgetMessage(turnId);
    else if (erased === replyId) this.turns.forgetReply(turnId);
    else this.answers.forgetText(erased);
  }
}
