/** In D1: what there is of a person, by kind; what takes their name's place in what is kept; and the jobs that do it. */
import { z } from "zod";
import { all, batch, type Database, first, hasChanged, listed, raw, run, type Sql, sql } from "../platform/sql.js";
import type { JobDefinition, SubjectJob } from "../tenancy/subjects.js";
import { subjectJobSchema } from "../tenancy/subjects.js";
import { forgetInArchive } from "./archive/audit-archive.js";
import { insertResourceAct } from "./audit-log.js";
import { text, textOrNull } from "./columns.js";
import {
  actsOf,
  byBytes,
  idsOf,
  keysOf,
  renamedActor,
  type SubjectRef,
  scopesOf,
  sendersOf,
  withoutReasons,
} from "./subject-names.js";
import { tellTenant } from "./tenant-events.js";

export interface Renamed extends SubjectRef {
  /** Stands for the subject from now on. */
  readonly pseudonym: string;
}

const countRow = z.object({ n: z.number() });
const idRow = z.object({ id: text });
const jobRow = z.object({ subject: textOrNull, body: text });
const atRow = z.object({ at: z.number() });

/** Rows of usage that one statement looks through. */
const usageSlice = 20_000;

/** Tables whose rows are a person's by their column `subject`, which are erased whole. Those of roots go with their objects. */
export type SubjectTable = "sessions" | "runs" | "roundtables" | "memories" | "asks" | "decisions";

const idColumns = { sessions: "session_id", runs: "run_id", roundtables: "roundtable_id" } as const;

/** Tables in which a person is named by a column. */
const subjectTables = [
  ...["sessions", "runs", "roundtables", "memories", "asks", "decisions"],
  ...["usage", "revoked_subjects", "subject_jobs"],
];

export class SubjectStore {
  constructor(private readonly db: Database) {}

  /** Rows of a table that are theirs. */
  async count({ tenantId, subject }: SubjectRef, table: SubjectTable | "usage" | "subject_jobs"): Promise<number> {
    return this.counted(
      sql`SELECT COUNT(*) AS n FROM ${raw(table)} WHERE tenant_id = ${tenantId} AND subject = ${subject}`,
    );
  }

  /** Ids of roots that are theirs, sessions of one turn included. */
  async rootIds({ tenantId, subject }: SubjectRef, table: keyof typeof idColumns, limit: number): Promise<string[]> {
    const id = raw(idColumns[table]);
    const rows = await all(
      this.db,
      idRow,
    )`SELECT ${id} AS id FROM ${raw(table)} INDEXED BY ${raw(`${table}_by_subject`)}
      WHERE tenant_id = ${tenantId} AND subject = ${subject} ORDER BY ${id} LIMIT ${limit}`;
    return rows.map((row) => row.id);
  }

  /** The next of their roots behind one, for reading. */
  async rootAfter(
    { tenantId, subject }: SubjectRef,
    table: keyof typeof idColumns,
    after: string,
  ): Promise<string | undefined> {
    const id = raw(idColumns[table]);
    const row = await first(
      this.db,
      idRow,
    )`SELECT ${id} AS id FROM ${raw(table)} INDEXED BY ${raw(`${table}_by_subject`)}
      WHERE tenant_id = ${tenantId} AND subject = ${subject} AND ${id} > ${after} ORDER BY ${id} LIMIT 1`;
    return row?.id;
  }

  /** Takes rows away that no object holds. @returns how many */
  async erase({ tenantId, subject }: SubjectRef, table: "asks" | "decisions"): Promise<number> {
    return run(this.db)`DELETE FROM ${raw(table)} WHERE tenant_id = ${tenantId} AND subject = ${subject}`;
  }

