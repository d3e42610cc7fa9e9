/**
 * Vectors of entries in D1, where the tenant has an embedding provider. An entry is pending from the write on that stores it,
 * until its vector is there; a provider that is down leaves it pending, and nothing else waits for it.
 */
import { z } from "zod";
import { type Breaker, type BreakerState, circuitBreaker } from "../../agent/breaker.js";
import type { Embedder } from "../../platform/embedder.js";
import { describeError, log } from "../../platform/logging.js";
import { all, batch, type Database, listed, type Sql, sql } from "../../platform/sql.js";
import type { MemoryRef } from "./memory-store.js";
import { type VectorIndex, valuesOf } from "./vector-index.js";

/** Entries that are embedded with one request. */
const embeddedAtOnce = 8;
const embedTimeoutMs = 5_000;
const queryTimeoutMs = 800;
/** One failure of a provider is enough to leave it alone, in this instance. */
const breakerPolicy = { failuresToOpen: 1, openForMs: 60_000 };

const dueRow = z.object({ key: z.int(), raw_entry: z.string(), speaker: z.string().nullable() });
/** A vector as hexadecimal digits: D1 would give a blob as an array of numbers, which is nearly twice as long. */
const vectorRow = z.object({ entry_id: z.string(), vector: z.string() });

export type EmbedderOf = (tenantId: string) => Promise<Embedder | undefined>;

export class EntryVectors {
  /** How each tenant's provider does; those that are well have none. */
  private readonly health = new Map<string, BreakerState>();

  constructor(
    private readonly db: Database,
    private readonly embedderOf: EmbedderOf,
    private readonly now: () => number,
    readonly index: VectorIndex,
  ) {}

  /** Notes, in the very batch that writes an entry, that it needs a vector; nothing where there is no provider. */
  async markPending(memory: MemoryRef, entryId: string): Promise<Sql[]> {
    if ((await this.embedderOf(memory.tenantId)) === undefined) return [];
    return [
      sql`INSERT INTO entry_vectors_due (entry_key, memory_key) SELECT e.key, e.memory_key FROM entries e
        WHERE e.tenant_id = ${memory.tenantId} AND e.memory_key = ${memory.key} AND e.entry_id = ${entryId}
          AND e.deleted_at IS NULL AND NOT EXISTS (SELECT 1 FROM entry_vectors v WHERE v.entry_key = e.key)
        ON CONFLICT DO NOTHING`,
    ];
  }

  /** Embeds some of a memory's pending entries. Never fails: what didn't work stays pending. @returns how many got a vector */
  async fill(memory: MemoryRef): Promise<number> {
    const { tenantId, key } = memory;
    const breaker = this.breakerOf(tenantId);
    try {
      const embedder = await this.embedderOf(tenantId);
      if (embedder === undefined || breaker.refusal() !== undefined) return 0;
      const rows = await all(this.db, dueRow)`
        SELECT e.key, e.raw_entry, e.speaker FROM entry_vectors_due d JOIN entries e ON e.key = d.entry_key
        WHERE d.memory_key = ${key} AND e.tenant_id = ${tenantId} AND e.deleted_at IS NULL ORDER BY d.entry_key
        LIMIT ${embeddedAtOnce}`;
      if (rows.length === 0) {
        const sent = await this.index.send();
        breaker.succeeded();
        return sent;
      }
      const texts = rows.map((row) => (row.speaker === null ? row.raw_entry : `${row.speaker}: ${row.raw_entry}`));
      const vectors = await embedder.embed(texts, embedTimeoutMs);
      await batch(
        this.db,
        rows.flatMap((row, at) => {
          const vector = vectors[at];
          return vector === undefined ? [] : this.storing(row.key, embedder.model, vector);
        }),
      );
      await this.index.send();
      breaker.succeeded();
      return rows.length;
    } catch (error) {
      breaker.failed();
      log("warn", "memory.vectors_failed", { tenantId, ...describeError(error) });
      return 0;
    }
  }

  /** Memories in which entries are pending. */
  async memoriesWithPending(limit: number): Promise<{ tenantId: string; memoryId: string }[]> {
    return (
      await all(this.db, z.object({ tenant_id: z.string(), memory_id: z.string() }))`
        SELECT m.tenant_id, m.memory_id FROM memories m
        WHERE m.key IN (SELECT DISTINCT memory_key FROM entry_vectors_due LIMIT ${limit})`
    ).map((row) => ({ tenantId: row.tenant_id, memoryId: row.memory_id }));
  }

  /** The vector of a question; `undefined` without a provider, or when it doesn't answer soon: search goes on without. */
  async ofQuery(memory: MemoryRef, query: string): Promise<QueryVector | undefined> {
    const { tenantId } = memory;
    const breaker = this.breakerOf(tenantId);
    try {
      const embedder = await this.embedderOf(tenantId);
      if (embedder === undefined || breaker.refusal() !== undefined) return undefined;
      const [vector] = await embedder.embed([query], queryTimeoutMs);
      breaker.succeeded();
      return vector === undefined ? undefined : { model: embedder.model, vector };
    } catch (error) {
      breaker.failed();
      log("warn", "memory.query_vector_failed", { tenantId, ...describeError(error) });
      return undefined;
    }
  }

