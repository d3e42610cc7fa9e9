/** The inbox of asks in D1: a copy of what the objects hold. */
import { z } from "zod";
import { type Ask, type AskKind, storedAskSchema } from "../asks/ask.js";
import { type AskSort, urgencyOf } from "../asks/listing.js";
import type { Audience } from "../asks/policy.js";

const bodyRow = z.object({ body: z.string() });

export interface AskFilter {
  readonly status?: Ask["status"] | undefined;
  readonly kind?: AskKind | undefined;
  readonly audience?: Audience | undefined;
  readonly subject?: string | undefined;
  readonly priority?: Ask["priority"] | undefined;
  /** The session or run that asks. */
  readonly ownerId?: string | undefined;
  /** The agents that ask. */
  readonly agents?: readonly string[] | undefined;
}

/** Where an ask stands in a list: by its key, then by its id. */
export interface AskPosition {
  readonly key: string;
  readonly askId: string;
}

/** Behind all times: an ask without a deadline comes last. */
const never = "~";

/** The same as texts that sort, in SQL and of an ask. */
const keys: Readonly<Record<AskSort, { readonly sql: string; readonly of: (ask: Ask) => string }>> = {
  openedAt: { sql: "opened_at", of: ({ openedAt }) => openedAt },
  priority: { sql: "CAST(urgency AS TEXT)", of: (ask) => String(urgencyOf(ask)) },
  deadline: { sql: `COALESCE(deadline, '${never}')`, of: ({ deadline }) => deadline ?? never },
};

export function positionOf(sort: AskSort, ask: Ask): AskPosition {
  return { key: keys[sort].of(ask), askId: ask.askId };
}

export class AskIndex {
  constructor(private readonly db: D1Database) {}

  /** In the order of `sort`; asks that are alike in it, oldest first. */
  async list(
    tenantId: string,
    { status, kind, audience, subject, priority, ownerId, agents }: AskFilter,
    sort: AskSort,
    after: AskPosition | undefined,
    limit: number,
  ): Promise<Ask[]> {
    const key = keys[sort].sql;
    const wanted: [string, string | undefined][] = [
      ["status", status],
      ["kind", kind],
      ["audience", audience],
      ["subject", subject],
      ["priority", priority],
      ["owner_id", ownerId],
    ];
    const given = wanted.flatMap(([column, value]) => (value === undefined ? [] : [{ sql: `${column} = ?`, value }]));
    if (agents !== undefined) {
      const sql = "json_extract(body, '$.from.agent') IN (SELECT value FROM json_each(?))";
      given.push({ sql, value: JSON.stringify(agents) });
    }
    const conditions = given.map(({ sql }) => `AND ${sql}`).join(" ");
    const { results } = await this.db
      .prepare(
        `SELECT body FROM asks WHERE tenant_id = ? ${conditions} AND (${key}, ask_id) > (?, ?)
         ORDER BY ${key}, ask_id LIMIT ?`,
      )
      .bind(tenantId, ...given.map(({ value }) => value), after?.key ?? "", after?.askId ?? "", limit)
      .all();
    return results.map((row) => storedAskSchema.parse(JSON.parse(bodyRow.parse(row).body)));
  }
}
