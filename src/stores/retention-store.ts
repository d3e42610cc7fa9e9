/** What tenants keep for a time only, as D1 has it: found by indexes of age, so that what stays isn't read. */
import { z } from "zod";
import { idAt } from "../platform/ids.js";
import { all, batch, type Database, exists, first, raw, run, sql } from "../platform/sql.js";
import { keptDeliveryDays, type Retention, retentionSchema } from "../tenancy/retention.js";
import { text } from "./columns.js";

const tenantRow = z.object({ tenant_id: text, retention: text });
const idRow = z.object({ id: text });

interface Due {
  readonly tenantId: string;
  /** What is older goes; milliseconds since the epoch. */
  readonly before: number;
  /** What is older than this stays for another night. */
  readonly since: number;
  readonly limit: number;
}

/** Of a database retention takes so much of what is overdue in a night, and of a small one so many rows. */
const shareOfNight = 0.01;
const leastOfNight = 100_000;
/** What a row takes in D1: of 10,000 turns, as `bench/ten-thousand.ts` measures. */
const bytesOfRow = 250;

/** Rows of what is overdue that go in a night at most. @param bytes of the database */
export function mostOfNight(bytes: number): number {
  return Math.max(leastOfNight, Math.floor((bytes * shareOfNight) / bytesOfRow));
}

const nightOf = (at: number): string => new Date(at).toISOString().slice(0, 10);
const nightRow = z.object({ most: z.int(), gone: z.int() });
/** Nights that are kept, for who looks into it. */
const keptNights = 30;

/** Holds keep what they name: these conditions say so of a row with a subject. */
const notHeld = (id: string) => sql`NOT EXISTS (SELECT 1 FROM held_things h WHERE h.tenant_id = o.tenant_id
  AND (h.kind = 'subject' AND h.id = o.subject OR h.kind = 'session' AND h.id = ${raw(id)}))`;

export class RetentionStore {
  constructor(private readonly db: Database) {}

  /** The tenants that keep something for a time only, behind one. */
  async tenants(after: string, limit: number): Promise<{ tenantId: string; retention: Retention }[]> {
    const rows = await all(this.db, tenantRow)`SELECT tenant_id, json_extract(settings, '$.retention') AS retention
      FROM tenants WHERE tenant_id > ${after} AND json_type(settings, '$.retention') = 'object'
      ORDER BY tenant_id LIMIT ${limit}`;
    return rows.map(({ tenant_id, retention }) => ({
      tenantId: tenant_id,
      retention: retentionSchema().parse(JSON.parse(retention)),
    }));
  }

  /** What this one keeps for a time only. */
  async of(tenantId: string): Promise<Retention | undefined> {
    const [row] = await all(this.db, tenantRow)`SELECT tenant_id, json_extract(settings, '$.retention') AS retention
      FROM tenants WHERE tenant_id = ${tenantId} AND json_type(settings, '$.retention') = 'object'`;
    return row && retentionSchema().parse(JSON.parse(row.retention));
  }

  /** What went of what is overdue in the night of a time, and how much may; nothing where nobody has asked yet. */
  night(at: number): Promise<z.infer<typeof nightRow> | undefined> {
    return first(this.db, nightRow)`SELECT most, gone FROM retention_nights WHERE night = ${nightOf(at)}`;
  }

  /** How many rows of what is overdue may still go this night. @param at now, in milliseconds since the epoch */
  async left(at: number): Promise<number> {
    const night = nightOf(at);
    const known = await this.night(at);
    if (known !== undefined) return known.most - known.gone;
    const most = mostOfNight((await this.db.prepare("SELECT 1 FROM tenants LIMIT 1").all()).meta.size_after);
    await batch(this.db, [
      sql`INSERT INTO retention_nights (night, most, gone) VALUES (${night}, ${most}, 0) ON CONFLICT DO NOTHING`,
      sql`DELETE FROM retention_nights WHERE night < ${nightOf(at - keptNights * 86_400_000)}`,
    ]);
    return most;
  }

  /** So many rows went. */
  async took(at: number, rows: number): Promise<void> {
    await run(this.db)`UPDATE retention_nights SET gone = gone + ${rows} WHERE night = ${nightOf(at)}`;
  }

  /** Sessions in which nothing has happened since. */
  async sessions({ tenantId, before, since, limit }: Due): Promise<string[]> {
    const rows = await all(this.db, idRow)`SELECT session_id AS id FROM sessions o INDEXED BY sessions_by_update
      WHERE tenant_id = ${tenantId} AND updated_at >= ${since} AND updated_at < ${before} AND status = 'idle' AND ${notHeld("o.session_id")}
      ORDER BY updated_at LIMIT ${limit}`;
    return rows.map(({ id }) => id);
  }

  /** Runs that were begun before, and have ended. */
  async runs({ tenantId, before, since, limit }: Due): Promise<string[]> {
    const rows = await all(this.db, idRow)`SELECT run_id AS id FROM runs o WHERE tenant_id = ${tenantId}
      AND run_id >= ${idAt("run", since)} AND run_id < ${idAt("run", before)} AND status NOT IN ('running', 'waiting') AND ${notHeld("o.run_id")}
      ORDER BY run_id LIMIT ${limit}`;
    return rows.map(({ id }) => id);
  }

