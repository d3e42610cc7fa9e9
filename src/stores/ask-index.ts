/** The inbox of asks in D1: a copy of what the objects hold. */
import { type Ask, type AskKind, storedAskSchema } from "../asks/ask.js";
import { type AskSort, urgencyOf } from "../asks/listing.js";
import type { Audience } from "../asks/policy.js";
import { type Database, type Sql, sql } from "../platform/sql.js";
import { allOf, bodiesOf, byIndex, equals } from "./list-filter.js";
import { ownedBy, type SessionOwners } from "./session-index.js";

export interface AskFilter {
  readonly status?: Ask["status"] | undefined;
  readonly kind?: AskKind | undefined;
  readonly audience?: Audience | undefined;
  readonly subject?: string | undefined;
  readonly priority?: Ask["priority"] | undefined;
  /** The session or run that asks. */
  readonly ownerId?: string | undefined;
  /** The end user whose sessions ask. */
  readonly owners?: SessionOwners | undefined;
}

/** Where an ask stands in a list: by its key, then by its id. */
export interface AskPosition {
  readonly key: string;
  readonly askId: string;
}

/** Behind all times: an ask without a deadline comes last. */
const never = "~";

/** The same as texts that sort, in SQL and of an ask. */
const keys: Readonly<Record<AskSort, { readonly sql: Sql; readonly of: (ask: Ask) => string }>> = {
  openedAt: { sql: sql`opened_at`, of: ({ openedAt }) => openedAt },
  priority: { sql: sql`CAST(urgency AS TEXT)`, of: (ask) => String(urgencyOf(ask)) },
  deadline: { sql: sql`COALESCE(deadline, '~')`, of: ({ deadline }) => deadline ?? never },
};

export function positionOf(sort: AskSort, ask: Ask): AskPosition {
  return { key: keys[sort].of(ask), askId: ask.askId };
}

export class AskIndex {
  constructor(private readonly db: Database) {}

  /** In the order of `sort`; asks that are alike in it, oldest first. */
  async list(
    tenantId: string,
    { status, kind, audience, subject, priority, ownerId, owners }: AskFilter,
    sort: AskSort,
    after: AskPosition | undefined,
    limit: number,
  ): Promise<Ask[]> {
    const key = keys[sort].sql;
    const conditions = allOf([
      ...equals({ status, kind, audience, subject, priority, owner_id: ownerId }),
      ...(owners === undefined ? [] : [askedBySessionsOf(tenantId, owners)]),
    ]);
    const index = byIndex({
      asks_of_owner: ownerId ?? owners?.subject,
      asks_of_subject: subject,
      asks_by_status: status,
    });
    const query = sql`SELECT body FROM asks${index}
      WHERE tenant_id = ${tenantId}${conditions} AND (${key}, ask_id) > (${after?.key ?? ""}, ${after?.askId ?? ""})
      ORDER BY ${key}, ask_id LIMIT ${limit}`;
    return bodiesOf(this.db, storedAskSchema, query);
  }
}

/** The same sessions that a token reaches one by one: an ask's own `from.agent` may be a worker of their agent's team. */
function askedBySessionsOf(tenantId: string, owners: SessionOwners): Sql {
  return sql`owner_id IN (SELECT session_id FROM sessions INDEXED BY sessions_by_subject
      WHERE tenant_id = ${tenantId}${allOf(ownedBy(owners))})`;
}
