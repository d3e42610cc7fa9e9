/** Stands for the platform's log of changes of objects, which local development has not: states are noted, and put back at a restart. */
import { runInDurableObject } from "cloudflare:test";
import { vi } from "vitest";

type Rows = ReadonlyMap<string, readonly Record<string, SqlStorageValue>[]>;

export class PlatformHistory {
  private readonly states: { readonly at: number; readonly id: string; readonly rows: Rows }[] = [];

  constructor(private readonly object: () => DurableObjectStub) {}

  /** From now on the object's storage answers for this history, until `vi.restoreAllMocks`. */
  async begin(): Promise<this> {
    const { states } = this;
    await runInDurableObject(this.object(), (_instance, { storage }) => {
      const platform: DurableObjectStorage = Object.getPrototypeOf(storage);
      vi.spyOn(platform, "getBookmarkForTime").mockImplementation(async (time) => {
        const found = states.findLast(({ at }) => at <= Number(time));
        if (found === undefined) throw new Error("no bookmark is that old");
        return found.id;
      });
      vi.spyOn(platform, "onNextSessionRestoreBookmark").mockImplementation(async function (
        this: DurableObjectStorage,
        bookmark,
      ) {
        const found = states.find(({ id }) => id === bookmark);
        if (found === undefined) throw new Error("no such bookmark");
        const undo = `bookmark-${states.length}`;
        states.push({ at: Number.POSITIVE_INFINITY, id: undo, rows: rowsOf(this.sql) });
        putBack(this, found.rows);
        return undo;
      });
    });
    return this;
  }

  /** The object as it is now is what there was at this time, which is the one that is asked for later: a millisecond more is too late. */
  async note(at: number): Promise<void> {
    await runInDurableObject(this.object(), (_instance, { storage }) => {
      this.states.push({ at, id: `bookmark-${this.states.length}`, rows: rowsOf(storage.sql) });
    });
  }
}

function tablesOf(sql: SqlStorage): string[] {
  const tables = sql.exec<{ name: string }>(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_cf%' ESCAPE '\\'",
  );
  return [...tables].map(({ name }) => name);
}

function rowsOf(sql: SqlStorage): Rows {
  return new Map(tablesOf(sql).map((name) => [name, sql.exec(`SELECT * FROM ${name}`).toArray()]));
}

function putBack(storage: DurableObjectStorage, rows: Rows): void {
  storage.transactionSync(() => {
    for (const name of tablesOf(storage.sql)) storage.sql.exec(`DELETE FROM ${name}`);
    // The counters come last: rows that are written raise them.
    const order = [...rows].toSorted(([a], [b]) => Number(a === "sqlite_sequence") - Number(b === "sqlite_sequence"));
    for (const [name, all] of order) {
      if (name === "sqlite_sequence") storage.sql.exec("DELETE FROM sqlite_sequence");
      for (const row of all) {
        const columns = Object.keys(row);
        const marks = columns.map(() => "?").join(", ");
        storage.sql.exec(`INSERT INTO ${name} (${columns.join(", ")}) VALUES (${marks})`, ...Object.values(row));
      }
    }
  });
}