  /** The copies of a root whose object is empty. */
  async forgetRoot(tenantId: string, table: keyof typeof idColumns, id: string): Promise<void> {
    await batch(this.db, [
      sql`DELETE FROM feedback WHERE tenant_id = ${tenantId} AND session_id = ${id}`,
      sql`DELETE FROM decisions WHERE tenant_id = ${tenantId} AND owner_id = ${id}`,
      sql`DELETE FROM asks INDEXED BY asks_of_owner WHERE tenant_id = ${tenantId} AND owner_id = ${id}`,
      sql`DELETE FROM ${raw(table)} WHERE tenant_id = ${tenantId} AND ${raw(idColumns[table])} = ${id}`,
    ]);
  }

  /** The conversation of a chat channel that was theirs, and what could not be delivered to it. */
  async forgetConversation(tenantId: string, channelId: string, conversation: string): Promise<void> {
    await batch(this.db, [
      sql`DELETE FROM channel_conversations
        WHERE channel_id = ${channelId} AND tenant_id = ${tenantId} AND conversation = ${conversation}`,
      sql`DELETE FROM channel_deliveries
        WHERE channel_id = ${channelId} AND tenant_id = ${tenantId} AND conversation = ${conversation}`,
    ]);
  }

  /**
   * Rows of the audit about a root or a memory: who is told by the pseudonym, and reasons go, since a supervisor may quote in them. What was
   * decided, by whom and when stays.
   */
  async renameOwned({ tenantId, subject, pseudonym }: Renamed, ownerId: string): Promise<number> {
    const [renamed] = await batch(this.db, [
      sql`UPDATE audit SET ${withoutReasons}, ${renamedActor(subject, pseudonym)}
        WHERE tenant_id = ${tenantId}
          AND (owner_id = ${ownerId} OR owner_id > ${`${ownerId}/`} AND owner_id < ${`${ownerId}0`})`,
      // What was archived is a reference and words that lie apart from the lines.
      ...forgetInArchive(tenantId, subject, [ownerId]),
    ]);
    return renamed?.meta.changes ?? 0;
  }

  async countActs({ tenantId, subject }: SubjectRef): Promise<number> {
    return this.counted(sql`SELECT COUNT(*) AS n FROM audit WHERE ${actsOf({ tenantId, subject })}`);
  }

  /** What they did elsewhere, and what was done to them. */
  async renameActs({ tenantId, subject, pseudonym }: Renamed): Promise<number> {
    const [acts, done] = await batch(this.db, [
      sql`UPDATE audit SET ${withoutReasons}, ${renamedActor(subject, pseudonym)} WHERE ${actsOf({ tenantId, subject })}`,
      sql`UPDATE audit SET owner_id = ${`subjects/${pseudonym}`}, body = json_set(body, '$.subject.name', ${pseudonym})
        WHERE tenant_id = ${tenantId} AND owner_id = ${`subjects/${subject}`}`,
      ...forgetInArchive(tenantId, subject, []),
    ]);
    return (acts?.meta.changes ?? 0) + (done?.meta.changes ?? 0);
  }

  /**
   * Some rows of usage, in the order of their times.
   * @param from milliseconds since the epoch
   * @returns how many were theirs, and where the next ones begin
   */
  async renameUsage(
    { tenantId, subject, pseudonym }: Renamed,
    from: number,
  ): Promise<{ readonly renamed: number; readonly next: number | undefined }> {
    const next = (
      await first(this.db, atRow)`SELECT at FROM usage INDEXED BY usage_by_time
        WHERE tenant_id = ${tenantId} AND at >= ${from} ORDER BY at LIMIT 1 OFFSET ${usageSlice}`
    )?.at;
    const renamed = await run(this.db)`UPDATE usage INDEXED BY usage_by_time SET subject = ${pseudonym},
        key_id = CASE WHEN key_id IN ${listed(idsOf(subject))} THEN ${pseudonym} ELSE key_id END
      WHERE tenant_id = ${tenantId} AND at >= ${from} AND at <= ${next ?? Number.MAX_SAFE_INTEGER} AND subject = ${subject}`;
    // Many at one time: the next slice begins behind it, and these have all been seen.
    return { renamed, next: next === undefined ? undefined : Math.max(next, from + 1) };
  }

