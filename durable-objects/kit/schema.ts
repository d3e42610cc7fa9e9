/**
 * The tables of an object, as steps that are applied once each and known by their names: the kit's steps and the object's own are
 * two lists that grow apart from one another. The table `schema_steps` is a contract with objects that are stored already, in both
 * directions: code also meets what newer code has applied, when a deployment goes back to the version before.
 */
import { NewerStateError } from "../../src/gateways/newer-state.js";
import type { Tables } from "./tables.js";

export interface SchemaStep {
  /** Unique over the kit's steps and the object's own. */
  readonly name: string;
  readonly sql: string;
  /** What this step read before a part of it became a step of its own. An object that applied that is not changed. */
  readonly formerly?: readonly string[];
  /**
   * The oldest version (of `package.json`) that works on what this step leaves. Left out where code that doesn't know the step reads and
   * writes as before: the step has only added tables, indexes or columns that may be left out. It is stored with the step, so that code
   * of before knows it too.
   */
  readonly readableFrom?: string;
  /** Tables that are made when they are first written to, as the steps that this one stands for leave them (`tables.ts`). */
  readonly tables?: Tables;
  /** The names of steps that this one stands for: objects that are new get it alone, those of before go on with theirs. */
  readonly instead?: readonly string[];
}

/** What new objects are made of, and what it stands for. @param step its tables are all that those leave, but for what its `sql` makes at once */
export function renewed(
  step: Pick<SchemaStep, "name" | "sql" | "tables">,
  before: readonly SchemaStep[],
): readonly SchemaStep[] {
  return [{ ...step, readableFrom: "0.1.0", instead: before.map(({ name }) => name) }, ...before];
}

/** Of all steps. */
export function tablesOf(steps: readonly SchemaStep[]): Tables {
  return Object.assign({}, ...steps.map(({ tables }) => tables));
}

export class EditedHistoryError extends Error {
  override readonly name = "EditedHistoryError";
}

/** Whether this object was ever created. Asking leaves nothing behind. */
export function hasSchema(sql: SqlStorage): boolean {
  return sql.exec("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'schema_steps'").toArray().length > 0;
}

interface AppliedStep extends Record<string, SqlStorageValue> {
  name: string;
  /** What it read, as a digest; its whole text where code of before 24 November 2026 has applied it. */
  sql: string;
  /** Missing in tables that such code has made. */
  readable_from: string | null;
}

/**
 * Applies the steps that this object doesn't have yet, in the order of the list, all or none: of steps that others stand for only one or the others. Steps that newer code has applied are
 * passed over, if they have only added.
 * @throws {NewerStateError} when newer code has applied one that this code can't read behind; nothing is changed then.
 * @throws {EditedHistoryError} when a step that was applied reads otherwise now: steps are only ever added.
 * @throws {TypeError} when two steps have the same name.
 */
export function applySchema(storage: DurableObjectStorage, steps: readonly SchemaStep[]): void {
  const { sql } = storage;
  const byName = new Map(steps.map((step) => [step.name, step]));
  if (byName.size < steps.length) throw new TypeError("two schema steps have the same name");
  storage.transactionSync(() => {
    sql.exec(
      "CREATE TABLE IF NOT EXISTS schema_steps (position INTEGER PRIMARY KEY, name TEXT NOT NULL, sql TEXT NOT NULL, readable_from TEXT)",
    );
    const table = sql.exec<AppliedStep>("SELECT * FROM schema_steps");
    const saysFrom = table.columnNames.includes("readable_from");
    const applied = table.toArray();
    const has = new Set(applied.map(({ name }) => name));
    for (const { name, instead } of steps) {
      if (instead === undefined) continue;
      if (has.size > 0 && !has.has(name)) byName.delete(name);
      else for (const one of instead) if (!has.has(one)) byName.delete(one);
    }
    for (const { name, sql: text, readable_from } of applied) {
      const step = byName.get(name);
      if (step === undefined) {
        if (readable_from) throw new NewerStateError(readable_from);
        continue;
      }
      if (![textOf(step), ...(step.formerly ?? [])].some((one) => text === one || text === digestOf(one))) {
        throw new EditedHistoryError(`the schema step "${name}" was applied and has been changed since`);
      }
      byName.delete(name);
    }
    if (byName.size === 0) return;
    if (!saysFrom) sql.exec("ALTER TABLE schema_steps ADD COLUMN readable_from TEXT");
    for (const step of byName.values()) {
      sql.exec(step.sql);
      sql.exec(
        `INSERT INTO schema_steps (position, name, sql, readable_from)
         SELECT COALESCE(MAX(position) + 1, 0), ?, ?, ? FROM schema_steps`,
        ...[step.name, digestOf(textOf(step)), step.readableFrom ?? null],
      );
    }
  });
}

