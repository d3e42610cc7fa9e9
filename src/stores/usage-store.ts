/** What turns and runs have taken, in D1: written once by their outboxes, and added up as it is asked for. */
import { z } from "zod";
import { type UsageGroup, type UsageLine, usageLineSchema } from "../tenancy/usage.js";
import type { Database } from "./database.js";

/** What lines are grouped by. A list of columns of ours: nothing of a caller's is in the text of a query. */
const columns: Readonly<Record<UsageGroup, string>> = {
  agent: "agent",
  model: "model",
  day: "strftime('%Y-%m-%d', at / 1000, 'unixepoch')",
  subject: "COALESCE(subject, '')",
  key: "COALESCE(key_id, '')",
};

/** Lines that an answer holds at most. */
const maxLines = 1_000;

const rows = z.array(usageLineSchema);

export class UsageStore {
  constructor(private readonly db: Database) {}

  /** @param from, to milliseconds since the epoch; `to` is left out of the range */
  async lines(tenantId: string, from: number, to: number, groupBy: UsageGroup): Promise<UsageLine[]> {
    const { results } = await this.db
      .prepare(
        `SELECT ${columns[groupBy]} AS "group",
           COUNT(DISTINCT CASE WHEN kind = 'turn' THEN work_id END) AS turns,
           COUNT(DISTINCT CASE WHEN kind = 'run' THEN work_id END) AS runs,
           SUM(model_calls) AS "modelCalls", SUM(input_tokens) AS "inputTokens", SUM(output_tokens) AS "outputTokens"
         FROM usage WHERE tenant_id = ? AND at >= ? AND at < ? GROUP BY 1 ORDER BY 1 LIMIT ?`,
      )
      .bind(tenantId, from, to, maxLines)
      .all();
    return rows.parse(results);
  }
}
