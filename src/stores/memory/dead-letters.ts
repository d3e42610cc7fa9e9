/** Flushes that the queue gave up on: kept, listed, and sent again. */
import { z } from "zod";
import type { DeadLetter } from "../../memory/dead-letter.js";
import type { FlushJob } from "../../memory/memory.js";
import type { Database } from "../database.js";

const row = z
  .object({
    dead_letter_id: z.string(),
    thread_id: z.string(),
    from_seq: z.int(),
    to_seq: z.int(),
    reason: z.string(),
    status: z.enum(["dead", "retried"]),
    created_at: z.string(),
    retried_at: z.string().nullable(),
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
      ...(stored.retried_at === null ? {} : { retriedAt: stored.retried_at }),
    }),
  );

export class DeadLetters {
  constructor(
    private readonly db: Database,
    private readonly now: () => number,
  ) {}

  /** Keeps a job; delivered twice, it is kept once. A tenant that is gone takes its jobs with it. */
  async keep(messageId: string, job: FlushJob, reason: string): Promise<void> {
    await this.db
      .prepare(
        `INSERT INTO memory_dead_letters (tenant_id, memory_id, dead_letter_id, thread_id, from_seq, to_seq, reason, status, created_at)
         SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, 'dead', ?8
         WHERE EXISTS (SELECT 1 FROM memories WHERE tenant_id = ?1 AND memory_id = ?2)
         ON CONFLICT DO NOTHING`,
      )
      .bind(
        job.tenantId,
        job.memoryId,
        `dlq_${messageId}`,
        job.threadId,
        job.fromSeq,
        job.toSeq,
        reason.slice(0, 1_000),
        this.present(),
      )
      .run();
  }

  async list(tenantId: string, memoryId: string, after: string, limit: number): Promise<DeadLetter[]> {
    const { results } = await this.db
      .prepare(
        `SELECT * FROM memory_dead_letters WHERE tenant_id = ? AND memory_id = ? AND dead_letter_id > ? ORDER BY dead_letter_id LIMIT ?`,
      )
      .bind(tenantId, memoryId, after, limit)
      .all();
    return results.map((stored) => row.parse(stored));
  }

  async get(tenantId: string, memoryId: string, deadLetterId: string): Promise<DeadLetter | undefined> {
    const stored = await this.db
      .prepare("SELECT * FROM memory_dead_letters WHERE tenant_id = ? AND memory_id = ? AND dead_letter_id = ?")
      .bind(tenantId, memoryId, deadLetterId)
      .first();
    return stored === null ? undefined : row.parse(stored);
  }

  async retried(tenantId: string, memoryId: string, deadLetterId: string): Promise<void> {
    await this.db
      .prepare(
        `UPDATE memory_dead_letters SET status = 'retried', retried_at = ? WHERE tenant_id = ? AND memory_id = ? AND dead_letter_id = ?`,
      )
      .bind(this.present(), tenantId, memoryId, deadLetterId)
      .run();
  }

  /** Those of a thread (or of all) that nobody has sent again. */
  async open(tenantId: string, memoryId: string, threadId: string | undefined): Promise<DeadLetter[]> {
    const { results } = await this.db
      .prepare(
        `SELECT * FROM memory_dead_letters WHERE tenant_id = ?1 AND memory_id = ?2 AND status = 'dead' AND (?3 IS NULL OR thread_id = ?3)
         ORDER BY dead_letter_id LIMIT 50`,
      )
      .bind(tenantId, memoryId, threadId ?? null)
      .all();
    return results.map((stored) => row.parse(stored));
  }

  private present(): string {
    return new Date(this.now()).toISOString();
  }
}