function textOf({ sql, tables = {} }: SchemaStep): string {
  return [sql, ...Object.values(tables)].join(";");
}

/** FNV-1a with 32 bits, and the length: enough to see that somebody edited a step. */
function digestOf(text: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return `${(hash >>> 0).toString(16)}:${text.length}`;
}

/**
 * A step as it read when the table of approvals was the object's own: it made that table at its end.
 * @returns the step for {@link SchemaStep.formerly}
 */
export function withApprovals(sql: string): string {
  return `${sql}
      CREATE TABLE approvals (server TEXT NOT NULL, tool TEXT NOT NULL, PRIMARY KEY (server, tool)) WITHOUT ROWID;`;
}

const kitSteps: readonly SchemaStep[] = [
  {
    name: "kit",
    sql: `
      CREATE TABLE journal (
        work TEXT NOT NULL, step TEXT NOT NULL, kind TEXT NOT NULL, attempts INTEGER NOT NULL, result TEXT,
        begun_at INTEGER NOT NULL, ended_at INTEGER, PRIMARY KEY (work, step)) WITHOUT ROWID;
      CREATE TABLE asks (
        ask_id TEXT PRIMARY KEY, work TEXT NOT NULL, step TEXT NOT NULL, status TEXT NOT NULL, body TEXT NOT NULL,
        UNIQUE (work, step)) WITHOUT ROWID;
      CREATE TABLE events (
        seq INTEGER PRIMARY KEY AUTOINCREMENT, work TEXT, type TEXT NOT NULL, at INTEGER NOT NULL, data TEXT NOT NULL);
      CREATE TABLE deadlines (name TEXT PRIMARY KEY, at INTEGER NOT NULL) WITHOUT ROWID;
      CREATE TABLE outbox (
        id INTEGER PRIMARY KEY AUTOINCREMENT, entity TEXT NOT NULL, topic TEXT NOT NULL, payload TEXT NOT NULL,
        attempts INTEGER NOT NULL DEFAULT 0, due_at INTEGER NOT NULL);`,
  },
  {
    name: "events of a turn",
    sql: "CREATE INDEX events_of_work ON events (work, seq);",
  },
  {
    name: "health of supervisors",
    sql: `
    CREATE TABLE supervisor_health (
      supervisor TEXT PRIMARY KEY, version INTEGER NOT NULL, failures INTEGER NOT NULL, until INTEGER NOT NULL) WITHOUT ROWID;`,
  },
  {
    name: "approvals",
    // Objects of before have made it themselves.
    sql: `CREATE TABLE IF NOT EXISTS approvals (server TEXT NOT NULL, tool TEXT NOT NULL, PRIMARY KEY (server, tool)) WITHOUT ROWID;`,
  },
  {
    name: "crashes",
    sql: "CREATE TABLE crashes (work TEXT PRIMARY KEY, count INTEGER NOT NULL) WITHOUT ROWID;",
  },
  {
    name: "attempts",
    sql: `
    -- Tries of work that has not ended. One that is under way in no instance ended with the death of its object.
    CREATE TABLE attempts (
      work TEXT PRIMARY KEY, deaths INTEGER NOT NULL, deaths_alone INTEGER NOT NULL, progress TEXT NOT NULL,
      began_at INTEGER NOT NULL, company TEXT NOT NULL, retry_at INTEGER NOT NULL, under_way INTEGER NOT NULL) WITHOUT ROWID;`,
  },
  {
    name: "parked deliveries",
    sql: `
    ALTER TABLE outbox ADD COLUMN parked_at INTEGER;
    ALTER TABLE outbox ADD COLUMN error TEXT;`,
  },
  {
    name: "events without a counter",
    sql: `
    -- No event is ever deleted: the next number is the highest there is and one, and needs no row that counts.
    CREATE TABLE counted_events (
      seq INTEGER PRIMARY KEY, work TEXT, type TEXT NOT NULL, at INTEGER NOT NULL, data TEXT NOT NULL);
    INSERT INTO counted_events SELECT seq, work, type, at, data FROM events;
    DROP TABLE events;
    ALTER TABLE counted_events RENAME TO events;
    CREATE INDEX events_of_work ON events (work, seq);`,
  },
  {
    name: "several in one row",
    sql: `
    -- JSON: further steps that were done in the same write, [id, kind, result]; and events that were logged in the same write before
    -- the row's own, [type, at, data], whose numbers are those just below it.
    ALTER TABLE journal ADD COLUMN also TEXT;
    ALTER TABLE events ADD COLUMN before TEXT;`,
  },
  {
    name: "shadows",
    sql: `
    -- Supervisors that judge beside the work, and what they are to judge; a row goes when its verdict is on record.
    CREATE TABLE shadows (id TEXT PRIMARY KEY, work TEXT NOT NULL, tries INTEGER NOT NULL, body TEXT NOT NULL) WITHOUT ROWID;`,
  },
  {
    name: "spending",
    sql: `
    -- Of work under limits of tokens or money: what is reserved for it, up to which reservation, and what it has spent; money in millionths.
    CREATE TABLE spending (
      work TEXT PRIMARY KEY, step INTEGER NOT NULL, reserved_tokens INTEGER NOT NULL, reserved_money INTEGER NOT NULL,
      tokens INTEGER NOT NULL, money INTEGER NOT NULL) WITHOUT ROWID;`,
  },
  {
    name: "spending by reservation",
    sql: `
    -- As the tenant's budget knows it: work that is done again is another. NULL: by the work's id.
    ALTER TABLE spending ADD COLUMN reservation TEXT;`,
  },
  {
    name: "events without an index",
    // An index is a row more of each event. An object with many works knows between which events those of each lie (`EventSpan`).
    sql: "DROP INDEX IF EXISTS events_of_work;",
  },
];

