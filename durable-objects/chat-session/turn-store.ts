/** The SQL of a session's turns. Those that have not ended, and the one that ended last, are kept in memory: nobody else writes them. */
import { type StoredOutcome, type TurnStatus, turnOutcomeSchema } from "../../src/chat/session.js";
import type { ModelReply } from "../../src/conversation/message.js";
import { exec, sql } from "../../src/platform/sql.js";
import { ParsedTexts } from "../kit/parsed-texts.js";
import { type NewTurn, readTurn, type TurnRecord, type TurnRow } from "./turn-rows.js";

/** All turns up to this number have ended. */
const settled = sql`COALESCE((SELECT settled FROM session), 0)`;

/** Turns that have not ended. */
const isOpen = "status IN ('queued', 'running', 'waiting')";

export class TurnStore {
  private readonly outcomes = new ParsedTexts(turnOutcomeSchema());
  /** The oldest first; read when they are asked for. */
  private open: readonly TurnRecord[] | undefined;
  /** The turn with the highest number. */
  private newest: TurnRecord | undefined;
  private endedLast: TurnRecord | undefined;

  constructor(private readonly sql: SqlStorage) {}

  /** A write was rolled back: what was read within it doesn't hold. */
  onRollback(): void {
    this.open = undefined;
    this.newest = undefined;
    this.endedLast = undefined;
  }

  add(turn: NewTurn): void {
    const open = this.allOpen();
    const { seq } = exec<{ seq: number }>(this.sql)`
      INSERT INTO turns (turn_id, idempotency_key, request_hash, status, message_id, reply_id, original, accepted_at,
        message_salt, reply_salt, speaker, metadata, key_id, sent_by, request, first_event, first_pass, first_try)
      VALUES (${turn.turnId}, ${turn.idempotencyKey}, ${turn.requestHash}, ${turn.firstTry ? "running" : "queued"},
        ${turn.messageId}, ${turn.replyId},
        ${turn.content}, ${turn.at}, ${turn.messageSalt}, ${turn.replySalt}, ${turn.speaker},
        ${turn.metadata === undefined ? null : JSON.stringify(turn.metadata)}, ${turn.keyId},
        ${JSON.stringify(turn.sender)}, ${turn.request === undefined ? null : JSON.stringify(turn.request)},
        ${turn.firstEvent}, ${turn.firstPass}, ${turn.firstTry ? 1 : null})
      RETURNING seq`.one();
    const { turnId, requestHash, messageId, replyId, messageSalt, replySalt, speaker, metadata, keyId, request } = turn;
    const { firstTry, firstEvent, firstPass } = turn;
    const added: TurnRecord = {
      seq,
      turnId,
      requestHash,
      messageId,
      replyId,
      messageSalt,
      replySalt,
      speaker,
      metadata,
      keyId,
      request,
      firstTry,
      events: { first: firstEvent, last: undefined },
      passes: { first: firstPass, last: undefined },
      // Whoever reads the row later finds it running.
      status: "queued",
      original: turn.content,
      acceptedAt: turn.at,
      sentBy: turn.sender,
      crashes: 0,
      endedAt: undefined,
      outcome: undefined,
      partial: undefined,
    };
    this.open = [...open, added];
    this.newest = added;
  }

  get(turnId: string): TurnRecord | undefined {
    if (this.endedLast?.turnId === turnId) return this.endedLast;
    const open = this.allOpen().find((turn) => turn.turnId === turnId);
    return open ?? this.read("WHERE turn_id = ?", turnId)[0];
  }

  /** The turn that a message was sent for, that it is the reply of, or one of whose asks it answers. */
  ofMessage(messageId: string): TurnRecord | undefined {
    const answered = "SELECT turn_id FROM answer_messages WHERE message_id = ?1";
    return this.read(`WHERE message_id = ?1 OR reply_id = ?1 OR turn_id = (${answered})`, messageId)[0];
  }

  ofReply(messageId: string): TurnRecord | undefined {
    return this.read("WHERE reply_id = ?", messageId)[0];
  }

  /** The newest turn. */
  last(): TurnRecord | undefined {
    this.newest ??= this.read("ORDER BY seq DESC LIMIT 1")[0];
    return this.newest;
  }

