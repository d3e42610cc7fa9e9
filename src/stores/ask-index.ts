/** The inbox of asks in D1: a copy of what the objects hold. */
import { z } from "zod";
import { type Ask, type AskKind, storedAskSchema } from "../asks/ask.js";
import { type AskSort, urgencyOf } from "../asks/listing.js";
import type { Audience } from "../asks/policy.js";
import type { QueueFilter } from "../asks/queues.js";
import type { ClosedAsk } from "../asks/report.js";
import { all, type Database, first, raw, type Sql, sql } from "../platform/sql.js";
import { integer, number, text, textOrNull } from "./columns.js";
import { allOf, bodiesOf, byIndex, equals } from "./list-filter.js";
import { ownedBy, type SessionOwners } from "./session-index.js";

export interface AskFilter {
  readonly status?: Ask["status"] | undefined;
  readonly kind?: AskKind | undefined;
  readonly audience?: Audience | undefined;
  readonly subject?: string | undefined;
  readonly priority?: Ask["priority"] | undefined;
  readonly agent?: string | undefined;
  /** `server/tool`. */
  readonly tool?: string | undefined;
  /** One of those that hold it. */
  readonly supervisor?: string | undefined;
  /** Whoever is at it now: an actor's id. */
  readonly claimedBy?: string | undefined;
  /** Those alone that are open and have waited for too long. */
  readonly overdue?: boolean | undefined;
  /** Those alone that are put off, or that aren't. */
  readonly deferred?: boolean | undefined;
  /** ISO 8601. */
  readonly openedBefore?: string | undefined;
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
  inbox: { sql: sql`inbox_key`, of: (ask) => `${urgencyOf(ask)} ${ask.deadline ?? never}` },
};

export function positionOf(sort: AskSort, ask: Ask): AskPosition {
  return { key: keys[sort].of(ask), askId: ask.askId };
}

/** The most asks that a report goes by, and that are counted as overdue. */
export const mostCounted = 10_000;

/** Open asks that are looked at to count a queue. */
const mostOfQueue = 100;

const countRow = z.object({ kind: text, audience: text, agent: text, open: integer });
const closedRow = z.object({
  kind: text,
  status: text,
  decision: textOrNull,
  supervisors: textOrNull,
  opened_at: text,
  closed_at: text,
  closed_by: textOrNull,
});
const furtherRow = z.object({ overdue: number, mine: number, deferred: number });
const oldestRow = z.object({ askId: text, openedAt: text });
const supervisorNames = z.array(z.string());

export class AskIndex {
  constructor(
    private readonly db: Database,
    private readonly now: () => number,
  ) {}

  /** In the order of `sort`; asks that are alike in it, oldest first. */
  async list(
    tenantId: string,
    filter: AskFilter,
    sort: AskSort,
    after: AskPosition | undefined,
    limit: number,
  ): Promise<Ask[]> {
    const key = keys[sort].sql;
    const query = sql`SELECT body FROM asks${indexFor(filter, sort)}
      WHERE tenant_id = ${tenantId}${allOf(this.conditions(tenantId, filter))}
        AND (${key}, ask_id) > (${after?.key ?? ""}, ${after?.askId ?? ""})
      ORDER BY ${key}, ask_id LIMIT ${limit}`;
    return bodiesOf(this.db, storedAskSchema, query);
  }

  private conditions(tenantId: string, filter: AskFilter): Sql[] {
    const { kind, audience, subject, priority, agent, tool, supervisor, ownerId, owners, ...rest } = filter;
    const { overdue, openedBefore, claimedBy, deferred } = rest;
    const now = new Date(this.now()).toISOString();
    const status = overdue === true || deferred === true ? "open" : rest.status;
    return [
      // Written out, where it is open: the indexes of open ones hold no others.
      ...(status === "open" ? [sql`status = 'open'`] : equals({ status })),
      ...equals({ kind, audience, subject, priority, agent, tool, owner_id: ownerId, claimed_by: claimedBy }),
      ...(claimedBy === undefined ? [] : [sql`claimed_until > ${now}`]),
      ...(overdue === true ? [sql`overdue_at <= ${now}`] : []),
      ...(deferred === true ? [sql`deferred_until > ${now}`] : []),
      ...(deferred === false ? [sql`(deferred_until IS NULL OR deferred_until <= ${now})`] : []),
      ...(openedBefore === undefined ? [] : [sql`opened_at < ${openedBefore}`]),
      ...(supervisor === undefined ? [] : [heldBy(tenantId, supervisor, status)]),
      ...(owners === undefined ? [] : [askedBySessionsOf(tenantId, owners)]),
    ];
  }

