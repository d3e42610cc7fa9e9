/** Vaults and memories in D1, and which threads a memory has. Every query carries the tenant. */
import { z } from "zod";
import { modelList } from "../../agent/definition.js";
import { defined } from "../../conversation/defined.js";
import {
  type MemoryChange,
  memoryChanges,
  type memorySchema,
  type NewMemory,
  newMemorySchema,
  type ThreadSummary,
  type Vault,
} from "../../memory/memory.js";
import { all, batch, type Database, first, hasChanged, overwritten, run, sql } from "../../platform/sql.js";
import type { DoneBy } from "../../tenancy/audit.js";
import { insertResourceAct } from "../audit-log.js";
import { integer, number, text } from "../columns.js";
import { allOf, equals, hasMetadata } from "../list-filter.js";

/** What of an entry's row is overwritten before it goes. The index forgets the words by the trigger, and takes in none for zeros. */
export const textsOverwritten = overwritten([
  ...["raw_entry", "summary", "tags", "speaker", "vouched_by"],
  ...["raw_terms", "summary_terms", "tag_terms", "mark_terms", "index_terms"],
]);

/** A memory that is known to be the tenant's. */
export interface MemoryRef {
  readonly tenantId: string;
  readonly memoryId: string;
  readonly vaultId: string;
  /** The end user whom it is about. */
  readonly subject?: string | undefined;
  /** Its number in D1; nothing outside needs it. */
  readonly key: number;
  readonly models: readonly string[];
  readonly erasures: number;
}

export interface MemoryFilter {
  readonly vaultId?: string | undefined;
  readonly subject?: string | undefined;
  readonly externalId?: string | undefined;
  readonly metadata?: Readonly<Record<string, string>> | undefined;
}

export type Memory = z.infer<typeof memorySchema>;

const vaultRow = z.object({ vault_id: z.string(), title: z.string(), created_at: z.number() }).transform(
  ({ vault_id, title, created_at }): Vault => ({
    vaultId: vault_id,
    title,
    createdAt: new Date(created_at).toISOString(),
  }),
);
const beganRow = z.object({ created_at: z.number() });
const threadRow = beganRow.extend({ thread_id: z.string() }).transform(
  ({ thread_id, created_at }): ThreadSummary => ({
    threadId: thread_id,
    createdAt: new Date(created_at).toISOString(),
  }),
);
const memoryRow = z.object({
  key: integer,
  memory_id: text,
  vault_id: text,
  body: text,
  created_at: number,
  entry_count: integer,
  erasures: integer,
});

export class MemoryStore {
  constructor(
    private readonly db: Database,
    private readonly now: () => number,
  ) {}

  /** Makes the vault, unless it was made under this id before. */
  async createVault(tenantId: string, vaultId: string, title: string): Promise<Vault> {
    const [, found] = await batch(this.db, [
      sql`INSERT INTO vaults (tenant_id, vault_id, title, created_at)
        VALUES (${tenantId}, ${vaultId}, ${title}, ${this.now()}) ON CONFLICT DO NOTHING`,
      sql`SELECT * FROM vaults WHERE tenant_id = ${tenantId} AND vault_id = ${vaultId}`,
    ]);
    return vaultRow.parse(found?.results[0]);
  }

  async vault(tenantId: string, vaultId: string): Promise<Vault | undefined> {
    return first(this.db, vaultRow)`SELECT * FROM vaults WHERE tenant_id = ${tenantId} AND vault_id = ${vaultId}`;
  }

  async vaults(tenantId: string, after: string, limit: number): Promise<Vault[]> {
    return all(this.db, vaultRow)`
      SELECT * FROM vaults WHERE tenant_id = ${tenantId} AND vault_id > ${after} ORDER BY vault_id LIMIT ${limit}`;
  }

  /** Its memories have to be removed before, since their threads are objects. */
  async removeVault(tenantId: string, vaultId: string): Promise<void> {
    await run(this.db)`DELETE FROM vaults WHERE tenant_id = ${tenantId} AND vault_id = ${vaultId}`;
  }

  /** Makes the memory, unless one was made under this id before, or has its externalId: then that one comes back. */
  async createMemory(
    { tenantId, vaultId, memoryId }: Pick<MemoryRef, "tenantId" | "vaultId" | "memoryId">,
    memory: NewMemory,
  ): Promise<{ memory: Memory; created: boolean }> {
    const { subject = null, externalId = null } = memory;
    const [inserted, found] = await batch(this.db, [
      sql`INSERT INTO memories (tenant_id, memory_id, vault_id, body, created_at, subject, external_id)
        VALUES (${tenantId}, ${memoryId}, ${vaultId}, ${JSON.stringify(memory)}, ${this.now()}, ${subject},
          ${externalId})
        ON CONFLICT DO NOTHING`,
      sql`
        SELECT * FROM memories WHERE tenant_id = ${tenantId} AND (memory_id = ${memoryId} OR external_id = ${externalId})
        ORDER BY memory_id = ${memoryId} DESC LIMIT 1`,
    ]);
    return { memory: showMemory(memoryRow.parse(found?.results[0])), created: hasChanged(inserted) };
  }

