/** The SQL of a memory thread. No rules: what a row means is decided elsewhere. */
import { type ControlState, type FlushRange, newThreadMarks, type ThreadMarks } from "../../src/memory/control.js";
import type { ThreadMessage } from "../../src/memory/memory.js";
import { exec } from "../../src/platform/sql.js";
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
    exec(this.sql)`INSERT INTO thread (one, tenant_id, memory_id, thread_id, marks, control)
      VALUES (1, ${identity.tenantId}, ${identity.memoryId}, ${identity.threadId}, ${JSON.stringify(newThreadMarks)},
        'START_SESSION')`;
  }

  thread(): ThreadRecord {
    return threadRow.parse(exec(this.sql)`SELECT * FROM thread`.one());
  }

  setMarks(marks: ThreadMarks, control: ControlState): void {
    exec(this.sql)`UPDATE thread SET marks = ${JSON.stringify(marks)}, control = ${control}`;
  }

  addMessage(message: ThreadMessage): void {
    exec(this.sql)`
      INSERT INTO messages (seq, entry_id, role, speaker, content, occurred_at, control, epoch, vouched_by)
      VALUES (${message.seq}, ${message.entryId}, ${message.role}, ${message.speaker}, ${message.content},
        ${message.occurredAt}, ${message.control}, ${message.epoch},
        ${message.vouchedBy === undefined ? null : JSON.stringify(message.vouchedBy)})`;
  }

  batch(idempotencyKey: string): BatchRecord | undefined {
    return this.batches("WHERE idempotency_key = ?", idempotencyKey)[0];
  }

  /** Those of which no message comes after this one. */
  batchesUpTo(seq: number): BatchRecord[] {
    return this.batches("WHERE to_seq <= ? ORDER BY to_seq", seq);
  }

  addBatch(idempotencyKey: string, requestHash: string, { fromSeq, toSeq }: FlushRange): void {
    exec(this.sql)`INSERT INTO batches (idempotency_key, request_hash, from_seq, to_seq)
      VALUES (${idempotencyKey}, ${requestHash}, ${fromSeq}, ${toSeq})`;
  }

  /** Entries of batches with the key of a message or of one of its edits, other than the one that is kept; erased ones are left out. */
  entriesOf(messageId: string, kept: string): string[] {
    return exec<{ entry_id: string }>(this.sql)`
      SELECT m.entry_id FROM batches b JOIN messages m ON m.seq BETWEEN b.from_seq AND b.to_seq AND m.erased = 0
      WHERE (b.idempotency_key = ${messageId} OR (b.idempotency_key >= ${messageId} || ':'
        AND b.idempotency_key < ${messageId} || ';')) AND b.idempotency_key <> ${kept}`
      .toArray()
      .map((row) => row.entry_id);
  }

  requestFlush({ fromSeq, toSeq }: FlushRange): void {
    exec(this.sql)`INSERT INTO flushes (to_seq, from_seq) VALUES (${toSeq}, ${fromSeq}) ON CONFLICT DO NOTHING`;
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
    exec(this.sql)`UPDATE flushes SET done = 1, version = ${version} WHERE to_seq = ${toSeq}`;
    exec(this.sql)`
      UPDATE thread SET covered_seq = MAX(covered_seq, ${toSeq}), tool_history = ${JSON.stringify(toolHistory)}`;
  }

  /** Up to where a flush had been asked for after a message; the end of its session came later. */
  requestedAt(seq: number): number {
    return (
      exec<{ requested: number | null }>(this.sql)`
        SELECT MAX(f.to_seq) AS requested FROM flushes f JOIN messages m ON m.seq = f.to_seq
        WHERE f.to_seq < ${seq} OR (f.to_seq = ${seq} AND m.control = 'PROCESS_MESSAGE_AND_FLUSH')`.one().requested ?? 0
    );
  }

  coveredAt(seq: number): number {
    return (
      exec<{ covered: number | null }>(this.sql)`
        SELECT MAX(to_seq) AS covered FROM flushes WHERE done = 1 AND to_seq <= ${seq}`.one().covered ?? 0
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

  /** Behind one, without erased ones, in their order. */
  living(after: number, limit: number): { seq: number; entryId: string }[] {
    return exec<{ seq: number; entryId: string }>(this.sql)`SELECT seq, entry_id AS entryId FROM messages
      WHERE seq > ${after} AND erased = 0 ORDER BY seq LIMIT ${limit}`.toArray();
  }

  /** Entries of messages that were erased. */
  erased(): string[] {
    const rows = exec<{ entry_id: string }>(this.sql)`SELECT entry_id FROM messages WHERE erased = 1`.toArray();
    return rows.map((row) => row.entry_id);
  }

  livingIn({ fromSeq, toSeq }: FlushRange): number {
    return exec<{ n: number }>(this.sql)`
      SELECT COUNT(*) AS n FROM messages WHERE seq BETWEEN ${fromSeq} AND ${toSeq} AND erased = 0`.one().n;
  }

  countDegraded(): number {
    const { n } = exec<{ n: number }>(this.sql)`SELECT COUNT(*) AS n FROM messages WHERE captured = 2`.one();
    return n + this.summaries.countFailed();
  }

  captured(seq: number, degraded: boolean, toolHistory: Calls): void {
    exec(this.sql)`UPDATE messages SET captured = ${degraded ? 2 : 1} WHERE seq = ${seq} AND erased = 0`;
    exec(this.sql)`UPDATE thread SET tool_history = ${JSON.stringify(toolHistory)}`;
    this.findIndexed();
  }

  /** Up to before the first message that is no entry yet; of erased ones there is nothing to wait for. */
  private findIndexed(): void {
    const { first } = exec<{ first: number | null }>(this.sql)`
      SELECT MIN(seq) AS first FROM messages WHERE captured = 0`.one();
    exec(this.sql)`UPDATE thread SET indexed_seq = ${(first ?? this.last() + 1) - 1}`;
  }

  /** Summaries that were made with what is erased now are to be written again by a model, now unless a time is set already. */
  markStale(messages: readonly { seq: number }[], now: number): void {
    for (const { seq } of messages) {
      exec(this.sql)`UPDATE messages SET captured = 2 WHERE seq = ${seq} AND captured = 1 AND erased = 0`;
    }
    const { rewriteAt } = this.thread();
    if (rewriteAt === undefined) this.scheduleRewrite({ at: now, delay: 0, modelDownUntil: 0 });
  }

  /** Leaves the message's place and nothing else; what was journalled may hold it and begins anew. */
  erase(seq: number): void {
    exec(this.sql)`
      UPDATE messages SET content = '', speaker = NULL, vouched_by = NULL, erased = 1, captured = 1 WHERE seq = ${seq}`;
    exec(this.sql)`UPDATE batches SET request_hash = '' WHERE ${seq} BETWEEN from_seq AND to_seq`;
    this.findIndexed();
    this.forgetWork();
  }

  /** What was journalled begins anew. */
  forgetWork(): void {
    this.forgetSteps();
    exec(this.sql)`UPDATE thread SET tool_history = '[]'`;
  }

  /** All steps of all work, done or not. */
  forgetSteps(): void {
    exec(this.sql)`DELETE FROM journal`;
  }

  /** Notes how many deletions there were in the memory. True when there were others since the last time. */
  knowErasures(erasures: number): boolean {
    return (
      exec(this.sql)`UPDATE thread SET erasures = ${erasures} WHERE erasures < ${erasures} RETURNING 1`.toArray()
        .length > 0
    );
  }

  setIndexed(seq: number): void {
    exec(this.sql)`UPDATE thread SET indexed_seq = MAX(indexed_seq, ${seq})`;
  }

  setFailure(failure: string | undefined): void {
    exec(this.sql)`UPDATE thread SET failure = ${failure}`;
  }

  setDegradedFrom(seq: number | undefined): void {
    exec(this.sql)`UPDATE thread SET degraded_from = ${seq}`;
  }

  scheduleRewrite(rewrite: { at: number | undefined; delay: number; modelDownUntil: number }): void {
    exec(this.sql)`UPDATE thread
      SET redo_at = ${rewrite.at}, redo_delay = ${rewrite.delay}, model_down_until = ${rewrite.modelDownUntil}`;
  }

  setRebuildDue(due: boolean): void {
    exec(this.sql)`UPDATE thread SET rebuild_due = ${due ? 1 : 0}`;
  }

  setExtractsDue(due: boolean): void {
    exec(this.sql)`UPDATE thread SET extracts_due = ${due ? 1 : 0}`;
  }

  countRewrite(): number {
    return exec<{ redo_count: number }>(
      this.sql,
    )`UPDATE thread SET redo_count = redo_count + 1 RETURNING redo_count`.one().redo_count;
  }

  private last(): number {
    return exec<{ last: number | null }>(this.sql)`SELECT MAX(seq) AS last FROM messages`.one().last ?? 0;
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