  /** A number that changes with everything that lists of open asks show. One row is read. */
  async version(tenantId: string): Promise<number> {
    const row = await first(this.db, z.object({ version: integer }))`
      SELECT version FROM inboxes WHERE tenant_id = ${tenantId}`;
    return row?.version ?? 0;
  }

  /** How many are open, by kind, audience and agent; no ask is read for it. */
  async openCounts(tenantId: string) {
    return all(this.db, countRow)`SELECT kind, audience, agent, open FROM ask_counts WHERE tenant_id = ${tenantId}`;
  }

  /** How many have waited for too long and how many are put off, at most {@link mostCounted} each, and how many an actor has claimed. */
  async furtherCounts(tenantId: string, claimedBy: string) {
    const now = new Date(this.now()).toISOString();
    const row = await first(this.db, furtherRow)`SELECT
      (SELECT COUNT(*) FROM (SELECT 1 FROM asks INDEXED BY asks_overdue_of WHERE tenant_id = ${tenantId}
        AND status = 'open' AND overdue_at IS NOT NULL AND overdue_at <= ${now} LIMIT ${mostCounted})) AS overdue,
      (SELECT COUNT(*) FROM asks INDEXED BY asks_claimed WHERE tenant_id = ${tenantId} AND claimed_by = ${claimedBy}
        AND status = 'open' AND claimed_until > ${now}) AS mine,
      (SELECT COUNT(*) FROM (SELECT 1 FROM asks INDEXED BY asks_deferred WHERE tenant_id = ${tenantId}
        AND status = 'open' AND deferred_until IS NOT NULL AND deferred_until > ${now} LIMIT ${mostCounted})) AS deferred`;
    return row ?? { overdue: 0, mine: 0, deferred: 0 };
  }

  /** How many are open of a queue: of the first {@link mostOfQueue} by what is most particular about it. */
  async openIn(tenantId: string, { supervisor, ...queue }: QueueFilter): Promise<{ open: number; more: boolean }> {
    const { tool, subject, priority } = queue;
    const conditions = [
      ...equals(queue),
      ...(supervisor === undefined
        ? []
        : [sql`EXISTS (SELECT 1 FROM json_each(COALESCE(supervisors, '[]')) WHERE value = ${supervisor})`]),
    ];
    const row = await first(this.db, z.object({ seen: integer, open: integer }))`
      SELECT COUNT(*) AS seen, COALESCE(SUM(TRUE${allOf(conditions)}), 0) AS open FROM (
        SELECT kind, audience, agent, tool, subject, priority, supervisors FROM asks${byIndex({
          asks_of_tool: tool,
          asks_open_of_subject: subject,
          asks_inbox: supervisor === undefined ? priority : undefined,
        })}
        WHERE tenant_id = ${tenantId} AND status = 'open'${openBy(tenantId, { ...queue, supervisor })} LIMIT ${mostOfQueue})`;
    const { seen, open } = row ?? { seen: 0, open: 0 };
    return { open, more: seen === mostOfQueue };
  }

  /** Those that were closed from then to then (ISO 8601), the newest first. */
  async closed(
    tenantId: string,
    { from, to }: { from: string; to: string },
    filter: AskFilter,
    limit = mostCounted,
  ): Promise<ClosedAsk[]> {
    const { agent, supervisor } = filter;
    const conditions = [
      ...equals({ agent }),
      ...(supervisor === undefined
        ? []
        : [sql`EXISTS (SELECT 1 FROM json_each(COALESCE(supervisors, '[]')) WHERE value = ${supervisor})`]),
    ];
    const rows = await all(this.db, closedRow)`
      SELECT kind, status, decision, supervisors, opened_at, closed_at, closed_by FROM asks INDEXED BY asks_closed
      WHERE tenant_id = ${tenantId} AND status <> 'open' AND closed_at >= ${from} AND closed_at < ${to}${allOf(conditions)}
      ORDER BY closed_at DESC LIMIT ${limit}`;
    return rows.map(({ kind, status, decision, supervisors, opened_at, closed_at, closed_by }) => ({
      kind,
      status,
      decision: decision ?? undefined,
      tookMs: Math.max(0, Date.parse(closed_at) - Date.parse(opened_at)),
      supervisors: supervisorNames.parse(JSON.parse(supervisors ?? "[]")),
      closedBy: closed_by ?? undefined,
    }));
  }

