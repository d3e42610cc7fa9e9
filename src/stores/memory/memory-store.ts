/** Vaults and memories in D1, and which threads a memory has. Every query carries the tenant. */
import { z } from "zod";
import { modelList } from "../../agent/definition.js";
import {
  type memorySchema,
  type NewMemory,
  newMemorySchema,
  type ThreadSummary,
  type Vault,
} from "../../memory/memory.js";
import type { Database } from "../database.js";
import { allOf, equals, hasMetadata } from "../list-filter.js";

/** A memory that is known to be the tenant's. */
export interface MemoryRef {
  readonly tenantId: string;
  readonly memoryId: string;
  readonly vaultId: string;
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

const vaultRow = z.object({ vault_id: z.string(), title: z.string(), created_at: z.number() });
const threadRow = z.object({ thread_id: z.string(), created_at: z.number() });
const memoryRow = z.object({
  key: z.int(),
  memory_id: z.string(),
  vault_id: z.string(),
  body: z.string(),
  created_at: z.number(),
  entry_count: z.int(),
  erasures: z.int(),
});

export class MemoryStore {
  constructor(
    private readonly db: Database,
    private readonly now: () => number,
  ) {}

  /** Makes the vault, unless it was made under this id before. */
  async createVault(tenantId: string, vaultId: string, title: string): Promise<Vault> {
    const [, found] = await this.db.batch([
      this.db
        .prepare(
          "INSERT INTO vaults (tenant_id, vault_id, title, created_at) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
        )
        .bind(tenantId, vaultId, title, this.now()),
      this.db.prepare("SELECT * FROM vaults WHERE tenant_id = ? AND vault_id = ?").bind(tenantId, vaultId),
    ]);
    return readVault(found?.results[0]);
  }

  async vault(tenantId: string, vaultId: string): Promise<Vault | undefined> {
    const row = await this.db
      .prepare("SELECT * FROM vaults WHERE tenant_id = ? AND vault_id = ?")
      .bind(tenantId, vaultId)
      .first();
    return row === null ? undefined : readVault(row);
  }

  async vaults(tenantId: string, after: string, limit: number): Promise<Vault[]> {
    const { results } = await this.db
      .prepare("SELECT * FROM vaults WHERE tenant_id = ? AND vault_id > ? ORDER BY vault_id LIMIT ?")
      .bind(tenantId, after, limit)
      .all();
    return results.map(readVault);
  }

  /** Its memories have to be removed before, since their threads are objects. */
  async removeVault(tenantId: string, vaultId: string): Promise<void> {
    await this.db.prepare("DELETE FROM vaults WHERE tenant_id = ? AND vault_id = ?").bind(tenantId, vaultId).run();
  }

