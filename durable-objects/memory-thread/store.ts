/** The SQL of a memory thread. No rules: what a row means is decided elsewhere. */
import { type ControlState, type FlushRange, newThreadMarks, type ThreadMarks } from "../../src/memory/control.js";
import type { ThreadMessage } from "../../src/memory/memory.js";
import { DueSummaries } from "./due-summaries.js";
import { type Calls, messageRow, type ThreadRecord, threadRow } from "./rows.js";

export interface FlushRecord extends FlushRange {
  readonly version: number | undefined;
}

type BatchRecord = { idempotencyKey: string; requestHash: string; fromSeq: number; toSeq: number };

export class MemoryThreadStore {
  readonly summaries: DueSummaries;

  constructor(private readonly sql: SqlStorage) {
    this.summaries = new DueSummaries(sql);
  }

  create(identity: { tenantId: string; memoryId: string; threadId: string }): void {
    this.sql.exec(
      "INSERT INTO thread (one, tenant_id, memory_id, thread_id, marks, control) VALUES (1, ?, ?, ?, ?, 'START_SESSION')",
      identity.tenantId,
      identity.memoryId,
      identity.threadId,
      JSON.stringify(newThreadMarks),
    );
  }

  thread(): ThreadRecord {
    return threadRow.parse(this.sql.exec("SELECT * FROM thread").one());
  }

  setMarks(marks: ThreadMarks, control: ControlState): void {
    this.sql.exec("UPDATE thread SET marks = ?, control = ?", JSON.stringify(marks), control);
  }

