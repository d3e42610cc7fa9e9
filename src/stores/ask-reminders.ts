/** What waits for people, told to webhooks: an ask that has become overdue, once; and how many wait for staff, once an hour. */
import { z } from "zod";
import { all, batch, type Database, type Sql, sql } from "../platform/sql.js";
import { limitEventsRoot } from "../tenancy/limits/events.js";
import { integer, text, textOrNull } from "./columns.js";
import { tellTenant } from "./tenant-events.js";
import { owedToAll } from "./webhook-deliveries.js";

/** How many are told of at once; the next minute tells the next. */
const toldAtOnce = 100;
const toldAgainMs = 3_600_000;

const overdueRow = z.object({
  tenant_id: text,
  ask_id: text,
  owner_id: text,
  kind: text,
  audience: text,
  priority: text,
  agent: textOrNull,
  subject: textOrNull,
  opened_at: text,
  overdue_at: text,
  deadline: textOrNull,
});
const waitingRow = z.object({ tenant_id: text, open: integer, oldest: textOrNull });

export class AskReminders {
  constructor(private readonly db: Database) {}

  /** @param now milliseconds since the epoch */
  async tell(now: number): Promise<void> {
    await this.tellOverdue(now);
    await this.tellWaiting(now);
  }

  private async tellOverdue(now: number): Promise<void> {
    const rows = await all(this.db, overdueRow)`SELECT tenant_id, ask_id, owner_id, kind, audience, priority, agent,
        subject, opened_at, overdue_at, deadline FROM asks INDEXED BY asks_overdue
      WHERE status = 'open' AND overdue_told IS NULL AND overdue_at <= ${new Date(now).toISOString()}
      ORDER BY overdue_at LIMIT ${toldAtOnce}`;
    const notices = rows.flatMap((row) => [
      tellTenant(row.tenant_id, "ask.overdue", row.ask_id, now, {
        ...{ askId: row.ask_id, kind: row.kind, audience: row.audience, priority: row.priority },
        ...rootOf(row.owner_id),
        ...{ agent: row.agent ?? undefined, subject: row.subject ?? undefined },
        ...{ openedAt: row.opened_at, overdueAt: row.overdue_at, deadline: row.deadline ?? undefined },
      }),
      sql`UPDATE asks SET overdue_told = 1 WHERE tenant_id = ${row.tenant_id} AND ask_id = ${row.ask_id}`,
    ]);
    await this.write(notices, rows, now);
  }

  private async tellWaiting(now: number): Promise<void> {
    const rows = await all(this.db, waitingRow)`SELECT tenant_id,
        (SELECT COALESCE(SUM(open), 0) FROM ask_counts
          WHERE ask_counts.tenant_id = inboxes.tenant_id AND audience = 'staff') AS open,
        (SELECT MIN(opened_at) FROM asks INDEXED BY asks_inbox_of
          WHERE asks.tenant_id = inboxes.tenant_id AND status = 'open' AND audience = 'staff') AS oldest
      FROM inboxes INDEXED BY inboxes_to_tell WHERE tell_at <= ${now} ORDER BY tell_at LIMIT ${toldAtOnce}`;
    const notices = rows.flatMap(({ tenant_id, open, oldest }) => {
      const again = sql`UPDATE inboxes SET tell_at = ${open > 0 ? now + toldAgainMs : undefined} WHERE tenant_id = ${tenant_id}`;
      if (open === 0) return [again];
      return [
        tellTenant(tenant_id, "asks.waiting", String(now), now, { open, oldestOpenedAt: oldest ?? undefined }),
        again,
      ];
    });
    await this.write(notices, rows, now);
  }

  private async write(notices: readonly Sql[], rows: readonly { tenant_id: string }[], now: number): Promise<void> {
    if (notices.length === 0) return;
    const tenants = [...new Set(rows.map(({ tenant_id }) => tenant_id))];
    await batch(this.db, [...notices, ...tenants.map((tenantId) => owedToAll(tenantId, limitEventsRoot, now))]);
  }
}

function rootOf(ownerId: string): object {
  if (ownerId.startsWith("run_")) return { runId: ownerId };
  return ownerId.startsWith("rt_") ? { roundtableId: ownerId } : { sessionId: ownerId };
}
