/** What teams remember over all their runs, in D1: every change is one statement, or a batch, and can be repeated. */
import { z } from "zod";
import { all, batch, type Database, run, type Sql, sql } from "../platform/sql.js";
import type { ClaimId, TeamState } from "../routing/team-state.js";

/** A task that takes longer (or waits for a person) stops counting as load; a crashed run's claims don't stay for ever. */
const claimLifetimeMs = 3_600_000;
/** How long positions are remembered beyond the newest. */
const turnLifetimeMs = 7 * 24 * 3_600_000;
/** A team (or one that was sent along) that nobody has used for so long begins at its first worker again. */
const idleLifetimeMs = 90 * 24 * 3_600_000;
/** The claim that stands for a work's end: no worker is called so. */
const endOfWork = "";

const positionRow = z.object({ position: z.int() });
const claimRow = z.object({ worker: z.string(), load: z.int() });

/** Whether the work of a claim has ended: what its last steps still claim must not count. */
function hasEnded(tenantId: string, work: string): Sql {
  return sql`EXISTS (SELECT 1 FROM worker_claims AS over WHERE over.tenant_id = ${tenantId} AND over.work = ${work}
      AND over.claim = ${endOfWork})`;
}

/**
 * A run or turn has ended, and not by its last step: whatever it counts as busy is released, and whatever it was just about to claim
 * is not counted.
 */
export function endWork(tenantId: string, work: string, at: number): Sql[] {
  return [
    sql`UPDATE worker_claims SET released = 1 WHERE tenant_id = ${tenantId} AND work = ${work}`,
    sql`DELETE FROM worker_claims WHERE tenant_id = ${tenantId} AND expires_at <= ${at}`,
    sql`INSERT INTO worker_claims (tenant_id, work, claim, team, worker, expires_at, released)
      VALUES (${tenantId}, ${work}, ${endOfWork}, '', '', ${at + claimLifetimeMs}, 1) ON CONFLICT DO NOTHING`,
  ];
}

export class D1TeamState implements TeamState {
  constructor(
    private readonly db: Database,
    private readonly tenantId: string,
    private readonly now: () => number,
  ) {}

  async nextTurn(team: string, claim: string): Promise<number> {
    const now = this.now();
    const [, , , found] = await batch(this.db, [
      sql`INSERT INTO routing_turns (tenant_id, team, claim, position, created_at)
        SELECT ${this.tenantId}, ${team}, ${claim}, COALESCE(MAX(position), -1) + 1, ${now} FROM routing_turns
        WHERE tenant_id = ${this.tenantId} AND team = ${team} ON CONFLICT (tenant_id, team, claim) DO NOTHING`,
      sql`DELETE FROM routing_turns
        WHERE tenant_id = ${this.tenantId} AND team = ${team} AND created_at < ${now - turnLifetimeMs}
          AND position < (SELECT MAX(position) FROM routing_turns WHERE tenant_id = ${this.tenantId} AND team = ${team})`,
      sql`DELETE FROM routing_turns
        WHERE tenant_id = ${this.tenantId} AND created_at < ${now - idleLifetimeMs} AND team <> ${team}`,
      sql`
        SELECT position FROM routing_turns WHERE tenant_id = ${this.tenantId} AND team = ${team} AND claim = ${claim}`,
    ]);
    return positionRow.parse(found?.results[0]).position;
  }

  async claimLeastBusy(
    team: string,
    workers: readonly string[],
    { work, id }: ClaimId,
  ): Promise<{ worker: string; load: number }> {
    const { tenantId } = this;
    const now = this.now();
    const [, found] = await batch(this.db, [
      sql`INSERT INTO worker_claims (tenant_id, work, claim, team, worker, expires_at, released, load)
        SELECT ${tenantId}, ${work}, ${id}, ${team}, candidate.value, ${now + claimLifetimeMs}, ${hasEnded(tenantId, work)},
          (SELECT COUNT(*) FROM worker_claims AS busy WHERE busy.tenant_id = ${tenantId} AND busy.team = ${team}
            AND busy.worker = candidate.value AND busy.released = 0 AND busy.expires_at > ${now}) AS tasks
        FROM json_each(${JSON.stringify(workers)}) AS candidate WHERE true ORDER BY tasks, candidate.key LIMIT 1
        ON CONFLICT DO NOTHING`,
      sql`
        SELECT worker, load FROM worker_claims WHERE tenant_id = ${this.tenantId} AND work = ${work} AND claim = ${id}`,
    ]);
    return claimRow.parse(found?.results[0]);
  }

  async claim(team: string, worker: string, { work, id }: ClaimId): Promise<void> {
    const { tenantId } = this;
    await run(this.db)`INSERT INTO worker_claims (tenant_id, work, claim, team, worker, expires_at, released)
      SELECT ${tenantId}, ${work}, ${id}, ${team}, ${worker}, ${this.now() + claimLifetimeMs},
        ${hasEnded(tenantId, work)}
      WHERE true ON CONFLICT DO NOTHING`;
  }

  async release({ work, id }: ClaimId): Promise<void> {
    await batch(this.db, [
      sql`
        UPDATE worker_claims SET released = 1 WHERE tenant_id = ${this.tenantId} AND work = ${work} AND claim = ${id}`,
      // Those that ran out are forgotten here: nothing else has to.
      sql`DELETE FROM worker_claims WHERE tenant_id = ${this.tenantId} AND expires_at <= ${this.now()}`,
    ]);
  }

  async loads(team: string): Promise<Readonly<Record<string, number>>> {
    const rows = await all(this.db, claimRow)`SELECT worker, COUNT(*) AS load FROM worker_claims
      WHERE tenant_id = ${this.tenantId} AND team = ${team} AND released = 0 AND expires_at > ${this.now()}
      GROUP BY worker`;
    return Object.fromEntries(rows.map(({ worker, load }) => [worker, load]));
  }
}
