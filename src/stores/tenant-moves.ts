/**
 * A tenant's rows on their way from one database to another. While they are copied the database that they leave refuses whatever would change
 * them, so that a copy is one of a single moment. Rows and how far they are copied are one write: whoever is killed goes on behind it.
 */
import { z } from "zod";
import type { ActorRecord } from "../conversation/actor-record.js";
import { movingMark } from "../conversation/moving.js";
import { ownValue } from "../conversation/own-value.js";
import { all, batch, type Database, first, hasChanged, joined, raw, type Sql, sql } from "../platform/sql.js";
import { limitEventsRoot } from "../tenancy/limits/events.js";
import { insertResourceAct } from "./audit-log.js";
import { type MovedTable, movedTables, type NumberedTable, numberedTables } from "./moved-tables.js";

/** Of the row in the database that a tenant leaves, in this order; `arriving` is that of the other. */
const moveStates = ["leaving", "copied", "settling", "removing", "moved", "arriving"] as const;
export type MoveState = (typeof moveStates)[number];

export interface Move {
  readonly to: number;
  readonly status: MoveState;
  /** Since when it is so, in milliseconds since the epoch. */
  readonly at: number;
}

const moveRow = z.object({ to_database: z.int(), status: z.enum(moveStates), at: z.int() });
const otherRow = z.object({ tenant_id: z.string() });
const progressRow = z.object({ progress: z.string() });
const value = z.union([z.string(), z.number(), z.null(), z.array(z.number())]);
type Value = z.infer<typeof value>;
const row = z.record(z.string(), value);
type Row = z.infer<typeof row>;
const progressSchema = z.object({
  /** Which table is next, and the last key that was read of it. */
  table: z.int(),
  after: z.array(value),
  rows: z.int(),
  /** The number of the newest row of this table, which goes first: what is numbered there from then on is above all that come. */
  newest: value.optional(),
  /** By how much numbers are higher. */
  by: z.record(z.enum(numberedTables), z.int()),
});
type Progress = z.infer<typeof progressSchema>;
const sequenceRow = z.object({ name: z.enum(numberedTables), seq: z.int() });

const rowsAtOnce = 100;
const heavyRowsAtOnce = 5;
/** So many numbers may be given to others from the moment on at which it is counted how many there are. */
const spareNumbers = 1_000_000;

/** In the database that the tenant leaves. */
export class TenantMoves {
  constructor(
    private readonly db: Database,
    private readonly now: () => number,
  ) {}

  async of(tenantId: string): Promise<Move | undefined> {
    const found = await first(
      this.db,
      moveRow,
    )`SELECT to_database, status, at FROM moves WHERE tenant_id = ${tenantId}`;
    return found && { to: found.to_database, status: found.status, at: found.at };
  }

  /** From here on nothing of it changes. @returns another tenant that is on its way from here, and has to be first */
  async begin(tenantId: string, to: number): Promise<string | undefined> {
    await batch(this.db, [
      ...movedTables.flatMap(locks),
      sql`INSERT INTO moves (tenant_id, to_database, status, at) SELECT ${tenantId}, ${to}, 'leaving', ${this.now()}
        WHERE NOT EXISTS (SELECT 1 FROM moves WHERE tenant_id <> ${tenantId} AND status NOT IN ('moved', 'arriving'))
        ON CONFLICT DO NOTHING`,
    ]);
    const other = await first(this.db, otherRow)`SELECT tenant_id FROM moves
      WHERE tenant_id <> ${tenantId} AND status NOT IN ('moved', 'arriving')`;
    return other?.tenant_id;
  }

  async become(tenantId: string, status: MoveState): Promise<void> {
    await batch(this.db, [
      sql`UPDATE moves SET status = ${status}, at = ${this.now()} WHERE tenant_id = ${tenantId} AND status <> ${status}`,
    ]);
  }

  /** Nothing leaves any more: what refuses changes goes, which each write asks. */
  async open(tenantId: string): Promise<void> {
    await batch(this.db, [
      ...movedTables.flatMap((table) => operations.map((one) => raw(`DROP TRIGGER IF EXISTS ${lockName(table, one)}`))),
      sql`UPDATE moves SET status = 'moved', at = ${this.now()} WHERE tenant_id = ${tenantId}`,
    ]);
  }

