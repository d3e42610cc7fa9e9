/** The list of runs in D1. */
import { z } from "zod";
import { type RunSummary, runSummarySchema } from "../routing/run.js";
import type { Database } from "./database.js";
import { allOf, byIndex, equals, hasMetadata } from "./list-filter.js";

const bodyRow = z.object({ body: z.string() });
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
    const { sql, bindings } = allOf([
      ...equals("status", status),
      ...equals("team", team),
      ...equals("subject", subject),
      ...equals("external_id", externalId),
      ...(before === undefined ? [] : [{ sql: "run_id < ?", bindings: [before] }]),
      ...hasMetadata(metadata),
    ]);
    const index = byIndex({
      runs_by_external_id: externalId,
      runs_by_subject: subject,
      runs_by_team: team,
      runs_by_status: status,
    });
    const { results } = await this.db
      .prepare(`SELECT body FROM runs${index} WHERE tenant_id = ?${sql} ORDER BY run_id DESC LIMIT ?`)
      .bind(tenantId, ...bindings, limit)
      .all();
    return results.map((row) => runSummarySchema.parse(JSON.parse(bodyRow.parse(row).body)));
  }

  /** The run that a key stands for: this one, unless there was one before. */
  async claimKey(
    tenantId: string,
    key: string,
    requestHash: string,
    runId: string,
  ): Promise<{ runId: string; sameRequest: boolean }> {
    const now = this.now();
    const [, , found] = await this.db.batch([
      this.db.prepare("DELETE FROM run_keys WHERE created_at < ?").bind(now - keyLifetimeMs),
      this.db
        .prepare(
          `INSERT INTO run_keys (tenant_id, idempotency_key, request_hash, run_id, created_at) VALUES (?, ?, ?, ?, ?)
           ON CONFLICT DO NOTHING`,
        )
        .bind(tenantId, key, requestHash, runId, now),
      this.db
        .prepare("SELECT run_id, request_hash FROM run_keys WHERE tenant_id = ? AND idempotency_key = ?")
        .bind(tenantId, key),
    ]);
    const row = keyRow.parse(found?.results[0]);
    return { runId: row.run_id, sameRequest: row.request_hash === requestHash };
  }
}
