/**
 * Overwrites what SQLite leaves of deleted and rewritten rows in an object's file: it frees their bytes and pages, and keeps what stood there
 * until something else happens to be written over it. `PRAGMA secure_delete` and `VACUUM` are refused to objects, so every table is copied to
 * clean pages, and the free pages are filled with zeros.
 */

import type { Deadlines } from "./deadlines.js";

export const overwriteDeadline = "overwrite";

/** How long an object waits for further erasures, in milliseconds: overwriting costs a copy of all its rows. */
const overwriteAfterMs = 5_000;
/** When the alarm looks after one that its instance may have died over, in milliseconds. */
const retryAfterMs = 60_000;
const longestRetryMs = 24 * 60 * 60_000;

/**
 * A row that fills 256 pages of 4,096 bytes to their end but for 16 bytes: a leaf with 4,061 bytes of the row and 255 overflow pages of 4,092
 * (https://www.sqlite.org/fileformat2.html#cell_payload); 4 of these bytes are the row's header.
 */
const fillingBytes = 4_061 + 255 * 4_092 - 4;
const filledBytes = 256 * 4_096;
/** Rows beside those for what was copied: for pages that were free before. */
const spareRows = 2;

export class FreeSpace {
  private erasures = 0;
  private isRunning = false;
  private isStopped = false;
  /** In a row, of this instance. */
  private failures = 0;

  /** @param now milliseconds since the epoch */
  constructor(
    private readonly storage: DurableObjectStorage,
    private readonly deadlines: Deadlines,
    private readonly now: () => number,
  ) {}

  /** To be called in the write that erases a text. */
  overwriteSoon(): void {
    this.erasures++;
    this.deadlines.within(overwriteDeadline, this.now() + overwriteAfterMs, this.now());
  }

  /** Commits between the steps: a page that is freed is handed out clean only to a later transaction. */
  async overwrite(): Promise<void> {
    const { deadlines, erasures } = this;
    deadlines.move(overwriteDeadline, this.now() + retryAfterMs);
    // One that runs looks at its end whether more was erased meanwhile.
    if (this.isRunning) return;
    this.isRunning = true;
    try {
      if (!(await this.overwriteAll())) return;
      this.failures = 0;
      deadlines.move(overwriteDeadline, this.erasures === erasures ? undefined : this.now() + overwriteAfterMs);
    } catch (error) {
      // What fails for good, such as a table too large to copy, isn't tried each minute.
      const waitMs = Math.min(longestRetryMs, retryAfterMs * 2 ** ++this.failures);
      deadlines.move(overwriteDeadline, this.now() + waitMs);
      throw error;
    } finally {
      this.isRunning = false;
    }
  }

  /** @returns whether it came to its end */
  private async overwriteAll(): Promise<boolean> {
    const { storage } = this;
    const { sql } = storage;
    const commit = async (): Promise<boolean> => {
      await storage.sync();
      if (this.isStopped) return false;
      this.deadlines.move(overwriteDeadline, this.now() + retryAfterMs);
      return true;
    };
    if (!(await fill(sql, spareRows, commit))) return false;
    const copiedBytes = sql.databaseSize;
    for (const { name } of tablesOf(sql)) {
      storage.transactionSync(() => copyToCleanPages(sql, name));
      if (!(await commit())) return false;
    }
    return fill(sql, spareRows + Math.ceil(copiedBytes / filledBytes), commit);
  }

  /** Everything is erased: nothing is written any more. */
  stop(): void {
    this.isStopped = true;
  }
}

interface Part extends Record<string, SqlStorageValue> {
  name: string;
  sql: string;
}

/** Those of ours; the platform's own begin with an underscore. */
function tablesOf(sql: SqlStorage): Part[] {
  return sql
    .exec<Part>(
      "SELECT name, sql FROM sqlite_master WHERE type = 'table' AND substr(name, 1, 1) <> '_' AND name NOT LIKE 'sqlite%'",
    )
    .toArray();
}

function copyToCleanPages(sql: SqlStorage, name: string): void {
  const table = tablesOf(sql).find((one) => one.name === name);
  // Gone meanwhile.
  if (table === undefined) return;
  const copy = `${name} copy`;
  const ofCopy = (statement: string, before: RegExp): string => statement.replace(before, `$1"${copy}"`);
  const indexes = sql
    .exec<Part>("SELECT name, sql FROM sqlite_master WHERE type = 'index' AND tbl_name = ? AND sql IS NOT NULL", name)
    .toArray();
  sql.exec(ofCopy(table.sql, /^(CREATE TABLE\s+)(?:"[^"]+"|\w+)/));
  sql.exec(`INSERT INTO "${copy}" SELECT * FROM "${name}"`);
  for (const index of indexes) {
    sql.exec(`DROP INDEX "${index.name}"`);
    sql.exec(ofCopy(index.sql, /(\sON\s+)(?:"[^"]+"|\w+)/));
  }
  if (/\bAUTOINCREMENT\b/.test(table.sql)) {
    // Numbers of rows that are gone aren't given again.
    sql.exec("DELETE FROM sqlite_sequence WHERE name = ?", copy);
    sql.exec("INSERT INTO sqlite_sequence (name, seq) SELECT ?, seq FROM sqlite_sequence WHERE name = ?", copy, name);
  }
  sql.exec(`DROP TABLE "${name}"`);
  sql.exec(`ALTER TABLE "${copy}" RENAME TO "${name}"`);
}

/** Takes free pages, or new ones where there are none left, and gives them back full of zeros. @returns whether to go on */
async function fill(sql: SqlStorage, rows: number, commit: () => Promise<boolean>): Promise<boolean> {
  sql.exec("CREATE TABLE IF NOT EXISTS zeros (bytes BLOB)");
  for (let row = 0; row < rows; row++) {
    sql.exec("INSERT INTO zeros (bytes) VALUES (zeroblob(?))", fillingBytes);
    if (!(await commit())) return false;
  }
  sql.exec("DROP TABLE zeros");
  return commit();
}