  /** The one of the open that has waited longest for them; ids of asks sort by time. One row is read. */
  async oldestOpen(tenantId: string, audience: Audience): Promise<{ askId: string; openedAt: string } | undefined> {
    return first(
      this.db,
      oldestRow,
    )`SELECT ask_id AS "askId", opened_at AS "openedAt" FROM asks INDEXED BY asks_by_audience
      WHERE tenant_id = ${tenantId} AND status = 'open' AND audience = ${audience} ORDER BY ask_id LIMIT 1`;
  }

  /** How long each open one has waited, in milliseconds; of {@link mostCounted}. */
  async openAges(tenantId: string, filter: AskFilter): Promise<number[]> {
    const conditions = allOf(this.conditions(tenantId, { ...filter, status: "open" }));
    const rows = await all(this.db, z.object({ opened_at: text }))`
      SELECT opened_at FROM asks${indexFor({ ...filter, status: "open" }, "inbox")}
      WHERE tenant_id = ${tenantId}${conditions} LIMIT ${mostCounted}`;
    return rows.map(({ opened_at }) => this.now() - Date.parse(opened_at));
  }
}

/** By which index: of few first, then in the order of the inbox. */
function indexFor(filter: AskFilter, sort: AskSort): Sql {
  const { status, audience, subject, agent, tool, claimedBy, ownerId, owners, supervisor, overdue, deferred } = filter;
  const selective = {
    asks_of_owner: ownerId ?? owners?.subject,
    asks_of_subject: subject,
    asks_claimed: claimedBy,
    asks_overdue_of: overdue === true ? "yes" : undefined,
    asks_deferred: deferred === true ? "yes" : undefined,
    asks_of_tool: tool,
    asks_of_agent: agent,
  };
  const isSelective = Object.values(selective).some((value) => value !== undefined);
  if (!isSelective && supervisor !== undefined) return raw("");
  if (!isSelective && status === "open" && sort === "inbox")
    return raw(audience === undefined ? " INDEXED BY asks_inbox" : " INDEXED BY asks_inbox_of");
  return byIndex({ ...selective, asks_by_status: status });
}

/** What the index of a queue goes by. */
function openBy(tenantId: string, { tool, subject, supervisor, priority }: QueueFilter): Sql {
  if (tool !== undefined) return sql` AND tool = ${tool}`;
  if (subject !== undefined) return sql` AND subject = ${subject}`;
  if (supervisor !== undefined)
    return sql` AND ask_id IN (SELECT ask_id FROM ask_supervisors
      WHERE tenant_id = ${tenantId} AND supervisor = ${supervisor} AND status = 'open' LIMIT ${mostOfQueue})`;
  if (priority === undefined) return sql``;
  const urgency = urgencyOf({ priority });
  return sql` AND inbox_key >= ${`${urgency} `} AND inbox_key < ${`${urgency}!`}`;
}

function heldBy(tenantId: string, supervisor: string, status: string | undefined): Sql {
  return sql`ask_id IN (SELECT ask_id FROM ask_supervisors
    WHERE tenant_id = ${tenantId} AND supervisor = ${supervisor}${allOf(equals({ status }))})`;
}

/** The same sessions that a token reaches one by one: an ask's own `from.agent` may be a worker of their agent's team. */
function askedBySessionsOf(tenantId: string, owners: SessionOwners): Sql {
  return sql`owner_id IN (SELECT session_id FROM sessions INDEXED BY sessions_by_subject
      WHERE tenant_id = ${tenantId}${allOf(ownedBy(owners))})`;
}