  /** The oldest turn that is queued, running or waiting: the one that counts. */
  current(): TurnRecord | undefined {
    return this.allOpen()[0];
  }

  /** Those that have not ended, the oldest first. */
  unfinished(): readonly TurnRecord[] {
    return this.allOpen();
  }

  /** How many wait for others to end. */
  queued(): number {
    return this.waitingInLine().length;
  }

  /** Those that wait for others to end, the oldest first. */
  waitingInLine(): readonly TurnRecord[] {
    return this.allOpen().slice(1);
  }

  /** The turn that has to end right before this one begins; nothing of one that is the first. */
  before(turnId: string): string | undefined {
    const open = this.allOpen();
    const at = open.findIndex((turn) => turn.turnId === turnId);
    return at < 1 ? undefined : open[at - 1]?.turnId;
  }

  /** All turns up to this number have ended. */
  settledUpTo(): number {
    const oldest = this.current();
    return oldest === undefined ? (this.last()?.seq ?? 0) : oldest.seq - 1;
  }

  /** How many turns there were, and how many of the latest were blocked: at the same cost however long the session is. */
  counts(): { turns: number; blockedOfLast50: number } {
    return exec<{ turns: number; blockedOfLast50: number }>(this.sql)`
      SELECT (SELECT COALESCE(MAX(seq), 0) FROM turns) AS turns, COUNT(*) AS blockedOfLast50
      FROM (SELECT status FROM turns ORDER BY seq DESC LIMIT 50) WHERE status = 'blocked'`.one();
  }

  setStatus(turnId: string, status: TurnStatus): void {
    const { firstTry = false } = this.allOpen().find((turn) => turn.turnId === turnId) ?? {};
    if (firstTry && status === "running") {
      this.change(turnId, { status });
      return;
    }
    exec(this.sql)`UPDATE turns SET status = ${status}, first_try = NULL WHERE turn_id = ${turnId}`;
    this.change(turnId, { status, firstTry: false });
  }

  /** When the first try of a turn began that has had no other, and may be under way. */
  firstTry(turnId: string): number | undefined {
    const turn = this.allOpen().find((one) => one.turnId === turnId);
    return turn?.firstTry ? turn.acceptedAt : undefined;
  }

  /** When the newest of those ended that are looked through for open ones. */
  lastEndedAt(): number {
    return (
      exec<{ at: number | null }>(this.sql)`SELECT MAX(ended_at) AS at FROM turns WHERE seq > ${settled}`.one().at ?? 0
    );
  }

  /** An event of an ended turn came behind its last. */
  extendEvents(turnId: string, seq: number): void {
    const turn = this.get(turnId);
    if (turn?.events?.last === undefined || turn.events.last >= seq) return;
    exec(this.sql)`UPDATE turns SET last_event = ${seq} WHERE turn_id = ${turnId}`;
    this.onRollback();
  }

  /** The same of a pass. */
  extendPasses(turnId: string, seq: number): void {
    const turn = this.get(turnId);
    if (turn?.passes?.last === undefined || turn.passes.last >= seq) return;
    exec(this.sql)`UPDATE turns SET last_pass = ${seq} WHERE turn_id = ${turnId}`;
    this.onRollback();
  }

  /** Turns that were ended by code that doesn't know the numbers of {@link end}. */
  endedByCodeBefore(): string[] {
    return exec<{ turn_id: string }>(this.sql)`
      SELECT turn_id FROM turns INDEXED BY turns_ended_by_code_before WHERE ended_at IS NOT NULL AND last_event IS NULL
      ORDER BY seq`
      .toArray()
      .map(({ turn_id }) => turn_id);
  }

  /** Such a turn gets them: its events may be any, which 0 stands for where the first is unknown. */
  endedBefore(turnId: string, lastPass: number): void {
    exec(
      this.sql,
    )`UPDATE turns SET first_event = NULL, last_event = 0, last_pass = ${lastPass} WHERE turn_id = ${turnId}`;
    this.onRollback();
  }