/** The kit's own tables: every object has them, before its own. Steps are only ever added. */
export const kitSchema = renewed(
  {
    name: "kit of new objects",
    sql: `CREATE TABLE outbox (id INTEGER PRIMARY KEY AUTOINCREMENT, entity TEXT NOT NULL, topic TEXT NOT NULL, payload TEXT NOT NULL,
      attempts INTEGER NOT NULL DEFAULT 0, due_at INTEGER NOT NULL, parked_at INTEGER, error TEXT)`,
    tables: {
      journal: `CREATE TABLE journal (work TEXT NOT NULL, step TEXT NOT NULL, kind TEXT NOT NULL, attempts INTEGER NOT NULL, result TEXT,
        begun_at INTEGER NOT NULL, ended_at INTEGER, also TEXT, PRIMARY KEY (work, step)) WITHOUT ROWID`,
      events: `CREATE TABLE events (seq INTEGER PRIMARY KEY, work TEXT, type TEXT NOT NULL, at INTEGER NOT NULL, data TEXT NOT NULL,
        before TEXT)`,
      deadlines: "CREATE TABLE deadlines (name TEXT PRIMARY KEY, at INTEGER NOT NULL) WITHOUT ROWID",
      asks: `CREATE TABLE asks (ask_id TEXT PRIMARY KEY, work TEXT NOT NULL, step TEXT NOT NULL, status TEXT NOT NULL, body TEXT NOT NULL,
        UNIQUE (work, step)) WITHOUT ROWID`,
      supervisor_health: `CREATE TABLE supervisor_health (supervisor TEXT PRIMARY KEY, version INTEGER NOT NULL, failures INTEGER NOT NULL,
        until INTEGER NOT NULL) WITHOUT ROWID`,
      approvals:
        "CREATE TABLE approvals (server TEXT NOT NULL, tool TEXT NOT NULL, PRIMARY KEY (server, tool)) WITHOUT ROWID",
      crashes: "CREATE TABLE crashes (work TEXT PRIMARY KEY, count INTEGER NOT NULL) WITHOUT ROWID",
      attempts: `CREATE TABLE attempts (work TEXT PRIMARY KEY, deaths INTEGER NOT NULL, deaths_alone INTEGER NOT NULL, progress TEXT NOT NULL,
        began_at INTEGER NOT NULL, company TEXT NOT NULL, retry_at INTEGER NOT NULL, under_way INTEGER NOT NULL) WITHOUT ROWID`,
      shadows: `CREATE TABLE shadows (id TEXT PRIMARY KEY, work TEXT NOT NULL, tries INTEGER NOT NULL, body TEXT NOT NULL) WITHOUT ROWID`,
      spending: `CREATE TABLE spending (work TEXT PRIMARY KEY, step INTEGER NOT NULL, reserved_tokens INTEGER NOT NULL,
        reserved_money INTEGER NOT NULL, tokens INTEGER NOT NULL, money INTEGER NOT NULL, reservation TEXT) WITHOUT ROWID`,
      commands: `CREATE TABLE commands (key TEXT PRIMARY KEY, hash TEXT NOT NULL, note TEXT NOT NULL, at INTEGER NOT NULL) WITHOUT ROWID`,
      debates:
        "CREATE TABLE debates (debate_id TEXT PRIMARY KEY, work TEXT NOT NULL, body TEXT NOT NULL) WITHOUT ROWID",
    },
  },
  kitSteps,
);
