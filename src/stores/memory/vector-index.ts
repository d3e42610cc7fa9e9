/**
 * Vectorize, where it is bound: the nearest entries of a memory that is too large to look at all of its vectors. It holds copies and
 * only proposes candidates; D1 says whose they are, whether they still hold, and how near they really are.
 */
import { z } from "zod";
import { withDeadline } from "../../platform/clock.js";
import { describeError, log } from "../../platform/logging.js";
import { all, type Database, listed, run, type Sql, sql } from "../../platform/sql.js";
import type { MemoryRef } from "./memory-store.js";

/** As much of a Vectorize binding as is used. */
export interface VectorIndexBinding {
  describe(): Promise<unknown>;
  query(vector: number[], options: { topK: number; namespace: string }): Promise<unknown>;
  upsert(vectors: { id: string; values: number[]; namespace: string }[]): Promise<unknown>;
  deleteByIds(ids: string[]): Promise<unknown>;
}

/** Vectors that one call carries. */
const upsertedAtOnce = 100;
const deletedAtOnce = 100;
/** Calls by which one deletion, or one run of the housekeeping, takes vectors out; the next one goes on. */
const deletionsAtOnce = 50;
/** How long a call that changes something may take, in milliseconds: no deletion of ours waits for longer. */
const changeTimeoutMs = 10_000;
/** After so long nothing that was under way at a deletion can arrive any more. */
const settledMs = 3_600_000;

const restMs = 60_000;

const matchesSchema = z.object({ matches: z.array(z.object({ id: z.string().max(64) })) });
const keyRow = z.object({ entry_key: z.int() });

export class VectorIndex {
  /** Until when an index that failed is left alone, by this instance. */
  private restsUntil = 0;
  private described: Promise<number> | undefined;
  private readonly prefix: string;

  constructor(
    private readonly db: Database,
    private readonly binding: VectorIndexBinding | undefined,
    private readonly now: () => number,
    /** One index may have vectors of all databases of a deployment, each of which numbers its entries itself. */
    database = 0,
  ) {
    this.prefix = database === 0 ? "" : `${database}-`;
  }

  /** Tells it some of the vectors that it doesn't have yet, of whichever memory. Never fails. @returns how many */
  async send(): Promise<number> {
    if (this.binding === undefined || this.restsUntil > this.now()) return 0;
    try {
      return await this.sendSome(this.binding);
    } catch (error) {
      this.rest(error);
      return 0;
    }
  }

  private async sendSome(binding: VectorIndexBinding): Promise<number> {
    // What is sent is noted first, so that an entry which is deleted from here on is taken out again.
    const rows = await all(this.db, keyRow.extend({ vector: z.string(), namespace: z.string() }))`
      UPDATE entry_vectors SET told = 1
      WHERE entry_key IN (SELECT entry_key FROM entry_vectors
        WHERE told < 2 AND length(vector) = ${await this.dimensions(binding)} ORDER BY entry_key LIMIT ${upsertedAtOnce})
      RETURNING entry_key, hex(vector) AS vector, (SELECT m.tenant_id || '/' || m.memory_id
        FROM entries e JOIN memories m ON m.key = e.memory_key WHERE e.key = entry_key) AS namespace`;
    if (rows.length === 0) return 0;
    await withDeadline(changeTimeoutMs, () =>
      binding.upsert(
        rows.map(({ entry_key, vector, namespace }) => ({
          id: `${this.prefix}${entry_key}`,
          values: valuesOf(vector),
          namespace,
        })),
      ),
    );
    await run(this.db)`
      UPDATE entry_vectors SET told = 2 WHERE entry_key IN ${listed(rows.map((row) => row.entry_key))}`;
    return rows.length;
  }

  /** The keys of the entries that it holds for the nearest, of this memory; they may be gone by now. Never fails. */
  async nearest(memory: MemoryRef, vector: Float32Array, topK: number, timeoutMs: number): Promise<number[]> {
    const { binding } = this;
    if (binding === undefined || this.restsUntil > this.now()) return [];
    try {
      const found = await withDeadline(timeoutMs, async () =>
        vector.length === (await this.dimensions(binding))
          ? binding.query([...vector], { topK, namespace: namespaceOf(memory) })
          : { matches: [] },
      );
      const ids = matchesSchema.parse(found).matches.map(({ id }) => id);
      // Of a memory that has moved there may be some of the other database yet.
      return ids.flatMap((id) => {
        const key = id.startsWith(this.prefix) ? id.slice(this.prefix.length) : "";
        return /^\d+$/.test(key) ? [Number(key)] : [];
      });
    } catch (error) {
      this.rest(error);
      return [];
    }
  }

  /** Takes out what was deleted since. Never fails: what didn't work is tried again by the housekeeping. */
  async forget(): Promise<void> {
    await this.deleteThose(
      sql`told = 0`,
      (keys) => sql`UPDATE entry_vectors_gone SET told = 1 WHERE entry_key IN (SELECT value FROM json_each(${keys}))`,
    );
  }

  /** Takes out once more what was deleted an hour ago: a copy may have been under way then. */
  async forgetAgain(): Promise<void> {
    await this.deleteThose(
      sql`gone_at <= ${this.now() - settledMs}`,
      (keys) => sql`DELETE FROM entry_vectors_gone WHERE entry_key IN (SELECT value FROM json_each(${keys}))`,
    );
  }

  private async deleteThose(which: Sql, then: (keys: string) => Sql): Promise<void> {
    const { binding } = this;
    if (binding === undefined || this.restsUntil > this.now()) return;
    try {
      for (let calls = 0; calls < deletionsAtOnce; calls++) {
        const rows = await all(this.db, keyRow)`
          SELECT entry_key FROM entry_vectors_gone WHERE ${which} ORDER BY entry_key LIMIT ${deletedAtOnce}`;
        const keys = rows.map((row) => row.entry_key);
        if (keys.length === 0) return;
        await withDeadline(changeTimeoutMs, () => binding.deleteByIds(keys.map((key) => `${this.prefix}${key}`)));
        await run(this.db)`${then(JSON.stringify(keys))}`;
      }
    } catch (error) {
      this.rest(error);
    }
  }

  private rest(error: unknown): void {
    this.restsUntil = this.now() + restMs;
    log("warn", "memory.vector_index_failed", describeError(error));
  }

  /** Vectors of another length have no place in it: its own is fixed when it is made. */
  private dimensions(binding: VectorIndexBinding): Promise<number> {
    this.described ??= binding.describe().then(
      (described) => z.object({ dimensions: z.int() }).parse(described).dimensions,
      (error) => {
        this.described = undefined;
        throw error;
      },
    );
    return this.described;
  }
}

/** Of one memory of one tenant: no question can reach another's vectors. At most 64 bytes are allowed. */
function namespaceOf({ tenantId, memoryId }: MemoryRef): string {
  return `${tenantId}/${memoryId}`;
}

/** A stored vector's bytes, as hexadecimal digits, as the direction that they stand for. */
export function valuesOf(hex: string): number[] {
  return Array.from({ length: hex.length / 2 }, (_, at) => {
    const byte = Number.parseInt(hex.slice(at * 2, at * 2 + 2), 16);
    return byte > 127 ? byte - 256 : byte;
  });
}
