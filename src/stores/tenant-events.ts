/** What webhooks are told of a tenant as a whole, with what is owed to them of it. */
import { z } from "zod";
import { log } from "../platform/logging.js";
import { batch, type Database, first, type Sql, sql } from "../platform/sql.js";
import type { FailingJob } from "../tenancy/limits/events.js";
import { limitEventsRoot } from "../tenancy/limits/events.js";
import { owedToAll } from "./webhook-deliveries.js";

/** @param key of the type: told again under it, it is the same; @param at milliseconds since the epoch */
export function tellTenant(tenantId: string, type: string, key: string, at: number, data: object): Sql {
  return sql`INSERT INTO limit_events (tenant_id, key, type, data, at)
    VALUES (${tenantId}, ${`${type} ${key}`}, ${type}, ${JSON.stringify(data)}, ${at}) ON CONFLICT DO NOTHING`;
}

const countRow = z.object({ n: z.number() });
const dayMs = 86_400_000;
const dayOf = (at: number): number => Math.floor(at / dayMs);

/** Of each job once a day. */
export async function tellFailing(db: Database, tenantId: string, job: FailingJob, at: number): Promise<void> {
  log("error", "job.failing", { tenantId, objectId: job.jobId, code: job.reason });
  const key = `${job.jobId} ${dayOf(at)}`;
  await batch(db, [tellTenant(tenantId, "job.failing", key, at, job), owedToAll(tenantId, limitEventsRoot, at)]);
}

/** Whether a job was told of today: a condition. */
export function toldFailing(tenantId: Sql, jobId: Sql, now: number): Sql {
  return sql`EXISTS (SELECT 1 FROM limit_events WHERE tenant_id = ${tenantId}
    AND key = 'job.failing ' || ${jobId} || ${` ${dayOf(now)}`})`;
}

/** How many jobs of all tenants were told of within the last day. */
export async function failingJobs(db: Database, now: number): Promise<number> {
  const row = await first(db, countRow)`SELECT COUNT(DISTINCT json_extract(data, '$.jobId')) AS n
    FROM limit_events INDEXED BY limit_events_of_failing WHERE type = 'job.failing' AND at > ${now - dayMs}`;
  return row?.n ?? 0;
}
