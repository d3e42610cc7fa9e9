/** What turns and runs have taken, in D1: written once by their outboxes, and added up as it is asked for. */
import { z } from "zod";
import { batch, type Database, joined, type Sql, sql } from "../platform/sql.js";
import {
  maxUsageLines,
  mostRecent,
  type RecentWork,
  type UsageGroup,
  type UsageQuery,
  type UsageReport,
  usageLineSchema,
  usageSumSchema,
} from "../tenancy/usage.js";
import { lazily } from "../text/lazily.js";
import { elsewhere } from "./on-the-way.js";

/** What lines are grouped by. A list of columns of ours: nothing of a caller's is in the text of a query. */
const columns: Readonly<Record<UsageGroup, Sql>> = {
  agent: sql`agent`,
  model: sql`model`,
  hour: sql`strftime('%Y-%m-%dT%H:00:00Z', at / 1000, 'unixepoch')`,
  day: sql`strftime('%Y-%m-%d', at / 1000, 'unixepoch')`,
  subject: sql`COALESCE(subject, '')`,
  key: sql`COALESCE(key_id, '')`,
  status: sql`COALESCE(status, '')`,
  tenant: sql`tenant_id`,
};

const filters = ["tenant", "agent", "model", "subject", "key", "status"] as const;

/** Failed calls have no model, and the offline one costs nothing: neither is missing in the money. */
const moneySums = sql`COALESCE(SUM(model_calls), 0) AS "modelCalls",
  COALESCE(SUM(input_tokens), 0) AS "inputTokens", COALESCE(SUM(cached_input_tokens), 0) AS "cachedInputTokens",
  COALESCE(SUM(output_tokens), 0) AS "outputTokens", COALESCE(SUM(reasoning_tokens), 0) AS "reasoningTokens",
  COALESCE(SUM(money), 0) / 1000000.0 AS money,
  COALESCE(SUM(CASE WHEN money IS NULL AND model NOT IN ('', 'offline') THEN model_calls END), 0) AS unpriced`;

/** How many there were of a kind: by their ids, and as added up by the hour. @param byModel only rows of some model are looked at */
function worksOf(kind: "turn" | "run", byModel: boolean): Sql {
  const [ids, added] = [sql`kind = ${kind} AND works IS NULL`, sql`kind = ${kind}`];
  return sql`COUNT(DISTINCT CASE WHEN ${ids} THEN work_id END)
    + COALESCE(SUM(CASE WHEN ${added} THEN ${byModel ? sql`works` : sql`firsts`} END), 0)`;
}

const sumsOf = (byModel: boolean): Sql =>
  sql`${worksOf("turn", byModel)} AS turns, ${worksOf("run", byModel)} AS runs, ${moneySums}`;

const lineRows = lazily(() => z.array(usageLineSchema()));
const totalRows = lazily(() => z.tuple([usageSumSchema()]));
const recentRows = lazily(() =>
  z.array(
    z.object({
      ...{ kind: z.string(), agent: z.string(), subject: z.string(), key: z.string(), status: z.string() },
      since: z.number(),
      ...{ works: z.number(), degraded: z.number(), rows: z.number() },
      ...{ modelCalls: z.number(), tokens: z.number(), money: z.number(), unpriced: z.number() },
    }),
  ),
);
const currencyRows = lazily(() => z.array(z.object({ currency: z.string() })));

const currencyQuery = sql`SELECT currency FROM prices ORDER BY version DESC LIMIT 1`;

export class UsageStore {
  constructor(private readonly db: Database) {}

  /**
   * What ended since then, by what it was, for whom and how: of the newest {@link mostRecent} rows, so that it costs no more with more.
   * @param begin milliseconds since the epoch
   */
  async recent(tenantId: string, begin: number): Promise<{ parts: RecentWork[]; currency: string | undefined }> {
    const [found, currency] = await batch(this.db, [
      sql`SELECT kind, agent, COALESCE(subject, '') AS subject, COALESCE(status, '') AS status,
          COALESCE(key_id, '') AS key, MIN(at) AS since,
          COUNT(DISTINCT work_id) AS works, COUNT(DISTINCT CASE WHEN degraded = 1 THEN work_id END) AS degraded,
          COUNT(*) AS rows, SUM(model_calls) AS "modelCalls", SUM(input_tokens + output_tokens) AS tokens,
          COALESCE(SUM(money), 0) / 1000000.0 AS money,
          SUM(CASE WHEN money IS NULL AND model NOT IN ('', 'offline') THEN model_calls ELSE 0 END) AS unpriced
        FROM (SELECT * FROM usage INDEXED BY usage_by_time WHERE tenant_id = ${tenantId} AND at >= ${begin}
          ORDER BY at DESC LIMIT ${mostRecent})
        GROUP BY 1, 2, 3, 4, 5`,
      currencyQuery,
    ]);
    const [first] = currencyRows().parse(currency?.results);
    return { parts: recentRows().parse(found?.results), currency: first?.currency };
  }

  /**
   * Hours and days in their order, everything else by what it cost.
   * @param begin, end milliseconds since the epoch; `end` is left out of the range
   */
  async report(
    { tenant, agent, model, subject, key, status }: Omit<UsageQuery, "from" | "to">,
    { begin, end, groupBy }: { readonly begin: number; readonly end: number; readonly groupBy: UsageGroup },
  ): Promise<UsageReport> {
    const given = { agent, model, subject, key, status, tenant };
    const only = filters.flatMap((name) =>
      given[name] === undefined ? [] : [sql` AND ${columns[name]} = ${given[name]}`],
    );
    // One that is moved is counted once.
    const once = tenant === undefined ? sql` AND tenant_id NOT IN ${elsewhere}` : sql``;
    // Tenant by tenant: the rows of each lie by time.
    const rows = sql`FROM tenants CROSS JOIN usage USING (tenant_id)
      WHERE at >= ${begin} AND at < ${end}${joined(only, "")}${once}`;
    const byModel = model !== undefined;
    const isTime = groupBy === "hour" || groupBy === "day";
    const order = isTime ? sql`1` : sql`money DESC, 1`;
    const [lines, total, currency] = await batch(this.db, [
      sql`SELECT ${columns[groupBy]} AS "group", ${sumsOf(byModel || groupBy === "model")} ${rows} GROUP BY 1 ORDER BY ${order} LIMIT ${maxUsageLines}`,
      sql`SELECT ${sumsOf(byModel)} ${rows}`,
      currencyQuery,
    ]);
    return {
      items: lineRows().parse(lines?.results),
      total: totalRows().parse(total?.results)[0],
      currency: currencyRows().parse(currency?.results)[0]?.currency,
    };
  }
}