  /** Kept answers to what they sent by a token, and the keys of it. */
  async countKeys(ref: SubjectRef): Promise<number> {
    const [from, to] = keysOf(ref);
    return this.counted(sql`SELECT
      (SELECT COUNT(*) FROM idempotency WHERE scope = ${ref.tenantId} AND idempotency_key >= ${from} AND idempotency_key < ${to})
      + (SELECT COUNT(*) FROM creation_keys WHERE tenant_id = ${ref.tenantId} AND sender IN ${listed(sendersOf(ref))}) AS n`);
  }

  async eraseKeys(ref: SubjectRef): Promise<number> {
    const [from, to] = keysOf(ref);
    const [answers, keys] = await batch(this.db, [
      sql`DELETE FROM idempotency
        WHERE scope = ${ref.tenantId} AND idempotency_key >= ${from} AND idempotency_key < ${to}`,
      sql`DELETE FROM creation_keys WHERE tenant_id = ${ref.tenantId} AND sender IN ${listed(sendersOf(ref))}`,
    ]);
    return (answers?.meta.changes ?? 0) + (keys?.meta.changes ?? 0);
  }

  /** Results of tools are kept for all that a tenant does: nobody knows of one whom it is about. */
  async countResults(tenantId: string): Promise<number> {
    return this.counted(sql`SELECT COUNT(*) AS n FROM tool_results WHERE tenant_id = ${tenantId}`);
  }

  async eraseResults(tenantId: string): Promise<number> {
    return run(this.db)`DELETE FROM tool_results WHERE tenant_id = ${tenantId}`;
  }

  /** What was told of limits that are counted for them. */
  async eraseLimitEvents({ tenantId, subject }: SubjectRef): Promise<number> {
    return run(this.db)`DELETE FROM limit_events
      WHERE tenant_id = ${tenantId} AND json_extract(data, '$.scope') IN ${listed(scopesOf(subject))}`;
  }

  /** Limits, webhooks and keys that an administrator has stored with the subject's name in them. */
  async named({ tenantId, subject }: SubjectRef): Promise<string[]> {
    const rows = await all(this.db, idRow)`
      SELECT 'limit ' || name AS id FROM limits WHERE tenant_id = ${tenantId} AND json_extract(body, '$.match.subject') = ${subject}
      UNION ALL SELECT 'webhook ' || name FROM webhooks
        WHERE tenant_id = ${tenantId} AND json_extract(body, '$.filter.subject') = ${subject}`;
    return rows.map(({ id }) => id);
  }

  /** Tokens are void by this row for as long as any may count. */
  async unrevoke({ tenantId, subject }: SubjectRef): Promise<number> {
    return run(this.db)`DELETE FROM revoked_subjects WHERE tenant_id = ${tenantId} AND subject = ${subject}`;
  }

  /** Stores the copy of a job. @param subject nothing once it is erased */
  async putJob(tenantId: string, subject: string | undefined, job: SubjectJob): Promise<void> {
    const { subject: _, ...shown } = job;
    const body = JSON.stringify(shown);
    await run(this.db)`INSERT INTO subject_jobs (tenant_id, job_id, kind, status, subject, body, created_at)
      VALUES (${tenantId}, ${job.jobId}, ${job.kind}, ${job.status}, ${subject}, ${body}, ${Date.parse(job.createdAt)})
      ON CONFLICT DO UPDATE SET status = excluded.status, subject = excluded.subject, body = excluded.body`;
  }

  async jobs(tenantId: string, before: string | undefined, limit: number): Promise<SubjectJob[]> {
    const rows = await all(this.db, jobRow)`SELECT subject, body FROM subject_jobs
      WHERE tenant_id = ${tenantId} AND job_id < ${before ?? "~"} ORDER BY job_id DESC LIMIT ${limit}`;
    return rows.map(({ subject, body }) =>
      subjectJobSchema().parse({ ...JSON.parse(body), ...(subject !== null && { subject }) }),
    );
  }