  /** @param last the numbers of its last event and of the last pass there is */
  end(
    turnId: string,
    status: TurnStatus,
    outcome: StoredOutcome,
    { at, lastEvent, lastPass }: { readonly at: number; readonly lastEvent: number; readonly lastPass: number },
  ): void {
    // What other sessions hold of the conversation is theirs to keep, and to erase.
    exec(this.sql)`UPDATE turns
      SET status = ${status}, outcome = ${JSON.stringify(outcome)}, ended_at = ${at}, partial = NULL,
        last_event = ${lastEvent}, last_pass = ${lastPass}, first_try = NULL,
        request = json_remove(request, '$.carried')
      WHERE turn_id = ${turnId}`;
    const request = withoutCarried(this.get(turnId)?.request);
    const { events, passes } = this.get(turnId) ?? {};
    const spans = { events: events && { ...events, last: lastEvent }, passes: passes && { ...passes, last: lastPass } };
    const ended = this.change(turnId, {
      ...{ status, outcome, endedAt: at, partial: undefined, request, firstTry: false },
      ...spans,
    });
    this.open = this.open?.filter((turn) => turn.turnId !== turnId);
    this.endedLast = ended;
  }

  /** What a turn that waits shows of its reply. */
  setPartial(turnId: string, reply: ModelReply | undefined): void {
    const partial = reply === undefined ? null : JSON.stringify(reply);
    exec(this.sql)`UPDATE turns SET partial = ${partial} WHERE turn_id = ${turnId}`;
    this.change(turnId, { partial: reply });
  }

  setOutcome(turnId: string, outcome: StoredOutcome): void {
    exec(this.sql)`UPDATE turns SET outcome = ${JSON.stringify(outcome)} WHERE turn_id = ${turnId}`;
    this.onRollback();
  }

  /** What replays are answered from may quote any text of the turn. */
  forgetGrounds(turnId: string): void {
    exec(this.sql)`UPDATE turns SET outcome = json_remove(outcome, '$.grounds') WHERE turn_id = ${turnId}`;
    this.onRollback();
  }

  /** What a turn keeps beside its message: what was sent, its digest for repetitions, the salt. */
  forgetMessage(turnId: string, erasedKey: string | undefined): void {
    exec(this.sql)`UPDATE turns
      SET original = '', request_hash = '', idempotency_key = ${erasedKey}, message_salt = NULL, speaker = NULL, metadata = NULL, request = NULL
      WHERE turn_id = ${turnId}`;
    this.onRollback();
  }

  forgetReply(turnId: string): void {
    exec(this.sql)`UPDATE turns SET reply_salt = NULL WHERE turn_id = ${turnId}`;
    this.onRollback();
  }

  private allOpen(): readonly TurnRecord[] {
    // Turns end roughly in their order: what is open stands behind all that is known to have ended.
    this.open ??= this.read(`WHERE seq > COALESCE((SELECT settled FROM session), 0) AND ${isOpen} ORDER BY seq`);
    return this.open;
  }

  /** @returns the turn as it is now, where it is kept */
  private change(turnId: string, change: Partial<TurnRecord>): TurnRecord | undefined {
    let changed: TurnRecord | undefined;
    this.open = this.open?.map((turn) => {
      if (turn.turnId !== turnId) return turn;
      changed = { ...turn, ...change };
      return changed;
    });
    if (changed !== undefined && this.newest?.turnId === turnId) this.newest = changed;
    else if (this.newest?.turnId === turnId) this.newest = undefined;
    return changed;
  }

  private read(where: string, ...bindings: string[]): TurnRecord[] {
    return this.sql
      .exec<TurnRow>(
        `SELECT seq, turn_id, request_hash, status, message_id, reply_id, original, accepted_at, ended_at, crashes,
           outcome, message_salt, reply_salt, sent_by, speaker, metadata, key_id, partial, request,
           first_event, last_event, first_pass, last_pass, first_try
         FROM turns ${where}`,
        ...bindings,
      )
      .toArray()
      .map((row) => readTurn(row, this.outcomes));
  }
}

function withoutCarried(request: TurnRecord["request"]): TurnRecord["request"] {
  if (request === undefined) return undefined;
  const { carried: _, ...kept } = request;
  return kept;
}