  /** Makes the memory, unless one was made under this id before, or has its externalId: then that one comes back. */
  async createMemory(
    { tenantId, vaultId, memoryId }: Pick<MemoryRef, "tenantId" | "vaultId" | "memoryId">,
    memory: NewMemory,
  ): Promise<{ memory: Memory; created: boolean }> {
    const { subject = null, externalId = null } = memory;
    const [inserted, found] = await this.db.batch([
      this.db
        .prepare(
          `INSERT INTO memories (tenant_id, memory_id, vault_id, body, created_at, subject, external_id)
           VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
        )
        .bind(tenantId, memoryId, vaultId, JSON.stringify(memory), this.now(), subject, externalId),
      this.db
        .prepare(
          "SELECT * FROM memories WHERE tenant_id = ?1 AND (memory_id = ?2 OR external_id = ?3) ORDER BY memory_id = ?2 DESC LIMIT 1",
        )
        .bind(tenantId, memoryId, externalId),
    ]);
    return { memory: showMemory(memoryRow.parse(found?.results[0])), created: (inserted?.meta.changes ?? 0) > 0 };
  }

  async find(tenantId: string, memoryId: string): Promise<MemoryRef | undefined> {
    const row = await this.row(tenantId, memoryId);
    if (row === undefined) return undefined;
    const { key, vault_id: vaultId, erasures } = row;
    const { model } = newMemorySchema.parse(JSON.parse(row.body));
    return { tenantId, memoryId, vaultId, key, erasures, models: modelList(model) };
  }

  async memory(tenantId: string, memoryId: string): Promise<Memory | undefined> {
    const row = await this.row(tenantId, memoryId);
    return row === undefined ? undefined : showMemory(row);
  }

  async memories(tenantId: string, filter: MemoryFilter, after: string, limit: number): Promise<Memory[]> {
    const { vaultId, subject, externalId, metadata } = filter;
    const { sql, bindings } = allOf([
      ...equals("vault_id", vaultId),
      ...equals("subject", subject),
      ...equals("external_id", externalId),
      ...hasMetadata(metadata),
    ]);
    const { results } = await this.db
      .prepare(`SELECT * FROM memories WHERE tenant_id = ? AND memory_id > ?${sql} ORDER BY memory_id LIMIT ?`)
      .bind(tenantId, after, ...bindings, limit)
      .all();
    return results.map((row) => showMemory(memoryRow.parse(row)));
  }

  /** The memories of a tenant, or of one of its vaults, for when it goes. */
  async memoryIds(tenantId: string, vaultId: string | undefined, after: string, limit: number): Promise<string[]> {
    const { results } = await this.db
      .prepare(
        `SELECT memory_id FROM memories WHERE tenant_id = ?1 AND (?2 IS NULL OR vault_id = ?2) AND memory_id > ?3
         ORDER BY memory_id LIMIT ?4`,
      )
      .bind(tenantId, vaultId ?? null, after, limit)
      .all();
    return results.map((row) => z.object({ memory_id: z.string() }).parse(row).memory_id);
  }

  /** Removes the rows: entries go in parts, so that no statement takes too long. */
  async removeMemory({ tenantId, memoryId, key }: MemoryRef): Promise<void> {
    for (let changes = 1; changes > 0; ) {
      const { meta } = await this.db
        .prepare(
          "DELETE FROM entries WHERE key IN (SELECT key FROM entries WHERE tenant_id = ? AND memory_key = ? LIMIT 500)",
        )
        .bind(tenantId, key)
        .run();
      changes = meta.changes;
    }
    await this.db.batch([
      this.db.prepare("DELETE FROM memory_dead_letters WHERE tenant_id = ? AND memory_id = ?").bind(tenantId, memoryId),
      this.db.prepare("DELETE FROM memories WHERE tenant_id = ? AND key = ?").bind(tenantId, key),
    ]);
  }

  /** Notes that the memory has this thread; again is harmless. */
  async noteThread({ tenantId, key }: MemoryRef, threadId: string): Promise<void> {
    await this.db
      .prepare(
        `INSERT INTO memory_threads (tenant_id, memory_key, thread_id, created_at) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING`,
      )
      .bind(tenantId, key, threadId, this.now())
      .run();
  }

  async threads({ tenantId, key }: MemoryRef, after: string | undefined, limit: number): Promise<string[]> {
    const { results } = await this.db
      .prepare(
        "SELECT thread_id FROM memory_threads WHERE tenant_id = ?1 AND memory_key = ?2 AND (?3 IS NULL OR thread_id > ?3) ORDER BY thread_id LIMIT ?4",
      )
      .bind(tenantId, key, after ?? null, limit)
      .all();
    return results.map((row) => z.object({ thread_id: z.string() }).parse(row).thread_id);
  }

  /** A page of the threads as they are listed: those that a caller can name. */
  async threadSummaries({ tenantId, key }: MemoryRef, after: string, limit: number): Promise<ThreadSummary[]> {
    const { results } = await this.db
      .prepare(
        `SELECT thread_id, created_at FROM memory_threads WHERE tenant_id = ? AND memory_key = ? AND thread_id > ?
         ORDER BY thread_id LIMIT ?`,
      )
      .bind(tenantId, key, after, limit)
      .all();
    return results.map((row) => {
      const { thread_id: threadId, created_at } = threadRow.parse(row);
      return { threadId, createdAt: new Date(created_at).toISOString() };
    });
  }

  /** When the thread was begun, in milliseconds since the epoch; undefined when there is none. */
  async threadCreatedAt({ tenantId, key }: MemoryRef, threadId: string): Promise<number | undefined> {
    const query = "SELECT created_at FROM memory_threads WHERE tenant_id = ? AND memory_key = ? AND thread_id = ?";
    const row = await this.db.prepare(query).bind(tenantId, key, threadId).first();
    return row === null ? undefined : z.object({ created_at: z.number() }).parse(row).created_at;
  }

  /** Some of the entries of a thread that hold still. */
  async entryIdsOfThread({ tenantId, key }: MemoryRef, threadId: string, limit: number): Promise<string[]> {
    const { results } = await this.db
      .prepare(
        "SELECT entry_id FROM entries WHERE tenant_id = ? AND memory_key = ? AND thread_id = ? AND deleted_at IS NULL LIMIT ?",
      )
      .bind(tenantId, key, threadId, limit)
      .all();
    return results.map((row) => z.object({ entry_id: z.string() }).parse(row).entry_id);
  }

  /** Removes what is left of a thread whose entries are erased: a thread of the same name begins anew. */
  async removeThread({ tenantId, memoryId, key }: MemoryRef, threadId: string): Promise<void> {
    await this.db.batch([
      this.db
        .prepare("DELETE FROM entries WHERE tenant_id = ? AND memory_key = ? AND thread_id = ?")
        .bind(tenantId, key, threadId),
      this.db.prepare("DELETE FROM context_coverage WHERE memory_key = ? AND thread_id = ?").bind(key, threadId),
      this.db
        .prepare("DELETE FROM memory_dead_letters WHERE tenant_id = ? AND memory_id = ? AND thread_id = ?")
        .bind(tenantId, memoryId, threadId),
      this.db
        .prepare("DELETE FROM memory_threads WHERE tenant_id = ? AND memory_key = ? AND thread_id = ?")
        .bind(tenantId, key, threadId),
    ]);
  }

  private async row(tenantId: string, memoryId: string): Promise<z.infer<typeof memoryRow> | undefined> {
    const row = await this.db
      .prepare("SELECT * FROM memories WHERE tenant_id = ? AND memory_id = ?")
      .bind(tenantId, memoryId)
      .first();
    return row === null ? undefined : memoryRow.parse(row);
  }
}

function readVault(row: unknown): Vault {
  const { vault_id, title, created_at } = vaultRow.parse(row);
  return { vaultId: vault_id, title, createdAt: new Date(created_at).toISOString() };
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
