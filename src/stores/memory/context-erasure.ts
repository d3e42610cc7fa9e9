/** What a deletion does to the contexts of a memory: every version loses the items that rest on the deleted entry, and no others. */
import { z } from "zod";
import { type Forgotten, type ItemOrigin, withoutEntry } from "../../memory/context-items.js";
import type { Database } from "../database.js";
import { itemisedColumns, itemisedRow } from "./context-store.js";
import type { MemoryRef } from "./memory-store.js";

/** Versions that are looked at with one query. */
const versionsAtOnce = 40;

/** The entry that goes. */
export interface CitedEntry {
  readonly entryId: string;
  /** The first version that took it in. */
  readonly since: number;
  /** Whether a text has words that only this entry has. */
  readonly repeats: (text: string) => boolean;
}

export interface StrippedPage {
  readonly statements: D1PreparedStatement[];
  /** The versions that change, newest first. */
  readonly changed: readonly number[];
  /** Where the next page begins; `undefined` when there is none. */
  readonly next: number | undefined;
}

export class ContextErasure {
  constructor(private readonly db: Database) {}

  /** The first version that took an entry in; `undefined` when none did. */
  async firstCiting({ key }: MemoryRef, entryId: string): Promise<number | undefined> {
    const row = await this.db
      .prepare("SELECT MIN(version) AS version FROM context_sources WHERE memory_key = ? AND entry_id = ?")
      .bind(key, entryId)
      .first();
    return z.object({ version: z.int().nullable() }).parse(row).version ?? undefined;
  }

  /** What takes an entry out of the newest versions before one. A text is overwritten before it is shortened. */
  async strip({ tenantId, key }: MemoryRef, entry: CitedEntry, before: number): Promise<StrippedPage> {
    const { results } = await this.db
      .prepare(
        `SELECT ${itemisedColumns} FROM contexts WHERE tenant_id = ? AND memory_key = ? AND version >= ? AND version < ?
         ORDER BY version DESC LIMIT ?`,
      )
      .bind(tenantId, key, entry.since, before, versionsAtOnce)
      .all();
    const versions = results.map((row) => itemisedRow.parse(row));
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
  counted({ tenantId, key }: MemoryRef): D1PreparedStatement {
    return this.db
      .prepare("UPDATE memories SET erasures = erasures + 1 WHERE tenant_id = ? AND key = ?")
      .bind(tenantId, key);
  }

  /** At the very end: until then an interrupted deletion finds the versions again. */
  async forgetSource({ key }: MemoryRef, entryId: string): Promise<void> {
    await this.db.prepare("DELETE FROM context_sources WHERE memory_key = ? AND entry_id = ?").bind(key, entryId).run();
  }

  private rewrite(
    key: number,
    changes: readonly {
      readonly version: number;
      readonly document: string;
      readonly origins: readonly ItemOrigin[];
      readonly forgotten: Forgotten;
    }[],
  ): D1PreparedStatement[] {
    return [
      this.db
        .prepare(
          `UPDATE contexts SET document = printf('%.*c', length(CAST(document AS BLOB)), '#')
           WHERE memory_key = ?1 AND version IN (SELECT value FROM json_each(?2))`,
        )
        .bind(key, JSON.stringify(changes.map(({ version }) => version))),
      ...changes.map(({ version, document, origins, forgotten }) =>
        this.db
          .prepare(
            `UPDATE contexts SET document = ?3, origins = ?4, forgotten = ?5, source = CASE ?3 WHEN '' THEN 'erased' ELSE source END
             WHERE memory_key = ?1 AND version = ?2`,
          )
          .bind(key, version, document, JSON.stringify(origins), JSON.stringify(forgotten)),
      ),
    ];
  }
}
