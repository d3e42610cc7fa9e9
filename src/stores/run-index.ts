/** The list of runs in D1. */
import { z } from "zod";
import { batch, type Database, run, sql } from "../platform/sql.js";
import { type RunSummary, runSummarySchema } from "../routing/run.js";
import { byIndex, equals, hasMetadata, newestFirst } from "./list-filter.js";

const copies = { table: "runs", id: "run_id", body: runSummarySchema };
const keyRow = z.object({ run_id: z.string(), request_hash: z.string() });

/** How long a key stands for its run, in milliseconds. */
const keyLifetimeMs = 24 * 3_600_000;

export interface RunFilter {
  readonly status?: RunSummary["status"] | undefined;
  readonly team?: string | undefined;
  readonly subject?: string | undefined;
  readonly externalId?: string | undefined;
  readonly metadata?: Readonly<Record<string, string>> | undefined;
}

/** The copies in D1 of what runs hold, and which run a key stands for. */
export class RunIndex {
  constructor(
    private readonly db: Database,
    private readonly now: () => number,
  ) {}

  /** Newest first. */
  async runs(
    tenantId: string,
    { status, team, subject, externalId, metadata }: RunFilter,
    before: string | undefined,
    limit: number,
  ): Promise<RunSummary[]> {
    const index = byIndex({
      runs_by_external_id: externalId,
      runs_by_subject: subject,
      runs_by_team: team,
      runs_by_status: status,
    });
    const conditions = [...equals({ status, team, subject, external_id: externalId }), ...hasMetadata(metadata)];
    return newestFirst(this.db, copies, tenantId, { conditions, index }, before, limit);
  }

  /** Housekeeping: keys that nobody will send again. */
  async purgeExpired(now: number): Promise<void> {
    await run(this.db)`DELETE FROM run_keys WHERE created_at < ${now - keyLifetimeMs}`;
  }

  /** The run that a key stands for: this one, unless there was one before. */
  async claimKey(
    tenantId: string,
    key: string,
    requestHash: string,
    runId: string,
  ): Promise<{ runId: string; sameRequest: boolean }> {
    const now = this.now();
    const [, , found] = await batch(this.db, [
      sql`DELETE FROM run_keys WHERE created_at < ${now - keyLifetimeMs}`,
      sql`INSERT INTO run_keys (tenant_id, idempotency_key, request_hash, run_id, created_at)
        VALUES (${tenantId}, ${key}, ${requestHash}, ${runId}, ${now}) ON CONFLICT DO NOTHING`,
      sql`SELECT run_id, request_hash FROM run_keys WHERE tenant_id = ${tenantId} AND idempotency_key = ${key}`,
    ]);
    const row = keyRow.parse(found?.results[0]);
    return { runId: row.run_id, sameRequest: row.request_hash === requestHash };
  }
}
