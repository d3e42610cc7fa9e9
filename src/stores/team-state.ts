/** What teams remember over all their runs, in D1: every change is one statement, or a batch, and can be repeated. */
import { z } from "zod";
import type { ClaimId, TeamState } from "../routing/team-state.js";
import type { Database } from "./database.js";

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

/** Whether the work of a claim (`?2`) has ended: what its last steps still claim must not count. */
const hasEnded = `EXISTS (SELECT 1 FROM worker_claims AS over WHERE over.tenant_id = ?1 AND over.work = ?2 AND over.claim = '${endOfWork}')`;

/**
 * A run or turn has ended, and not by its last step: whatever it counts as busy is released, and whatever it was just about to claim
 * is not counted.
 */
export function endWork(db: Database, tenantId: string, work: string, at: number): D1PreparedStatement[] {
  return [
    db.prepare("UPDATE worker_claims SET released = 1 WHERE tenant_id = ? AND work = ?").bind(tenantId, work),
    db.prepare("DELETE FROM worker_claims WHERE tenant_id = ? AND expires_at <= ?").bind(tenantId, at),
    db
      .prepare(
        `INSERT INTO worker_claims (tenant_id, work, claim, team, worker, expires_at, released) VALUES (?, ?, ?, '', '', ?, 1)
         ON CONFLICT DO NOTHING`,
      )
      .bind(tenantId, work, endOfWork, at + claimLifetimeMs),
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
    const [, , , found] = await this.db.batch([
      this.db
        .prepare(
          `INSERT INTO routing_turns (tenant_id, team, claim, position, created_at)
           SELECT ?1, ?2, ?3, COALESCE(MAX(position), -1) + 1, ?4 FROM routing_turns WHERE tenant_id = ?1 AND team = ?2
           ON CONFLICT (tenant_id, team, claim) DO NOTHING`,
        )
        .bind(this.tenantId, team, claim, now),
      this.db
        .prepare(
          `DELETE FROM routing_turns WHERE tenant_id = ?1 AND team = ?2 AND created_at < ?3
             AND position < (SELECT MAX(position) FROM routing_turns WHERE tenant_id = ?1 AND team = ?2)`,
        )
        .bind(this.tenantId, team, now - turnLifetimeMs),
      this.db
        .prepare("DELETE FROM routing_turns WHERE tenant_id = ? AND created_at < ? AND team <> ?")
        .bind(this.tenantId, now - idleLifetimeMs, team),
      this.db
        .prepare("SELECT position FROM routing_turns WHERE tenant_id = ? AND team = ? AND claim = ?")
        .bind(this.tenantId, team, claim),
    ]);
    return positionRow.parse(found?.results[0]).position;
  }

  async claimLeastBusy(
    team: string,
    workers: readonly string[],
    { work, id }: ClaimId,
  ): Promise<{ worker: string; load: number }> {
    const now = this.now();
    const [, found] = await this.db.batch([
      this.db
        .prepare(
          `INSERT INTO worker_claims (tenant_id, work, claim, team, worker, expires_at, released, load)
           SELECT ?1, ?2, ?3, ?4, candidate.value, ?5, ${hasEnded},
             (SELECT COUNT(*) FROM worker_claims AS busy WHERE busy.tenant_id = ?1 AND busy.team = ?4
                AND busy.worker = candidate.value AND busy.released = 0 AND busy.expires_at > ?6) AS tasks
           FROM json_each(?7) AS candidate WHERE true ORDER BY tasks, candidate.key LIMIT 1
           ON CONFLICT DO NOTHING`,
        )
        .bind(this.tenantId, work, id, team, now + claimLifetimeMs, now, JSON.stringify(workers)),
      this.db
        .prepare("SELECT worker, load FROM worker_claims WHERE tenant_id = ? AND work = ? AND claim = ?")
        .bind(this.tenantId, work, id),
    ]);
    return claimRow.parse(found?.results[0]);
  }

  async claim(team: string, worker: string, { work, id }: ClaimId): Promise<void> {
    await this.db
      .prepare(
        `INSERT INTO worker_claims (tenant_id, work, claim, team, worker, expires_at, released)
         SELECT ?1, ?2, ?3, ?4, ?5, ?6, ${hasEnded} WHERE true ON CONFLICT DO NOTHING`,
      )
      .bind(this.tenantId, work, id, team, worker, this.now() + claimLifetimeMs)
      .run();
  }

  async release({ work, id }: ClaimId): Promise<void> {
    await this.db.batch([
      this.db
        .prepare("UPDATE worker_claims SET released = 1 WHERE tenant_id = ? AND work = ? AND claim = ?")
        .bind(this.tenantId, work, id),
      // Those that ran out are forgotten here: nothing else has to.
      this.db
        .prepare("DELETE FROM worker_claims WHERE tenant_id = ? AND expires_at <= ?")
        .bind(this.tenantId, this.now()),
    ]);
  }

  async loads(team: string): Promise<Readonly<Record<string, number>>> {
    const { results } = await this.db
      .prepare(
        `SELECT worker, COUNT(*) AS load FROM worker_claims
         WHERE tenant_id = ? AND team = ? AND released = 0 AND expires_at > ? GROUP BY worker`,
      )
      .bind(this.tenantId, team, this.now())
      .all();
    return Object.fromEntries(
      z
        .array(claimRow)
        .parse(results)
        .map(({ worker, load }) => [worker, load]),
    );
  }
}