  addMessage(message: ThreadMessage): void {
    this.sql.exec(
      `INSERT INTO messages (seq, entry_id, role, speaker, content, occurred_at, control, epoch, vouched_by)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      message.seq,
      message.entryId,
      message.role,
      message.speaker ?? null,
      message.content,
      message.occurredAt,
      message.control,
      message.epoch,
      message.vouchedBy === undefined ? null : JSON.stringify(message.vouchedBy),
    );
  }

  batch(idempotencyKey: string): BatchRecord | undefined {
    return this.batches("WHERE idempotency_key = ?", idempotencyKey)[0];
  }

  /** Those of which no message comes after this one. */
  batchesUpTo(seq: number): BatchRecord[] {
    return this.batches("WHERE to_seq <= ? ORDER BY to_seq", seq);
  }

  addBatch(idempotencyKey: string, requestHash: string, { fromSeq, toSeq }: FlushRange): void {
    this.sql.exec(
      "INSERT INTO batches (idempotency_key, request_hash, from_seq, to_seq) VALUES (?, ?, ?, ?)",
      idempotencyKey,
      requestHash,
      fromSeq,
      toSeq,
    );
  }

  /** Entries of batches with the key of a message or of one of its edits, other than the one that is kept; erased ones are left out. */
  entriesOf(messageId: string, kept: string): string[] {
    return this.sql
      .exec<{ entry_id: string }>(
        `SELECT m.entry_id FROM batches b JOIN messages m ON m.seq BETWEEN b.from_seq AND b.to_seq AND m.erased = 0
         WHERE (b.idempotency_key = ?1 OR (b.idempotency_key >= ?1 || ':' AND b.idempotency_key < ?1 || ';'))
           AND b.idempotency_key <> ?2`,
        messageId,
        kept,
      )
      .toArray()
      .map((row) => row.entry_id);
  }

  requestFlush({ fromSeq, toSeq }: FlushRange): void {
    this.sql.exec("INSERT INTO flushes (to_seq, from_seq) VALUES (?, ?) ON CONFLICT DO NOTHING", toSeq, fromSeq);
  }

  /** The oldest that isn't done. */
  openFlush(): FlushRecord | undefined {
    return this.flushes("WHERE done = 0 ORDER BY to_seq LIMIT 1")[0];
  }

  /** The one that was asked for with this message. */
  flushTo(toSeq: number): FlushRecord | undefined {
    return this.flushes("WHERE to_seq = ?", toSeq)[0];
  }

  flushDone(toSeq: number, version: number | undefined, toolHistory: Calls): void {
    this.sql.exec("UPDATE flushes SET done = 1, version = ? WHERE to_seq = ?", version ?? null, toSeq);
    this.sql.exec(
      "UPDATE thread SET covered_seq = MAX(covered_seq, ?), tool_history = ?",
      toSeq,
      JSON.stringify(toolHistory),
    );
  }

  /** Up to where a flush had been asked for after a message; the end of its session came later. */
  requestedAt(seq: number): number {
    return (
      this.sql
        .exec<{ requested: number | null }>(
          `SELECT MAX(f.to_seq) AS requested FROM flushes f JOIN messages m ON m.seq = f.to_seq
           WHERE f.to_seq < ?1 OR (f.to_seq = ?1 AND m.control = 'PROCESS_MESSAGE_AND_FLUSH')`,
          seq,
        )
        .one().requested ?? 0
    );
  }

  coveredAt(seq: number): number {
    return (
      this.sql
        .exec<{ covered: number | null }>(
          "SELECT MAX(to_seq) AS covered FROM flushes WHERE done = 1 AND to_seq <= ?",
          seq,
        )
        .one().covered ?? 0
    );
  }

  uncaptured(limit: number): ThreadMessage[] {
    return this.messages("WHERE captured = 0 ORDER BY seq LIMIT ?", limit);
  }

  degraded(limit: number): ThreadMessage[] {
    return this.messages("WHERE captured = 2 ORDER BY seq LIMIT ?", limit);
  }

  /** The newest up to a number, oldest first; erased ones are left out. */
  window(upTo: number, limit: number): ThreadMessage[] {
    return this.messages("WHERE seq <= ? AND erased = 0 ORDER BY seq DESC LIMIT ?", upTo, limit).reverse();
  }

  range({ fromSeq, toSeq }: FlushRange): ThreadMessage[] {
    return this.messages("WHERE seq BETWEEN ? AND ? ORDER BY seq", fromSeq, toSeq);
  }

  byEntry(entryId: string): ThreadMessage | undefined {
    return this.messages("WHERE entry_id = ?", entryId)[0];
  }

  /** The next messages after the one of an entry, without erased ones; `undefined` when there is no such entry. */
  after(entryId: string, limit: number): ThreadMessage[] | undefined {
    const entry = this.byEntry(entryId);
    if (entry === undefined) return undefined;
    return this.messages("WHERE seq > ? AND seq <= ? AND erased = 0 ORDER BY seq", entry.seq, entry.seq + limit);
  }

  livingIn({ fromSeq, toSeq }: FlushRange): number {
    return this.sql
      .exec<{ n: number }>(
        "SELECT COUNT(*) AS n FROM messages WHERE seq BETWEEN ? AND ? AND erased = 0",
        fromSeq,
        toSeq,
      )
      .one().n;
  }

  countDegraded(): number {
    const { n } = this.sql.exec<{ n: number }>("SELECT COUNT(*) AS n FROM messages WHERE captured = 2").one();
    return n + this.summaries.countFailed();
  }

  captured(seq: number, degraded: boolean, toolHistory: Calls): void {
    this.sql.exec("UPDATE messages SET captured = ? WHERE seq = ? AND erased = 0", degraded ? 2 : 1, seq);
    this.sql.exec("UPDATE thread SET tool_history = ?", JSON.stringify(toolHistory));
    this.findIndexed();
  }

  /** Up to before the first message that is no entry yet; of erased ones there is nothing to wait for. */
  private findIndexed(): void {
    const { first } = this.sql
      .exec<{ first: number | null }>("SELECT MIN(seq) AS first FROM messages WHERE captured = 0")
      .one();
    this.sql.exec("UPDATE thread SET indexed_seq = ?", (first ?? this.last() + 1) - 1);
  }

  /** Summaries that were made with what is erased now are to be written again by a model, now unless a time is set already. */
  markStale(messages: readonly { seq: number }[], now: number): void {
    for (const { seq } of messages) {
      this.sql.exec("UPDATE messages SET captured = 2 WHERE seq = ? AND captured = 1 AND erased = 0", seq);
    }
    const { rewriteAt } = this.thread();
    if (rewriteAt === undefined) this.scheduleRewrite({ at: now, delay: 0, modelDownUntil: 0 });
  }

  /** Leaves the message's place and nothing else; what was journalled may hold it and begins anew. */
  erase(seq: number): void {
    this.sql.exec(
      "UPDATE messages SET content = printf('%.*c', length(CAST(content AS BLOB)), '#') WHERE seq = ?",
      seq,
    );
    this.sql.exec(
      "UPDATE messages SET content = '', speaker = NULL, vouched_by = NULL, erased = 1, captured = 1 WHERE seq = ?",
      seq,
    );
    this.sql.exec("UPDATE batches SET request_hash = '' WHERE ? BETWEEN from_seq AND to_seq", seq);
    this.findIndexed();
    this.forgetWork();
  }

  /** What was journalled begins anew. */
  forgetWork(): void {
    this.forgetSteps();
    this.sql.exec("UPDATE thread SET tool_history = '[]'");
  }

  /** All steps of all work, done or not. */
  forgetSteps(): void {
    this.sql.exec("DELETE FROM journal");
  }

  /** Notes how many deletions there were in the memory. True when there were others since the last time. */
  knowErasures(erasures: number): boolean {
    return (
      this.sql.exec("UPDATE thread SET erasures = ?1 WHERE erasures < ?1 RETURNING 1", erasures).toArray().length > 0
    );
  }

  setIndexed(seq: number): void {
    this.sql.exec("UPDATE thread SET indexed_seq = MAX(indexed_seq, ?)", seq);
  }

  setFailure(failure: string | undefined): void {
    this.sql.exec("UPDATE thread SET failure = ?", failure ?? null);
  }

  setDegradedFrom(seq: number | undefined): void {
    this.sql.exec("UPDATE thread SET degraded_from = ?", seq ?? null);
  }

  scheduleRewrite(rewrite: { at: number | undefined; delay: number; modelDownUntil: number }): void {
    this.sql.exec(
      "UPDATE thread SET redo_at = ?, redo_delay = ?, model_down_until = ?",
      rewrite.at ?? null,
      rewrite.delay,
      rewrite.modelDownUntil,
    );
  }

  setRebuildDue(due: boolean): void {
    this.sql.exec("UPDATE thread SET rebuild_due = ?", due ? 1 : 0);
  }

  setExtractsDue(due: boolean): void {
    this.sql.exec("UPDATE thread SET extracts_due = ?", due ? 1 : 0);
  }

  countRewrite(): number {
    return this.sql
      .exec<{ redo_count: number }>("UPDATE thread SET redo_count = redo_count + 1 RETURNING redo_count")
      .one().redo_count;
  }

  private last(): number {
    return this.sql.exec<{ last: number | null }>("SELECT MAX(seq) AS last FROM messages").one().last ?? 0;
  }

  private batches(where: string, binding: string | number): BatchRecord[] {
    const columns =
      "idempotency_key AS idempotencyKey, request_hash AS requestHash, from_seq AS fromSeq, to_seq AS toSeq";
    return this.sql.exec<BatchRecord>(`SELECT ${columns} FROM batches ${where}`, binding).toArray();
  }

  private flushes(where: string, ...bindings: number[]): FlushRecord[] {
    return this.sql
      .exec<{ from_seq: number; to_seq: number; version: number | null }>(
        `SELECT from_seq, to_seq, version FROM flushes ${where}`,
        ...bindings,
      )
      .toArray()
      .map((row) => ({ fromSeq: row.from_seq, toSeq: row.to_seq, version: row.version ?? undefined }));
  }

  private messages(rest: string, ...bindings: (string | number)[]): ThreadMessage[] {
    return this.sql
      .exec(
        `SELECT seq, entry_id, role, speaker, content, occurred_at, control, epoch, vouched_by FROM messages ${rest}`,
        ...bindings,
      )
      .toArray()
      .map((row) => messageRow.parse(row));
  }
}