  /** The likeness of entries of a memory to a question, as the cosine; those without a vector of the same model are left out. */
  similarities(
    memory: MemoryRef,
    query: QueryVector,
    entryIds: readonly string[],
  ): Promise<ReadonlyMap<string, number>> {
    return this.likenessOf(memory, query, sql`e.entry_id`, entryIds);
  }

  /** The nearest of all entries, so that what shares no word with the question is found too. */
  async nearest(memory: MemoryRef, query: QueryVector): Promise<ReadonlyMap<string, number>> {
    const found = await this.nearestOfFew(memory, query);
    if (found.size > 0) return found;
    const keys = await this.index.nearest(memory, query.vector, nearestKept, queryTimeoutMs);
    return this.likenessOf(memory, query, sql`e.key`, keys);
  }

  private breakerOf(tenantId: string): Breaker {
    const store = {
      read: () => this.health.get(tenantId),
      write: (state: BreakerState | undefined) => {
        if (state === undefined) this.health.delete(tenantId);
        else this.health.set(tenantId, state);
      },
    };
    return circuitBreaker(store, breakerPolicy, this.now);
  }

  /** In a small memory all vectors are looked at; in a larger one none. */
  private async nearestOfFew(memory: MemoryRef, query: QueryVector): Promise<ReadonlyMap<string, number>> {
    // CROSS, so that SQLite sees to the size first.
    const rows = await all(this.db, vectorRow)`
      SELECT e.entry_id, hex(v.vector) AS vector FROM memories m CROSS JOIN entries e ON e.memory_key = m.key
      JOIN entry_vectors v ON v.entry_key = e.key
      WHERE m.key = ${memory.key} AND m.entry_count <= ${smallMemory} AND e.tenant_id = ${memory.tenantId}
        AND v.model = ${query.model}`;
    const found = likeness(rows, query.vector);
    return new Map([...found].sort((a, b) => b[1] - a[1]).slice(0, nearestKept));
  }

  private async likenessOf(
    memory: MemoryRef,
    query: QueryVector,
    column: Sql,
    values: readonly (string | number)[],
  ): Promise<ReadonlyMap<string, number>> {
    if (values.length === 0) return new Map();
    const rows = await all(this.db, vectorRow)`
      SELECT e.entry_id, hex(v.vector) AS vector FROM entries e JOIN entry_vectors v ON v.entry_key = e.key
      WHERE e.tenant_id = ${memory.tenantId} AND +e.memory_key = ${memory.key} AND v.model = ${query.model}
        AND ${column} IN ${listed(values)}`;
    return likeness(rows, query.vector);
  }

  private storing(entryKey: number, model: string, vector: Float32Array): Sql[] {
    return [
      // An entry that was deleted meanwhile gets none.
      sql`INSERT INTO entry_vectors (entry_key, model, vector) SELECT key, ${model}, ${bytesOf(vector)} FROM entries
        WHERE key = ${entryKey} AND deleted_at IS NULL ON CONFLICT DO UPDATE
        SET model = excluded.model, vector = excluded.vector, told = MIN(told, 1)`,
      sql`DELETE FROM entry_vectors_due WHERE entry_key = ${entryKey}`,
    ];
  }
}

export interface QueryVector {
  readonly model: string;
  readonly vector: Float32Array;
}

/** Entries of a memory all of whose vectors are looked at, and how many of the nearest become candidates. */
const smallMemory = 500;
const nearestKept = 30;

/** Statements that leave nothing of an entry's vector. */
export function vectorErasure(memory: MemoryRef, entryId: string): Sql[] {
  const which = sql`
    WHERE entry_key = (SELECT key FROM entries WHERE tenant_id = ${memory.tenantId} AND memory_key = ${memory.key}
      AND entry_id = ${entryId})`;
  return [
    sql`UPDATE entry_vectors SET vector = zeroblob(length(vector)) ${which}`,
    sql`DELETE FROM entry_vectors ${which}`,
    sql`DELETE FROM entry_vectors_due ${which}`,
  ];
}

/** Scaled so that the greatest part is 127. */
function bytesOf(vector: Float32Array): Int8Array {
  const greatest = vector.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  return Int8Array.from(vector, (value) => (greatest > 0 ? Math.round((value / greatest) * 127) : 0));
}

/** The cosines of stored vectors and a question's. */
function likeness(rows: readonly z.infer<typeof vectorRow>[], query: Float32Array): Map<string, number> {
  const found = new Map<string, number>();
  for (const { entry_id, vector } of rows) {
    if (vector.length !== query.length * 2) continue;
    let [product, square] = [0, 0];
    for (const [at, value] of valuesOf(vector).entries()) {
      product += value * (query[at] ?? 0);
      square += value * value;
    }
    found.set(entry_id, square > 0 ? product / Math.sqrt(square) : 0);
  }
  return found;
}