  async exportsOf({ tenantId, subject }: SubjectRef): Promise<string[]> {
    const rows = await all(this.db, idRow)`SELECT job_id AS id FROM subject_jobs INDEXED BY subject_jobs_of_subject
      WHERE tenant_id = ${tenantId} AND subject = ${subject} AND kind = 'export' LIMIT 100`;
    return rows.map(({ id }) => id);
  }

  /** An erasure of theirs that goes on, waits, or fails. */
  async unfinishedErasure({ tenantId, subject }: SubjectRef): Promise<string | undefined> {
    const row = await first(this.db, idRow)`SELECT job_id AS id FROM subject_jobs INDEXED BY subject_jobs_of_subject
      WHERE tenant_id = ${tenantId} AND subject = ${subject} AND kind = 'erasure' AND status <> 'completed' LIMIT 1`;
    return row?.id;
  }

  async forgetJob(tenantId: string, jobId: string): Promise<void> {
    await run(this.db)`DELETE FROM subject_jobs WHERE tenant_id = ${tenantId} AND job_id = ${jobId}`;
  }

  /** Erasures that know the subject no more, behind those before them. */
  async forgetNames({ tenantId, subject }: SubjectRef): Promise<void> {
    await run(this.db)`UPDATE subject_jobs SET subject = NULL
      WHERE tenant_id = ${tenantId} AND subject = ${subject} AND kind = 'erasure'`;
  }

  /**
   * Ends an erasure: its row in the audit, in the ledger and for webhooks, once.
   * @param digest tells the subject when a copy of before is restored
   */
  async finished(
    { tenantId, jobId, pseudonym, by, reason }: JobDefinition,
    job: SubjectJob,
    { digest, at, data }: { readonly digest: string; readonly at: number; readonly data: object },
  ): Promise<boolean> {
    const { subject: _, ...shown } = job;
    const [told] = await batch(this.db, [
      tellTenant(tenantId, "subject.erased", jobId, at, data),
      insertResourceAct(tenantId, "subject.erased", { kind: "subjects", name: pseudonym }, { by, at, reason }),
      sql`INSERT INTO erasures (tenant_id, kind, root_id, item_id, at)
        VALUES (${tenantId}, 'subject', ${pseudonym}, ${digest}, ${at}) ON CONFLICT DO NOTHING`,
      sql`UPDATE subject_jobs SET subject = NULL, status = ${job.status}, body = ${JSON.stringify(shown)}
        WHERE tenant_id = ${tenantId} AND job_id = ${jobId}`,
    ]);
    return hasChanged(told);
  }

  /** Subjects that anything is kept of, behind one. */
  async subjects(tenantId: string, after: string, limit: number): Promise<string[]> {
    const own = sql`json_extract(actor, '$.subject')`;
    const named = subjectTables.map(
      (table) => sql`SELECT DISTINCT subject AS id FROM ${raw(table)}
        WHERE tenant_id = ${tenantId} AND subject > ${after} ORDER BY id LIMIT ${limit}`,
    );
    const acted = sql`SELECT DISTINCT ${own} AS id FROM audit WHERE tenant_id = ${tenantId} AND ${own} IS NOT NULL
      AND ${own} > ${after} ORDER BY id LIMIT ${limit}`;
    // One by one: D1 takes few terms in one union.
    const found = await Promise.all([...named, acted].map((query) => all(this.db, idRow)`${query}`));
    const ids = new Set(found.flat().map(({ id }) => id));
    return [...ids].toSorted(byBytes).slice(0, limit);
  }

  private async counted(query: Sql): Promise<number> {
    return (await first(this.db, countRow)`${query}`)?.n ?? 0;
  }
}