  /** Roundtables that were begun before, and in which nothing goes on. */
  async roundtables({ tenantId, before, since, limit }: Due): Promise<string[]> {
    const rows = await all(this.db, idRow)`SELECT roundtable_id AS id FROM roundtables o WHERE tenant_id = ${tenantId}
      AND roundtable_id >= ${idAt("rt", since)} AND roundtable_id < ${idAt("rt", before)} AND status <> 'in_progress' AND ${notHeld("o.roundtable_id")}
      ORDER BY roundtable_id LIMIT ${limit}`;
    return rows.map(({ id }) => id);
  }

  /** Datasets of replays that were begun before. */
  async replays({ tenantId, before, since, limit }: Due): Promise<string[]> {
    const nameAt = (at: number): string => `replay-${idAt("try", at)}`;
    const rows = await all(this.db, idRow)`SELECT name AS id FROM datasets WHERE tenant_id = ${tenantId}
      AND name >= ${nameAt(since)} AND name < ${nameAt(before)} ORDER BY name LIMIT ${limit}`;
    return rows.map(({ id }) => id);
  }

  /** Memories that were made before, and have no entry since. */
  async memories({ tenantId, before, since, limit }: Due): Promise<string[]> {
    const rows = await all(this.db, idRow)`SELECT memory_id AS id FROM memories o WHERE tenant_id = ${tenantId}
      AND memory_id < ${idAt("mem", before)} AND COALESCE(last_day, '') < ${new Date(before).toISOString()}
      AND (memory_id >= ${idAt("mem", since)} OR last_day >= ${new Date(since).toISOString()})
      AND ${notHeld("o.memory_id")} ORDER BY memory_id LIMIT ${limit}`;
    return rows.map(({ id }) => id);
  }

  /** Asks that were opened before, and are closed. @returns how many went */
  async forgetAsks({ tenantId, before, since, limit }: Due): Promise<number> {
    let gone = 0;
    for (const status of ["answered", "expired", "cancelled"]) {
      gone += await run(this.db)`DELETE FROM asks WHERE tenant_id = ${tenantId} AND ask_id IN (
        SELECT ask_id FROM asks o INDEXED BY asks_by_status WHERE tenant_id = ${tenantId} AND status = ${status}
          AND ask_id >= ${idAt("ask", since)} AND ask_id < ${idAt("ask", before)} AND ${notHeld("o.owner_id")} ORDER BY ask_id LIMIT ${limit})`;
    }
    return gone;
  }

  /** While a tenant has a hold no row of its records goes: nobody knows what it will be asked for. */
  isHeld(tenantId: string): Promise<boolean> {
    return exists(this.db)`SELECT 1 FROM holds WHERE tenant_id = ${tenantId} LIMIT 1`;
  }

  /** Rows of a record by their time. */
  async forgetRows(table: "audit" | "usage", { tenantId, before, since, limit }: Due): Promise<number> {
    if (await this.isHeld(tenantId)) return 0;
    const key = raw({ audit: "owner_id, revision", usage: "work_id, model" }[table]);
    return run(this.db)`DELETE FROM ${raw(table)} WHERE tenant_id = ${tenantId} AND (${key}) IN (
      SELECT ${key} FROM ${raw(table)} INDEXED BY ${raw(`${table}_by_time`)}
      WHERE tenant_id = ${tenantId} AND at >= ${since} AND at < ${before} ORDER BY at LIMIT ${limit})`;
  }

  /** Settled deliveries of webhooks and to chat platforms. @returns how many went */
  async forgetDeliveries({ tenantId, before, since, limit }: Due): Promise<number> {
    const [webhooks, chats] = await batch(this.db, [
      sql`DELETE FROM webhook_deliveries WHERE tenant_id = ${tenantId} AND delivery_id IN (
        SELECT delivery_id FROM webhook_deliveries INDEXED BY webhook_deliveries_by_age
        WHERE status <> 'pending' AND updated_at >= ${since} AND updated_at < ${before} AND tenant_id = ${tenantId} LIMIT ${limit})`,
      sql`DELETE FROM channel_deliveries WHERE tenant_id = ${tenantId} AND delivery_id IN (
        SELECT delivery_id FROM channel_deliveries
        WHERE tenant_id = ${tenantId} AND status <> 'pending' AND updated_at >= ${since} AND updated_at < ${before} LIMIT ${limit})`,
    ]);
    return (webhooks?.meta.changes ?? 0) + (chats?.meta.changes ?? 0);
  }

  /** Settled deliveries of all who don't keep them for longer. @param at now, in milliseconds since the epoch */
  async forgetAllDeliveries(at: number): Promise<void> {
    const before = at - keptDeliveryDays * 86_400_000;
    const keeping = sql`SELECT tenant_id FROM tenants WHERE json_extract(settings, '$.retention.deliveries') > ${keptDeliveryDays}`;
    for (const table of ["webhook_deliveries", "channel_deliveries"]) {
      await run(this.db)`DELETE FROM ${raw(table)}
        WHERE status <> 'pending' AND updated_at < ${before} AND tenant_id NOT IN (${keeping})`;
    }
  }

  /** Kept results of tools that are used no more: nobody's next call may take them away. */
  async forgetResults(at: number): Promise<void> {
    await run(this.db)`DELETE FROM tool_results WHERE expires_at <= ${at}`;
  }
}
