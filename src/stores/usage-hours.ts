/**
 * Usage by the hour. What a turn or run has taken is a row of its own for a week, so that what is delivered once more is known; then the rows
 * of an hour that differ in nothing but their work become one. Sums stay what they were, by whatever they are asked for.
 */
import { z } from "zod";
import { all, batch, type Database, sql } from "../platform/sql.js";
import { onTheWay } from "./on-the-way.js";

const hourMs = 3_600_000;
/** How old rows are that are added up, in milliseconds. */
export const addedUpAfterMs = 7 * 86_400_000;
/** Tenants that are looked after at once, and hours of each. */
const tenantsAtOnce = 100;
const hoursEach = 48;
/** For how long one run of the schedule does so, in milliseconds. */
const workMs = 60_000;

const dueRow = z.object({ tenant_id: z.string(), at: z.number() });

/**
 * Adds up what is old, hour by hour, the oldest first, but for tenants with a hold: their rows stay as they are. Whoever is interrupted has
 * added up whole hours.
 * @param now milliseconds since the epoch
 * @param clock the same, as time goes on: what isn't done within a minute is when this is called again
 */
export async function addUpUsage(db: Database, now: number, clock: () => number): Promise<void> {
  const until = clock() + workMs;
  const before = now - addedUpAfterMs;
  for (let hour = 0; hour < hoursEach; hour++) {
    const due = await all(db, dueRow)`SELECT * FROM (SELECT t.tenant_id,
        (SELECT at FROM usage u INDEXED BY usage_by_time WHERE u.tenant_id = t.tenant_id
          AND at >= COALESCE((SELECT up_to FROM usage_hours h WHERE h.tenant_id = t.tenant_id), 0) ORDER BY at LIMIT 1) AS at
      FROM tenants t WHERE NOT EXISTS (SELECT 1 FROM holds o WHERE o.tenant_id = t.tenant_id)
        AND t.tenant_id NOT IN ${onTheWay}) WHERE at < ${before - hourMs} ORDER BY at LIMIT ${tenantsAtOnce}`;
    for (const { tenant_id, at } of due) {
      if (clock() >= until) return;
      await addUpHour(db, tenant_id, Math.floor(at / hourMs) * hourMs);
    }
    if (due.length === 0) return;
  }
}

/** @param from its beginning, in milliseconds since the epoch */
async function addUpHour(db: Database, tenantId: string, from: number): Promise<void> {
  const ofHour = sql`tenant_id = ${tenantId} AND at >= ${from} AND at < ${from + hourMs} AND works IS NULL`;
  await batch(db, [
    sql`INSERT INTO usage (tenant_id, work_id, model, kind, agent, subject, key_id, at, model_calls, input_tokens, output_tokens,
        cached_input_tokens, cache_write_tokens, reasoning_tokens, money, price_version, status, degraded, works, firsts)
      SELECT ${tenantId}, 'hour_' || lower(hex(randomblob(6))), model, kind, agent, subject, key_id, ${from}, SUM(model_calls),
        SUM(input_tokens), SUM(output_tokens), SUM(cached_input_tokens), SUM(cache_write_tokens), SUM(reasoning_tokens),
        SUM(money), price_version, status, degraded, COUNT(*), SUM(is_first)
      FROM (SELECT *, model = MIN(model) OVER (PARTITION BY work_id) AS is_first FROM usage INDEXED BY usage_by_time WHERE ${ofHour})
      GROUP BY model, kind, agent, subject, key_id, money IS NULL, price_version, status, degraded`,
    sql`DELETE FROM usage WHERE ${ofHour}`,
    sql`INSERT INTO usage_hours (tenant_id, up_to) VALUES (${tenantId}, ${from + hourMs})
      ON CONFLICT DO UPDATE SET up_to = MAX(up_to, excluded.up_to)`,
  ]);
}
