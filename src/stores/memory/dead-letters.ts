/** Flushes that the queue gave up on: kept, listed, and sent again. */
import { z } from "zod";
import { defined } from "../../conversation/defined.js";
import type { DeadLetter, FlushJob } from "../../memory/memory.js";
import { all, type Database, first, run } from "../../platform/sql.js";
import { integer, text, textOrNull } from "../columns.js";

const row = z
  .object({
    dead_letter_id: text,
    thread_id: text,
    from_seq: integer,
    to_seq: integer,
    reason: text,
    status: z.enum(["dead", "retried"]),
    created_at: text,
    retried_at: textOrNull,
  })
  .transform(
    (stored): DeadLetter => ({
      deadLetterId: stored.dead_letter_id,
      threadId: stored.thread_id,
      fromSeq: stored.from_seq,
      toSeq: stored.to_seq,
      reason: stored.reason,
      status: stored.status,
      createdAt: stored.created_at,
      ...defined({ retriedAt: stored.retried_at ?? undefined }),
    }),
  );

export class DeadLetters {
  constructor(
    private readonly db: Database,
    private readonly now: () => number,
  ) {}

  /** Keeps a job; delivered twice, it is kept once. A tenant that is gone takes its jobs with it. */
  async keep(messageId: string, job: FlushJob, reason: string): Promise<void> {
    await run(this.db)`
      INSERT INTO memory_dead_letters (tenant_id, memory_id, dead_letter_id, thread_id, from_seq, to_seq, reason, status,
        created_at)
      SELECT ${job.tenantId}, ${job.memoryId}, ${`dlq_${messageId}`}, ${job.threadId}, ${job.fromSeq}, ${job.toSeq},
        ${reason.slice(0, 1_000)}, 'dead', ${this.present()}
      WHERE EXISTS (SELECT 1 FROM memories WHERE tenant_id = ${job.tenantId} AND memory_id = ${job.memoryId})
      ON CONFLICT DO NOTHING`;
  }

  async list(tenantId: string, memoryId: string, after: string, limit: number): Promise<DeadLetter[]> {
    return all(this.db, row)`SELECT * FROM memory_dead_letters
      WHERE tenant_id = ${tenantId} AND memory_id = ${memoryId} AND dead_letter_id > ${after} ORDER BY dead_letter_id
      LIMIT ${limit}`;
  }

  async get(tenantId: string, memoryId: string, deadLetterId: string): Promise<DeadLetter | undefined> {
    return first(this.db, row)`SELECT * FROM memory_dead_letters
      WHERE tenant_id = ${tenantId} AND memory_id = ${memoryId} AND dead_letter_id = ${deadLetterId}`;
  }

  async retried(tenantId: string, memoryId: string, deadLetterId: string): Promise<void> {
    await run(this.db)`UPDATE memory_dead_letters SET status = 'retried', retried_at = ${this.present()}
      WHERE tenant_id = ${tenantId} AND memory_id = ${memoryId} AND dead_letter_id = ${deadLetterId}`;
  }

  /** Those of a thread (or of all) that nobody has sent again. */
  async open(tenantId: string, memoryId: string, threadId: string | undefined): Promise<DeadLetter[]> {
    return all(this.db, row)`SELECT * FROM memory_dead_letters
      WHERE tenant_id = ${tenantId} AND memory_id = ${memoryId} AND status = 'dead'
        AND (${threadId} IS NULL OR thread_id = ${threadId})
      ORDER BY dead_letter_id LIMIT 50`;
  }

  private present(): string {
    return new Date(this.now()).toISOString();
  }
}