  /** Copies a page of rows. @returns how many there are so far, and whether it was the last */
  async copy(tenantId: string, to: Database): Promise<{ readonly rows: number; readonly isWhole: boolean }> {
    const before = (await this.progress(tenantId, to)) ?? (await this.arrive(tenantId, to));
    const progress = progressSchema.parse(JSON.parse(before));
    const table = movedTables[progress.table];
    if (table === undefined) return { rows: progress.rows, isWhole: true };
    const { found, next } = await this.page(table, tenantId, progress);
    const at = this.now();
    await batch(to, [
      ...found.flatMap((one) => insertion(table, one, progress.by)),
      // Triggers tell of entries and contexts that are new. These are not.
      ...(triggering.has(table.name) ? [sql`DELETE FROM memory_events WHERE tenant_id = ${tenantId}`] : []),
      // Where somebody else has copied them meanwhile there is no status, which the table refuses, and all of this with it.
      sql`UPDATE moves SET status = CASE WHEN progress = ${before} THEN status END,
          progress = ${JSON.stringify(next)}, at = ${at} WHERE tenant_id = ${tenantId}`,
    ]);
    return { rows: next.rows, isWhole: next.table >= movedTables.length };
  }

  private async page(table: MovedTable, tenantId: string, progress: Progress) {
    const { after, newest, rows, by } = progress;
    const here = tenantIs(table, tenantId);
    const name = raw(table.name);
    const { number } = table;
    if (number !== undefined && newest === undefined) {
      const found = await all(this.db, row)`SELECT * FROM ${name} WHERE ${here} ORDER BY +${raw(number)} DESC LIMIT 1`;
      const [first] = found;
      const next = { table: progress.table + (first === undefined ? 1 : 0), after: [], rows: rows + found.length, by };
      return { found, next: { ...next, ...(first && { newest: ownValue(first, number) }) } };
    }
    const limit = table.isHeavy ? heavyRowsAtOnce : rowsAtOnce;
    const key = raw(table.key.join(", "));
    const behind =
      after.length === 0
        ? sql`1`
        : sql`(${key}) > (${joined(
            after.map((one) => sql`${bound(one)}`),
            ", ",
          )})`;
    const read = await all(
      this.db,
      row,
    )`SELECT * FROM ${name} WHERE ${here} AND ${behind} ORDER BY ${key} LIMIT ${limit}`;
    const last = read.at(-1);
    const found = number === undefined ? read : read.filter((one) => ownValue(one, number) !== newest);
    const goesOn = last !== undefined && read.length >= limit;
    const next: Progress = {
      ...{ table: progress.table + (goesOn ? 0 : 1), rows: rows + found.length, by },
      after: goesOn ? table.key.map((column) => ownValue(last, column) ?? null) : [],
      ...(goesOn && newest !== undefined && { newest }),
    };
    return { found, next };
  }

  /** Takes away a page of what was copied, what refers to others first. @returns whether anything was left */
  async remove(tenantId: string): Promise<boolean> {
    for (const table of movedTables.toReversed()) {
      const [name, key] = [raw(table.name), raw(table.key.join(", "))];
      const here = tenantIs(table, tenantId);
      const [removed] = await batch(this.db, [
        sql`DELETE FROM ${name} WHERE ${here} AND (${key}) IN (SELECT ${key} FROM ${name} WHERE ${here} LIMIT ${removedAtOnce})`,
        // Nothing was erased: it is elsewhere, and so is the list of what was.
        sql`DELETE FROM erasures WHERE tenant_id = ${tenantId}`,
      ]);
      if (hasChanged(removed)) return true;
    }
    return false;
  }

  /** It has arrived here: housekeeping looks after it, too, and its audit says who moved it, once. */
  async settle(tenantId: string, by: ActorRecord): Promise<void> {
    const subject = { kind: "tenants", name: tenantId, settings: ["database"] };
    await batch(this.db, [
      sql`DELETE FROM moves WHERE tenant_id = ${tenantId} AND status = 'arriving'`,
      insertResourceAct(tenantId, "settings.changed", subject, { by, at: this.now() }),
    ]);
  }

  private async progress(tenantId: string, to: Database): Promise<string | undefined> {
    const found = await first(to, progressRow)`SELECT progress FROM moves
      WHERE tenant_id = ${tenantId} AND status = 'arriving'`;
    return found?.progress;
  }

  /** Numbers begin above all that were ever given there, and leave room for those that are given meanwhile. */
  private async arrive(tenantId: string, to: Database): Promise<string> {
    const given = await all(to, sequenceRow)`SELECT name, seq FROM sqlite_sequence
      WHERE name IN ('memories', 'entries', 'memory_events', 'limit_events')`;
    const above = (table: NumberedTable) => (given.find(({ name }) => name === table)?.seq ?? 0) + spareNumbers;
    const by = { memories: above("memories"), entries: above("entries") };
    const events = { memory_events: above("memory_events"), limit_events: above("limit_events") };
    const progress = JSON.stringify({ table: 0, after: [], rows: 0, by: { ...by, ...events } } satisfies Progress);
    await batch(to, [
      sql`INSERT OR REPLACE INTO moves (tenant_id, to_database, status, progress, at)
        VALUES (${tenantId}, 0, 'arriving', ${progress}, ${this.now()})`,
    ]);
    return progress;
  }
}

