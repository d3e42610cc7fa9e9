/** What a deletion does to the contexts of a memory: every version loses the items that rest on the deleted entry, and no others. */
import { z } from "zod";
import { type Forgotten, type ItemOrigin, withoutEntry } from "../../memory/context-items.js";
import { all, type Database, first, listed, overwritten, run, type Sql, sql } from "../../platform/sql.js";
import { itemisedColumns, itemisedRow } from "./context-store.js";
import type { MemoryRef } from "./memory-store.js";

/** Versions that are looked at with one query. */
const versionsAtOnce = 40;

const firstRow = z.object({ version: z.int().nullable() });

/** The entry that goes. */
export interface CitedEntry {
  readonly entryId: string;
  /** The first version that took it in. */
  readonly since: number;
  /** Whether a text has words that only this entry has. */
  readonly repeats: (text: string) => boolean;
}

export interface StrippedPage {
  readonly statements: Sql[];
  /** The versions that change, newest first. */
  readonly changed: readonly number[];
  /** Where the next page begins; `undefined` when there is none. */
  readonly next: number | undefined;
}

export class ContextErasure {
  constructor(private readonly db: Database) {}

  /** The first version that took an entry in; `undefined` when none did. */
  async firstCiting({ key }: MemoryRef, entryId: string): Promise<number | undefined> {
    return (
      (
        await first(this.db, firstRow)`
          SELECT MIN(version) AS version FROM context_sources WHERE memory_key = ${key} AND entry_id = ${entryId}`
      )?.version ?? undefined
    );
  }

  /** What takes an entry out of the newest versions before one. A text is overwritten before it is shortened. */
  async strip({ tenantId, key }: MemoryRef, entry: CitedEntry, before: number): Promise<StrippedPage> {
    const versions = await all(this.db, itemisedRow)`SELECT ${itemisedColumns} FROM contexts
      WHERE tenant_id = ${tenantId} AND memory_key = ${key} AND version >= ${entry.since} AND version < ${before}
      ORDER BY version DESC LIMIT ${versionsAtOnce}`;
    const changes = versions.flatMap((version) => {
      const stripped = withoutEntry(version, entry);
      return stripped === undefined ? [] : [{ version: version.version, ...stripped }];
    });
    return {
      statements: changes.length === 0 ? [] : this.rewrite(key, changes),
      changed: changes.map(({ version }) => version),
      next: versions.length < versionsAtOnce ? undefined : versions.at(-1)?.version,
    };
  }

  /** Nothing that began before is stored after. */
  counted({ tenantId, key }: MemoryRef): Sql {
    return sql`UPDATE memories SET erasures = erasures + 1 WHERE tenant_id = ${tenantId} AND key = ${key}`;
  }

  /** At the very end: until then an interrupted deletion finds the versions again. */
  async forgetSource({ key }: MemoryRef, entryId: string): Promise<void> {
    await run(this.db)`DELETE FROM context_sources WHERE memory_key = ${key} AND entry_id = ${entryId}`;
  }

  private rewrite(
    key: number,
    changes: readonly {
      readonly version: number;
      readonly document: string;
      readonly origins: readonly ItemOrigin[];
      readonly forgotten: Forgotten;
    }[],
  ): Sql[] {
    return [
      sql`UPDATE contexts SET ${overwritten(["document", "origins", "forgotten"])}
        WHERE memory_key = ${key} AND version IN ${listed(changes.map(({ version }) => version))}`,
      ...changes.map(
        ({ version, document, origins, forgotten }) =>
          sql`UPDATE contexts
            SET document = ${document}, origins = ${JSON.stringify(origins)}, forgotten = ${JSON.stringify(forgotten)},
              source = CASE ${document} WHEN '' THEN 'erased' ELSE source END
            WHERE memory_key = ${key} AND version = ${version}`,
      ),
    ];
  }
}
