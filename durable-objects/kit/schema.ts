/** The tables of an object, as an append-only list of steps. */

export interface SchemaStep {
  readonly name: string;
  readonly sql: string;
}

export class EditedHistoryError extends Error {
  override readonly name = "EditedHistoryError";
}

/** Whether this object was ever created. Asking leaves nothing behind. */
export function hasSchema(sql: SqlStorage): boolean {
  return sql.exec("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'schema_steps'").toArray().length > 0;
}

/**
 * Applies the steps that this object doesn't have yet, all or none.
 * @throws {EditedHistoryError} when a step that was applied reads otherwise now, or is gone: steps are only ever added.
 */
export function applySchema(storage: DurableObjectStorage, steps: readonly SchemaStep[]): void {
  const { sql } = storage;
  storage.transactionSync(() => {
    sql.exec(
      "CREATE TABLE IF NOT EXISTS schema_steps (position INTEGER PRIMARY KEY, name TEXT NOT NULL, sql TEXT NOT NULL)",
    );
    const applied = sql
      .exec<{ position: number; name: string; sql: string }>(
        "SELECT position, name, sql FROM schema_steps ORDER BY position",
      )
      .toArray();
    for (const { position, name, sql: text } of applied) {
      const now = steps[position];
      if (now === undefined || now.name !== name || now.sql !== text) {
        throw new EditedHistoryError(
          `schema step ${position} "${name}" was applied and has been changed or removed since`,
        );
      }
    }
    for (const [position, step] of steps.entries()) {
      if (position < applied.length) continue;
      sql.exec(step.sql);
      sql.exec("INSERT INTO schema_steps (position, name, sql) VALUES (?, ?, ?)", position, step.name, step.sql);
    }
  });
}

/** The kit's own tables; every object's list begins with them. */
export const kitSchema: readonly SchemaStep[] = [
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
];