const removedAtOnce = 200;
const triggering = new Set(["entries", "contexts", "memory_dead_letters"]);
const operations = ["insert", "update", "delete"] as const;

function lockName({ name }: MovedTable, operation: (typeof operations)[number]): string {
  return `moving_${name}_${operation}`;
}

/** Whose a row is, as a table says it of itself. */
function tenantIs({ of }: MovedTable, tenantId: string): Sql {
  const memories = sql`memory_key IN (SELECT key FROM memories WHERE tenant_id = ${tenantId})`;
  if (of === "memory_key") return memories;
  if (of === "entry_key") return sql`entry_key IN (SELECT key FROM entries WHERE ${memories})`;
  return sql`${raw(of ?? "tenant_id")} = ${tenantId}`;
}

/** What refuses changes of rows of tenants that leave. */
function locks(table: MovedTable): Sql[] {
  return operations.flatMap((operation) => {
    // Which vectors the index of them has is noted for all tenants at once, and begins anew elsewhere.
    if (table.of === "entry_key" && operation === "update") return [];
    // Limits of the deployment raise every tenant's revision.
    const what = table.name === "tenants" && operation === "update" ? "UPDATE OF name, settings, placed" : operation;
    const changed = operation === "delete" ? "OLD" : "NEW";
    const tenant = {
      tenant_id: `${changed}.tenant_id`,
      scope: `${changed}.scope`,
      memory_key: `(SELECT tenant_id FROM memories WHERE key = ${changed}.memory_key)`,
      entry_key: `(SELECT tenant_id FROM entries WHERE key = ${changed}.entry_key)`,
    }[table.of ?? "tenant_id"];
    return raw(`CREATE TRIGGER IF NOT EXISTS ${lockName(table, operation)} BEFORE ${what} ON ${table.name}
      WHEN EXISTS (SELECT 1 FROM moves WHERE tenant_id = ${tenant} AND status IN ('leaving', 'copied', 'settling'))
      BEGIN SELECT RAISE(ABORT, '${movingMark}'); END`);
  });
}

/** A row as it is in the other database. */
function insertion(table: MovedTable, found: Row, by: Progress["by"]): Sql[] {
  const shown = { ...found, ...changesOf(table, found, by) };
  for (const [column, of] of Object.entries(table.numbers ?? {}))
    Object.assign(shown, { [column]: Number(ownValue(shown, column)) + by[of] });
  const columns = Object.entries(shown).filter(([name]) => !table.without?.includes(name));
  const names = raw(columns.map(([name]) => name).join(", "));
  const values = joined(
    columns.map(([, one]) => sql`${bound(one)}`),
    ", ",
  );
  const insert = raw(table.conflict === undefined ? "INSERT" : `INSERT OR ${table.conflict}`);
  const added = sql`${insert} INTO ${raw(table.name)} (${names}) VALUES (${values})`;
  if (table.name !== "entries" || found["deleted_at"] === null) return [added];
  // What a trigger counts of every entry doesn't count of one that was deleted.
  return [added, sql`UPDATE memories SET entry_count = entry_count - 1 WHERE key = ${bound(shown["memory_key"])}`];
}

/** What depends on numbers within texts and beside them, and what triggers count anew. */
function changesOf({ name }: MovedTable, found: Row, by: Progress["by"]): Row {
  switch (name) {
    case "memories":
      return {
        ...{
          entry_count: 0,
          raw_length: 0,
          raw_count: 0,
          summary_length: 0,
          summary_count: 0,
          tag_length: 0,
          tag_count: 0,
        },
        ...{ first_day: null, last_day: null },
      };
    case "entries": {
      // Each term stands behind the key of its memory.
      const [before, after] = [Number(found["memory_key"]), Number(found["memory_key"]) + by.memories];
      const terms = String(found["index_terms"]).split(" ");
      const rest = (term: string) => term.slice(String(before).length);
      return { index_terms: terms.map((term) => (term === "" ? "" : `${after}${rest(term)}`)).join(" ") };
    }
    case "entry_vectors":
      return { told: 0 };
    case "webhook_streams":
      return { cursor: eventNumber(found, "cursor", by) };
    case "webhook_deliveries":
      return { seq: eventNumber(found, "seq", by) };
    default:
      return {};
  }
}

/** Events of memories and limits are numbered in D1, those of objects there. */
function eventNumber(found: Row, column: string, by: Progress["by"]): Value {
  const seq = ownValue(found, column) ?? null;
  const root = String(found["root_id"]);
  if (typeof seq !== "number") return seq;
  if (root === limitEventsRoot) return seq + by.limit_events;
  return root.startsWith("mem_") ? seq + by.memory_events : seq;
}

function bound(one: Value | undefined): string | number | null | Uint8Array {
  return Array.isArray(one) ? new Uint8Array(one) : (one ?? null);
}
