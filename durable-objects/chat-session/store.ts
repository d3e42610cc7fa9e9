/** The SQL of a chat session. No rules: what a row means is decided elsewhere. */
import { z } from "zod";
import type { HistoryMessage } from "../../src/agent/prompt.js";
import { historyText } from "../../src/chat/answered-questions.js";
import { newestRounds } from "../../src/chat/past-calls.js";
import {
  type SessionDefinition,
  type StoredOutcome,
  sessionDefinitionSchema,
  type TurnStatus,
  turnOutcomeSchema,
  turnStatuses,
} from "../../src/chat/session.js";
import { type ChatMessage, chatMessageSchema, type ModelReply } from "../../src/conversation/message.js";
import { type SupervisionState, supervisionStateSchema, withoutTexts } from "../../src/supervision/state.js";
import { ParsedTexts } from "../kit/parsed-texts.js";
import { AnswerStore } from "./answer-store.js";
import { TraceStore } from "./trace-store.js";
import { type NewTurn, readTurn, type TurnRecord, type TurnRow } from "./turn-rows.js";
import { VersionStore } from "./version-store.js";

export interface SessionRecord {
  readonly tenantId: string;
  readonly sessionId: string;
  readonly definition: SessionDefinition;
  readonly salt: string;
  readonly createdAt: number;
}

/** Turns that have not ended: the index of them has this condition, word by word. */
const isOpen = "status IN ('queued', 'running', 'waiting')";

/** How many messages of the history are read at most; the prompt's token budget decides among them. */
const historyRows = 60;

export class ChatSessionStore {
  readonly versions: VersionStore;
  readonly answers: AnswerStore;
  readonly trace: TraceStore;

  /** The session, once it was read. */
  private known: SessionRecord | undefined;
  private readonly outcomes = new ParsedTexts(turnOutcomeSchema);
  private readonly messageBodies = new ParsedTexts(chatMessageSchema);
  private readonly states = new ParsedTexts(supervisionStateSchema);

  constructor(private readonly sql: SqlStorage) {
    this.versions = new VersionStore(sql);
    this.answers = new AnswerStore(sql);
    this.trace = new TraceStore(sql);
  }

