/** Experiments in D1, and how their units fared. */
import { z } from "zod";
import { type LiveExperiment, type StoredExperiment, storedExperimentSchema } from "../evidence/experiment.js";
import type { UnitCount } from "../evidence/experiment-report.js";
import { all, type Database, first, hasChanged, type Sql, sql } from "../platform/sql.js";
import type { DoneBy } from "../tenancy/audit.js";
import { lazily } from "../text/lazily.js";
import { insertResourceAct } from "./audit-log.js";
import { integer, number, text } from "./columns.js";
import { onTheWay } from "./on-the-way.js";
import { claimingBatch, claimStatements, type WorkClaim } from "./work-claims.js";

/** Those of a tenant `t` that sessions may be in, as one text with what is read of the tenant. */
export const experimentsColumn = sql`(SELECT json_group_array(json_object('name', e.name, 'body', json(e.body)))
  FROM experiments e WHERE e.tenant_id = t.tenant_id AND e.status <> 'draft') AS experiments`;

/** Reads {@link experimentsColumn}. Each was checked when it was stored. */
export function experimentsOf(column: string): LiveExperiment[] {
  const rows: { name: string; body: StoredExperiment }[] = JSON.parse(column);
  return rows.map(({ name, body }) => ({ ...body, name }));
}

const row = lazily(() =>
  z
    .object({ tenant_id: text, name: text, body: text, version: integer, updated_at: number })
    .transform(({ tenant_id, name, body, version, updated_at }) => ({
      tenantId: tenant_id,
      name,
      version,
      updatedAt: updated_at,
      experiment: storedExperimentSchema().parse(JSON.parse(body)),
    })),
);
export type ExperimentRecord = z.infer<ReturnType<typeof row>>;

const countRow = z.object({
  variant: text,
  phase: integer,
  units: integer,
  blocked: integer,
  failed: integer,
  degraded: integer,
  negative: integer,
});

/** How a turn of a unit went. */
export interface UnitTurn {
  readonly seed: string;
  readonly unit: string;
  readonly phase: number;
  readonly variant: string;
  readonly blocked: boolean;
  readonly failed: boolean;
  readonly degraded: boolean;
  readonly negative?: boolean | undefined;
}

/** Told again it changes nothing. */
export function countUnit(tenantId: string, turn: UnitTurn): Sql[] {
  const [blocked, failed, degraded] = [turn.blocked, turn.failed, turn.degraded].map(Number);
  return [
    sql`INSERT INTO experiment_units (tenant_id, seed, unit, phase, variant, blocked, failed, degraded)
      VALUES (${tenantId}, ${turn.seed}, ${turn.unit}, ${turn.phase}, ${turn.variant}, ${blocked}, ${failed}, ${degraded})
      ON CONFLICT DO UPDATE SET blocked = MAX(blocked, excluded.blocked), failed = MAX(failed, excluded.failed),
        degraded = MAX(degraded, excluded.degraded)
      WHERE variant = excluded.variant`,
    ...(turn.negative === true
      ? [
          sql`INSERT INTO experiment_negatives (tenant_id, seed, unit)
            VALUES (${tenantId}, ${turn.seed}, ${turn.unit}) ON CONFLICT DO NOTHING`,
        ]
      : []),
  ];
}

export class ExperimentStore {
  constructor(private readonly db: Database) {}

  async get(tenantId: string, name: string): Promise<ExperimentRecord | undefined> {
    return first(this.db, row())`SELECT * FROM experiments WHERE tenant_id = ${tenantId} AND name = ${name}`;
  }

  async list(tenantId: string, after: string | undefined, limit: number): Promise<ExperimentRecord[]> {
    return all(this.db, row())`
      SELECT * FROM experiments WHERE tenant_id = ${tenantId} AND name > ${after ?? ""} ORDER BY name LIMIT ${limit}`;
  }

  /** Those of all tenants that run. */
  async running(limit: number): Promise<ExperimentRecord[]> {
    return all(this.db, row())`
      SELECT * FROM experiments INDEXED BY experiments_running WHERE status = 'running' AND tenant_id NOT IN ${onTheWay} ORDER BY tenant_id LIMIT ${limit}`;
  }

  /** The one that runs for an agent. */
  async runningFor(tenantId: string, agent: string): Promise<string | undefined> {
    const found = await first(
      this.db,
      z.object({ name: text }),
    )`SELECT name FROM experiments WHERE tenant_id = ${tenantId} AND status = 'running'
      AND json_extract(body, '$.agent') = ${agent} LIMIT 1`;
    return found?.name;
  }

  /**
   * Stores one, with its row of the audit.
   * @param version that it had when it was read; 0 of a new one
   * @param decision what was done, for the audit
   * @returns false where somebody else has changed it since
   */
  async put(
    tenantId: string,
    name: string,
    experiment: StoredExperiment,
    version: number,
    {
      decision,
      done,
      reason,
      claim,
    }: { decision: string; done: DoneBy; reason?: string; claim?: WorkClaim | undefined },
  ): Promise<boolean> {
    const body = JSON.stringify(experiment);
    const { at } = done;
    const write =
      version === 0
        ? sql`INSERT INTO experiments (tenant_id, name, status, body, version, updated_at)
            VALUES (${tenantId}, ${name}, ${experiment.status}, ${body}, 1, ${at}) ON CONFLICT DO NOTHING`
        : sql`UPDATE experiments SET status = ${experiment.status}, body = ${body}, version = version + 1, updated_at = ${at}
            WHERE tenant_id = ${tenantId} AND name = ${name} AND version = ${version}`;
    const [written] = await claimingBatch(this.db, [
      write,
      insertResourceAct(tenantId, "experiment.changed", { kind: "experiments", name }, { ...done, reason }, decision),
      ...claimStatements(claim, decision),
    ]);
    return hasChanged(written);
  }

  async remove(tenantId: string, name: string, seed: string, done: DoneBy, claim?: WorkClaim): Promise<void> {
    await claimingBatch(this.db, [
      sql`DELETE FROM experiments WHERE tenant_id = ${tenantId} AND name = ${name}`,
      insertResourceAct(tenantId, "experiment.changed", { kind: "experiments", name }, done, "deleted"),
      ...claimStatements(claim, "deleted"),
      sql`DELETE FROM experiment_units WHERE tenant_id = ${tenantId} AND seed = ${seed}`,
      sql`DELETE FROM experiment_negatives WHERE tenant_id = ${tenantId} AND seed = ${seed}`,
    ]);
  }

  async counts(tenantId: string, seed: string): Promise<UnitCount[]> {
    return all(this.db, countRow)`
      SELECT variant, phase, COUNT(*) AS units, SUM(blocked) AS blocked, SUM(failed) AS failed,
        SUM(degraded) AS degraded, COUNT(n.unit) AS negative
      FROM experiment_units u LEFT JOIN experiment_negatives n USING (tenant_id, seed, unit)
      WHERE tenant_id = ${tenantId} AND seed = ${seed} GROUP BY variant, phase`;
  }
}