  async find(tenantId: string, memoryId: string): Promise<MemoryRef | undefined> {
    const row = await this.row(tenantId, memoryId);
    return row && refOf(tenantId, row);
  }

  /** Those that are about a subject, the oldest first. */
  async ofSubject(tenantId: string, subject: string, limit: number): Promise<MemoryRef[]> {
    const rows = await all(this.db, memoryRow)`
      SELECT * FROM memories WHERE tenant_id = ${tenantId} AND subject = ${subject} ORDER BY memory_id LIMIT ${limit}`;
    return rows.map((row) => refOf(tenantId, row));
  }

  /** Changes what is named; whose it is and which model writes it is put on record, in the same write. */
  async change({ tenantId, memoryId }: MemoryRef, change: MemoryChange, done: DoneBy): Promise<Memory | undefined> {
    const before = await this.memory(tenantId, memoryId);
    const body = JSON.stringify(change);
    const differ = (field: (typeof memoryChanges)[number]): boolean =>
      change[field] !== undefined && JSON.stringify(change[field]) !== JSON.stringify(before?.[field] ?? null);
    const changes = memoryChanges.filter(differ);
    const ofMemory = sql`tenant_id = ${tenantId} AND memory_id = ${memoryId}`;
    const differs = sql`SELECT 1 FROM json_each(${body}) AS given
      WHERE given.key IN ('subject', 'model') AND json_extract(memories.body, '$.' || given.key) IS NOT given.value`;
    const patched = sql`json_patch(body, ${body})`;
    await batch(this.db, [
      sql`UPDATE memories SET body = ${patched}, subject = json_extract(${patched}, '$.subject')
        WHERE ${ofMemory} AND EXISTS (${differs})`,
      insertResourceAct(tenantId, "memory.changed", { kind: "memories", name: memoryId, changes }, done),
      sql`UPDATE memories SET body = ${patched} WHERE ${ofMemory}`,
    ]);
    return this.memory(tenantId, memoryId);
  }

  async memory(tenantId: string, memoryId: string): Promise<Memory | undefined> {
    const row = await this.row(tenantId, memoryId);
    return row === undefined ? undefined : showMemory(row);
  }

  async memories(tenantId: string, filter: MemoryFilter, after: string, limit: number): Promise<Memory[]> {
    const { vaultId, subject, externalId, metadata } = filter;
    const conditions = allOf([
      ...equals({ vault_id: vaultId, subject, external_id: externalId }),
      ...hasMetadata(metadata),
    ]);
    const rows = await all(this.db, memoryRow)`
      SELECT * FROM memories WHERE tenant_id = ${tenantId} AND memory_id > ${after}${conditions} ORDER BY memory_id
      LIMIT ${limit}`;
    return rows.map(showMemory);
  }

  /** The memories of a tenant, or of one of its vaults, for when it goes. */
  async memoryIds(tenantId: string, vaultId: string | undefined, after: string, limit: number): Promise<string[]> {
    return (
      await all(this.db, z.object({ memory_id: z.string() }))`SELECT memory_id FROM memories
        WHERE tenant_id = ${tenantId} AND (${vaultId} IS NULL OR vault_id = ${vaultId}) AND memory_id > ${after}
        ORDER BY memory_id LIMIT ${limit}`
    ).map((row) => row.memory_id);
  }

  /** Removes the rows: entries go in parts, so that no statement takes too long. */
  async removeMemory({ tenantId, memoryId, key }: MemoryRef): Promise<void> {
    const some = sql`
      WHERE key IN (SELECT key FROM entries WHERE tenant_id = ${tenantId} AND memory_key = ${key} ORDER BY key LIMIT 500)`;
    for (let more = true; more; ) {
      const [, deleted] = await batch(this.db, [
        sql`UPDATE entries SET ${textsOverwritten} ${some}`,
        sql`DELETE FROM entries ${some}`,
      ]);
      more = hasChanged(deleted);
    }
    await batch(this.db, [
      sql`DELETE FROM memory_dead_letters WHERE tenant_id = ${tenantId} AND memory_id = ${memoryId}`,
      sql`DELETE FROM memories WHERE tenant_id = ${tenantId} AND key = ${key}`,
    ]);
  }

  /** Notes that the memory has this thread; again is harmless. */
  async noteThread({ tenantId, key }: MemoryRef, threadId: string): Promise<void> {
    await run(this.db)`INSERT INTO memory_threads (tenant_id, memory_key, thread_id, created_at)
      VALUES (${tenantId}, ${key}, ${threadId}, ${this.now()}) ON CONFLICT DO NOTHING`;
  }

