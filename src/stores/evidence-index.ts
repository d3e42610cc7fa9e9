/** The lists of datasets and evals in D1. */
import type { z } from "zod";
import { type DatasetView, datasetViewSchema, replayPrefix } from "../evidence/dataset.js";
import { type Eval, type EvalStatus, evalSchema } from "../evidence/evaluation.js";
import { type Database, sql } from "../platform/sql.js";
import { bodiesOf, byIndex, equals, newestFirst } from "./list-filter.js";
import { claimingBatch, claimStatements, type WorkClaim } from "./work-claims.js";

export interface EvalFilter {
  readonly dataset?: string | undefined;
  readonly status?: EvalStatus | undefined;
}

export class EvidenceIndex {
  constructor(private readonly db: Database) {}

  /** Those that somebody made, by their names. */
  listed(tenantId: string, after: string | undefined, limit: number): Promise<DatasetView[]> {
    const query = sql`SELECT body FROM datasets WHERE tenant_id = ${tenantId} AND name > ${after ?? ""}
      AND substr(name, 1, ${replayPrefix.length}) <> ${replayPrefix} ORDER BY name LIMIT ${limit}`;
    return bodiesOf(this.db, datasetViewSchema(), query);
  }

  /** All, by their names. */
  datasets(tenantId: string, after: string | undefined, limit: number): Promise<DatasetView[]> {
    const query = sql`SELECT body FROM datasets WHERE tenant_id = ${tenantId} AND name > ${after ?? ""}
      ORDER BY name LIMIT ${limit}`;
    return bodiesOf(this.db, datasetViewSchema(), query);
  }

  /** Newest first. */
  evals(tenantId: string, { dataset, status }: EvalFilter, before: string | undefined, limit: number): Promise<Eval[]> {
    const body: z.ZodType<Eval> = evalSchema();
    const copies = { table: "evals", id: "eval_id", body };
    const conditions = equals({ dataset, status });
    return newestFirst(
      this.db,
      copies,
      tenantId,
      { conditions, index: byIndex({ evals_of_dataset: dataset }) },
      before,
      limit,
    );
  }

  /** A dataset that was deleted, with its evals. */
  async forget(tenantId: string, name: string, claim?: WorkClaim): Promise<void> {
    await claimingBatch(this.db, [
      sql`DELETE FROM evals WHERE tenant_id = ${tenantId} AND dataset = ${name}`,
      sql`DELETE FROM datasets WHERE tenant_id = ${tenantId} AND name = ${name}`,
      ...claimStatements(claim, "deleted"),
    ]);
  }
}