  createSession(record: SessionRecord): void {
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

  /** To be called when a write that changed the session failed: what was read within it doesn't hold. */
  forgetKnown(): void {
    this.known = undefined;
  }

  private readSession(): SessionRecord {
    const row = this.sql
      .exec<{
        tenant_id: string;
        session_id: string;
        definition: string;
        salt: string;
        created_at: number;
      }>("SELECT tenant_id, session_id, definition, salt, created_at FROM session")
      .one();
    return {
      tenantId: row.tenant_id,
      sessionId: row.session_id,
      definition: sessionDefinitionSchema.parse(JSON.parse(row.definition)),
      salt: row.salt,
      createdAt: row.created_at,
    };
  }

  /** The conversation of a chat channel that shows what happens here, as JSON. */
  conversation(): string | undefined {
    return (
      this.sql.exec<{ conversation: string | null }>("SELECT conversation FROM session").one().conversation ?? undefined
    );
  }

  setConversation(conversation: string): void {
    this.sql.exec("UPDATE session SET conversation = ?", conversation);
  }

  /** When what the list shows of it changed last. */
  updatedAt(): number {
    return this.sql.exec<{ at: number }>("SELECT COALESCE(updated_at, created_at) AS at FROM session").one().at;
  }

  setDefinition(definition: SessionDefinition): void {
    this.known = undefined;
    this.sql.exec("UPDATE session SET definition = ?", JSON.stringify(definition));
  }

  touch(at: number): void {
    this.sql.exec("UPDATE session SET updated_at = ?", at);
  }

  addTurn(turn: NewTurn): void {
    this.sql.exec(
      `INSERT INTO turns (turn_id, idempotency_key, request_hash, status, message_id, reply_id, original, accepted_at,
         message_salt, reply_salt, speaker, metadata, key_id, sent_by, request)
       VALUES (?, ?, ?, 'queued', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      turn.turnId,
      turn.idempotencyKey,
      turn.requestHash,
      turn.messageId,
      turn.replyId,
      turn.content,
      turn.at,
      turn.messageSalt,
      turn.replySalt,
      turn.speaker ?? null,
      turn.metadata === undefined ? null : JSON.stringify(turn.metadata),
      turn.keyId ?? null,
      JSON.stringify(turn.sender),
      turn.request === undefined ? null : JSON.stringify(turn.request),
    );
  }

  turn(turnId: string): TurnRecord | undefined {
    return this.turns("WHERE turn_id = ?", turnId)[0];
  }

  /** The turn that a message was sent for, that it is the reply of, or one of whose asks it answers. */
  turnOfMessage(messageId: string): TurnRecord | undefined {
    const answered = "SELECT turn_id FROM answer_messages WHERE message_id = ?1";
    return this.turns(`WHERE message_id = ?1 OR reply_id = ?1 OR turn_id = (${answered})`, messageId)[0];
  }

  /** The newest turn. */
  lastTurn(): { turnId: string; status: TurnStatus } | undefined {
    const query = "SELECT turn_id, status FROM turns ORDER BY seq DESC LIMIT 1";
    const [row] = this.sql.exec<{ turn_id: string; status: string }>(query).toArray();
    return row === undefined ? undefined : { turnId: row.turn_id, status: z.enum(turnStatuses).parse(row.status) };
  }

  turnByKey(idempotencyKey: string): TurnRecord | undefined {
    return this.turns("WHERE idempotency_key = ?", idempotencyKey)[0];
  }

  /** The oldest turn that is queued, running or waiting: the one that counts. */
  currentTurn(): TurnRecord | undefined {
    return this.turns(`WHERE ${isOpen} ORDER BY seq LIMIT 1`)[0];
  }

  queuedTurns(): number {
    return this.sql.exec<{ n: number }>(`SELECT COUNT(*) AS n FROM turns WHERE ${isOpen} AND status = 'queued'`).one()
      .n;
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
    // What other sessions hold of the conversation is theirs to keep, and to erase.
    this.sql.exec(
      `UPDATE turns SET status = ?, outcome = ?, ended_at = ?, partial = NULL, request = json_remove(request, '$.carried')
       WHERE turn_id = ?`,
      status,
      JSON.stringify(outcome),
      at,
      turnId,
    );
  }

  /** What a turn that waits shows of its reply. */
  setPartial(turnId: string, reply: ModelReply | undefined): void {
    const partial = reply === undefined ? null : JSON.stringify(reply);
    this.sql.exec("UPDATE turns SET partial = ? WHERE turn_id = ?", partial, turnId);
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
    const { failure, ...kept } = turn.outcome;
    const outcome: StoredOutcome = {
      ...kept,
      ...(message.erased || failure === undefined ? {} : { failure }),
      ...replaced,
    };
    this.sql.exec("UPDATE turns SET outcome = ? WHERE turn_id = ?", JSON.stringify(outcome), turn.turnId);
  }

  /** What a turn keeps beside the message itself: what was sent, its digest for repetitions, the salt. */
  forgetText({ turnId, messageId, replyId }: TurnRecord, erased: string): void {
    const message =
      "UPDATE turns SET original = '', request_hash = '', message_salt = NULL, speaker = NULL, metadata = NULL, request = NULL WHERE turn_id = ?";
    if (erased === messageId) this.sql.exec(message, turnId);
    else if (erased === replyId) this.sql.exec("UPDATE turns SET reply_salt = NULL WHERE turn_id = ?", turnId);
    else this.answers.forgetText(erased);
  }

  messagesAfter(seq: number, limit: number): { seq: number; message: ChatMessage }[] {
    return this.messages("WHERE seq > ? ORDER BY seq LIMIT ?", seq, limit);
  }

  /** The newest effective messages said before this turn, oldest first: as many as a prompt can use, however long the session. */
  history(turnId: string): HistoryMessage[] {
    const where = "WHERE in_history = 1 AND turn_id <> ? ORDER BY seq DESC LIMIT ?";
    const messages = this.messages(where, turnId, historyRows).map(({ message }) => message);
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
    const [newest] = this.messages(
      "WHERE role = 'assistant' AND in_history = 1 AND turn_id <> ? ORDER BY seq DESC LIMIT 1",
      turnId,
    );
    return newest?.message.role === "assistant" ? newest.message.modelReply : undefined;
  }

  addPass(turnId: string, state: SupervisionState, at: number): void {
    this.sql.exec("INSERT INTO passes (turn_id, at, state) VALUES (?, ?, ?)", turnId, at, JSON.stringify(state));
  }

  /** What became of a pass that was held for a review. Of passes that are alike, any one is it. */
  replacePass(turnId: string, before: SupervisionState, after: SupervisionState): void {
    this.sql.exec(
      "UPDATE passes SET state = ? WHERE seq = (SELECT seq FROM passes WHERE turn_id = ? AND state = ? ORDER BY seq LIMIT 1)",
      JSON.stringify(after),
      turnId,
      JSON.stringify(before),
    );
  }

  /** Reasons as they were given may quote the text: when it is erased, they go. */
  forgetPassTexts(turnId: string): void {
    for (const { seq, state } of this.passes("WHERE turn_id = ? ORDER BY seq", turnId)) {
      this.sql.exec("UPDATE passes SET state = ? WHERE seq = ?", JSON.stringify(withoutTexts(state)), seq);
    }
  }

  passesAfter(seq: number, limit: number): { seq: number; turnId: string; at: number; state: SupervisionState }[] {
    return this.passes("WHERE seq > ? ORDER BY seq LIMIT ?", seq, limit);
  }

  passesOfTurn(turnId: string): SupervisionState[] {
    return this.passes("WHERE turn_id = ? ORDER BY seq", turnId).map(({ state }) => state);
  }

  private turns(where: string, ...bindings: string[]): TurnRecord[] {
    return this.sql
      .exec<TurnRow>(
        `SELECT seq, turn_id, request_hash, status, message_id, reply_id, original, accepted_at, ended_at, crashes,
           outcome, message_salt, reply_salt, sent_by, speaker, metadata, key_id, partial, request
         FROM turns ${where}`,
        ...bindings,
      )
      .toArray()
      .map((row) => readTurn(row, this.outcomes));
  }

  private messages(rest: string, ...bindings: (string | number)[]): { seq: number; message: ChatMessage }[] {
    return this.sql
      .exec<{ seq: number; body: string }>(`SELECT seq, body FROM messages ${rest}`, ...bindings)
      .toArray()
      .map(({ seq, body }) => ({ seq, message: this.messageBodies.read(body) }));
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
        state: this.states.read(row.state),
      }));
  }
}