  async threads({ tenantId, key }: MemoryRef, after: string | undefined, limit: number): Promise<string[]> {
    return (
      await all(this.db, z.object({ thread_id: z.string() }))`SELECT thread_id FROM memory_threads
        WHERE tenant_id = ${tenantId} AND memory_key = ${key} AND (${after} IS NULL OR thread_id > ${after})
        ORDER BY thread_id LIMIT ${limit}`
    ).map((row) => row.thread_id);
  }

  /** A page of the threads as they are listed: those that a caller can name. */
  async threadSummaries({ tenantId, key }: MemoryRef, after: string, limit: number): Promise<ThreadSummary[]> {
    return all(this.db, threadRow)`SELECT thread_id, created_at FROM memory_threads
      WHERE tenant_id = ${tenantId} AND memory_key = ${key} AND thread_id > ${after} ORDER BY thread_id LIMIT ${limit}`;
  }

  /** When the thread was begun, in milliseconds since the epoch; undefined when there is none. */
  async threadCreatedAt({ tenantId, key }: MemoryRef, threadId: string): Promise<number | undefined> {
    const row = await first(this.db, beganRow)`SELECT created_at FROM memory_threads
      WHERE tenant_id = ${tenantId} AND memory_key = ${key} AND thread_id = ${threadId}`;
    return row?.created_at;
  }

  /** Some of the entries of a thread of which there is a text still. */
  async entryIdsOfThread({ tenantId, key }: MemoryRef, threadId: string, limit: number): Promise<string[]> {
    return (
      await all(this.db, z.object({ entry_id: z.string() }))`SELECT entry_id FROM entries
        WHERE tenant_id = ${tenantId} AND memory_key = ${key} AND thread_id = ${threadId}
          AND (deleted_at IS NULL OR aside IS NOT NULL)
        LIMIT ${limit}`
    ).map((row) => row.entry_id);
  }

  /** Removes what is left of a thread whose entries are erased: a thread of the same name begins anew. */
  async removeThread({ tenantId, memoryId, key }: MemoryRef, threadId: string): Promise<void> {
    await batch(this.db, [
      sql`DELETE FROM entries WHERE tenant_id = ${tenantId} AND memory_key = ${key} AND thread_id = ${threadId}`,
      sql`DELETE FROM context_coverage WHERE memory_key = ${key} AND thread_id = ${threadId}`,
      sql`DELETE FROM memory_dead_letters
        WHERE tenant_id = ${tenantId} AND memory_id = ${memoryId} AND thread_id = ${threadId}`,
      sql`
        DELETE FROM memory_threads WHERE tenant_id = ${tenantId} AND memory_key = ${key} AND thread_id = ${threadId}`,
    ]);
  }

  private async row(tenantId: string, memoryId: string): Promise<z.infer<typeof memoryRow> | undefined> {
    return first(this.db, memoryRow)`SELECT * FROM memories WHERE tenant_id = ${tenantId} AND memory_id = ${memoryId}`;
  }
}

function refOf(tenantId: string, row: z.infer<typeof memoryRow>): MemoryRef {
  const { key, memory_id: memoryId, vault_id: vaultId, erasures } = row;
  const { model, subject } = newMemorySchema.parse(JSON.parse(row.body));
  return { tenantId, memoryId, vaultId, key, erasures, models: modelList(model), ...defined({ subject }) };
}

function showMemory(row: z.infer<typeof memoryRow>): Memory {
  return {
    ...newMemorySchema.parse(JSON.parse(row.body)),
    memoryId: row.memory_id,
    vaultId: row.vault_id,
    entryCount: row.entry_count,
    createdAt: new Date(row.created_at).toISOString(),
  };
}

const saltRow = z.object({ salt: z.string().nullable() });

/**
 * The salt of a memory's digests: with it, texts on record can be told to be the same; it goes with the memory.
 * @param fresh becomes its salt where it has none; it counts for nothing where the memory is gone
 */
export async function saltOfMemory(
  db: Database,
  { tenantId, memoryId }: { readonly tenantId: string; readonly memoryId: string },
  fresh: string,
): Promise<string> {
  const known = await first(
    db,
    saltRow,
  )`SELECT salt FROM memories WHERE tenant_id = ${tenantId} AND memory_id = ${memoryId}`;
  if (known === undefined || known.salt !== null) return known?.salt ?? fresh;
  const made = await first(db, saltRow)`UPDATE memories SET salt = COALESCE(salt, ${fresh})
    WHERE tenant_id = ${tenantId} AND memory_id = ${memoryId} RETURNING salt`;
  return made?.salt ?? fresh;
}
