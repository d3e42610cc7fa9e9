/** Context documents in D1: versions by compare-and-set, what each covers of every thread, and which entries it rests on. */
import { z } from "zod";
import {
  type Forgotten,
  forgottenSchema,
  type ItemOrigin,
  isForgetful,
  itemOriginSchema,
  itemsOfText,
} from "../../memory/context-items.js";
import type { FlushBase, PutOutcome } from "../../memory/flush.js";
import { type ContextVersion, contextSources } from "../../memory/memory.js";
import type { Database } from "../database.js";
import { claimingBatch, claimStatements, type WorkClaim } from "../work-claims.js";
import { ContextForgetting } from "./context-forgetting.js";
import type { MemoryRef } from "./memory-store.js";

export interface NewContext {
  readonly document: string;
  /** What its items rest on, in their order. */
  readonly origins: readonly ItemOrigin[];
  /** Entries that it holds no longer; those of the expected version, if left out. */
  readonly forgotten?: Forgotten;
  readonly source: (typeof contextSources)[number];
  readonly author: string;
  /** The version that has to be the current one. */
  readonly expected: number;
  /** Deletions that were known of; others since then make it void. */
  readonly erasures?: number;
  readonly flushKey?: string;
  /** What it covers beyond the version before. */
  readonly coverage?: Readonly<Record<string, number>>;
  /** Begins from what this version covered, and not from the one before. */
  readonly restores?: number;
  readonly sources?: readonly string[];
}

/** An entry that a context rests on, and the version that took it in. */
export interface ContextSource {
  readonly entryId: string;
  readonly since: number;
}

const contextRow = z.object({
  version: z.int(),
  document: z.string(),
  source: z.enum(contextSources),
  author: z.string(),
  created_at: z.string(),
});

/** A version with what its items rest on. */
export const itemisedRow = z
  .object({ version: z.int(), document: z.string(), source: z.string(), origins: z.string(), forgotten: z.string() })
  .transform(({ version, document, source, ...row }) => {
    const origins = z.array(itemOriginSchema).parse(JSON.parse(row.origins));
    // What a person wrote before origins were kept is that person's.
    const byHand = source === "person" && origins.length === 0;
    return {
      version,
      document,
      origins: byHand ? itemsOfText(document).map((): ItemOrigin => ({ by: "person" })) : origins,
      forgotten: forgottenSchema.parse(JSON.parse(row.forgotten)),
    };
  });
export type ItemisedVersion = z.infer<typeof itemisedRow>;
export const itemisedColumns = "version, document, source, origins, forgotten";

export class ContextStore {
  readonly forgetting: ContextForgetting;

  constructor(
    private readonly db: Database,
    private readonly now: () => number,
  ) {
    this.forgetting = new ContextForgetting(db);
  }

  /** The current version, or version 0 with nothing in it. */
  async current(memory: MemoryRef): Promise<ContextVersion> {
    const row = await this.db
      .prepare("SELECT * FROM contexts WHERE tenant_id = ? AND memory_key = ? ORDER BY version DESC LIMIT 1")
      .bind(memory.tenantId, memory.key)
      .first();
    return row === null ? emptyContext : this.show(memory, row);
  }

  async version(memory: MemoryRef, version: number): Promise<ContextVersion | undefined> {
    const row = await this.db
      .prepare("SELECT * FROM contexts WHERE tenant_id = ? AND memory_key = ? AND version = ?")
      .bind(memory.tenantId, memory.key, version)
      .first();
    return row === null ? undefined : this.show(memory, row);
  }

  /** Newest first, without what they cover. */
  async versions(memory: MemoryRef, before: number, limit: number): Promise<Omit<ContextVersion, "coverage">[]> {
    const { results } = await this.db
      .prepare(
        "SELECT * FROM contexts WHERE tenant_id = ? AND memory_key = ? AND version < ? ORDER BY version DESC LIMIT ?",
      )
      .bind(memory.tenantId, memory.key, before, limit)
      .all();
    return results.map((row) => showRow(contextRow.parse(row)));
  }

  /** What a flush begins with. */
  async base(memory: MemoryRef): Promise<FlushBase> {
    const [context, counted] = await this.db.batch([
      this.db
        .prepare(
          `SELECT ${itemisedColumns} FROM contexts WHERE tenant_id = ? AND memory_key = ? ORDER BY version DESC LIMIT 1`,
        )
        .bind(memory.tenantId, memory.key),
      this.db
        .prepare("SELECT erasures FROM memories WHERE tenant_id = ? AND key = ?")
        .bind(memory.tenantId, memory.key),
    ]);
    const { erasures } = z.object({ erasures: z.int() }).parse(counted?.results[0]);
    const row = context?.results[0];
    if (row === undefined) return { version: 0, document: "", origins: [], forgotten: { entries: [] }, erasures };
    return { ...itemisedRow.parse(row), erasures };
  }

  /** A version with what its items rest on. */
  async itemised({ tenantId, key }: MemoryRef, version: number): Promise<ItemisedVersion | undefined> {
    const row = await this.db
      .prepare(`SELECT ${itemisedColumns} FROM contexts WHERE tenant_id = ? AND memory_key = ? AND version = ?`)
      .bind(tenantId, key, version)
      .first();
    return row === null ? undefined : itemisedRow.parse(row);
  }

  /** Puts a version if the expected one still counts. A flush that put before gets its own version. */
  async put(memory: MemoryRef, context: NewContext, claim?: WorkClaim): Promise<PutOutcome> {
    const { tenantId, key } = memory;
    const version = context.expected + 1;
    const isMine =
      "EXISTS (SELECT 1 FROM contexts WHERE memory_key = ?1 AND version = ?2 AND created_at = ?3 AND author = ?4)";
    const createdAt = new Date(this.now()).toISOString();
    // Who wrote the row, so that the statements after it know whether this very batch did.
    const author = `${context.author}#${crypto.randomUUID()}`;
    const mine = [key, version, createdAt, author];
    const results = await claimingBatch(this.db, [
      this.db
        .prepare(
          `INSERT INTO contexts (tenant_id, memory_key, version, document, source, author, flush_key, created_at, origins, forgotten)
           SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?10,
             COALESCE(?11, (SELECT forgotten FROM contexts WHERE memory_key = ?2 AND version = ?3 - 1), '{"entries":[]}')
           WHERE (SELECT COALESCE(MAX(version), 0) FROM contexts WHERE memory_key = ?2) = ?3 - 1
             AND (?9 IS NULL OR (SELECT erasures FROM memories WHERE key = ?2 AND tenant_id = ?1) = ?9)
           ON CONFLICT DO NOTHING`,
        )
        .bind(
          tenantId,
          key,
          version,
          context.document,
          context.source,
          author,
          context.flushKey ?? null,
          createdAt,
          context.erasures ?? null,
          JSON.stringify(context.origins),
          context.forgotten === undefined ? null : JSON.stringify(context.forgotten),
        ),
      ...(context.restores === undefined
        ? []
        : [
            this.db
              .prepare(
                `INSERT INTO context_coverage (memory_key, thread_id, version, covered_seq)
                 SELECT t.memory_key, t.thread_id, ?2, COALESCE((SELECT o.covered_seq FROM context_coverage o
                   WHERE o.memory_key = t.memory_key AND o.thread_id = t.thread_id AND o.version <= ?5
                   ORDER BY o.version DESC LIMIT 1), 0)
                 FROM (SELECT DISTINCT memory_key, thread_id FROM context_coverage WHERE memory_key = ?1) t WHERE ${isMine}
                 ON CONFLICT DO NOTHING`,
              )
              .bind(...mine, context.restores),
          ]),
      ...Object.entries(context.coverage ?? {}).map(([threadId, seq]) =>
        this.db
          .prepare(
            `INSERT INTO context_coverage (memory_key, thread_id, version, covered_seq) SELECT ?1, ?5, ?2, ?6 WHERE ${isMine}
             ON CONFLICT DO NOTHING`,
          )
          .bind(...mine, threadId, seq),
      ),
      this.db
        .prepare(
          `INSERT INTO context_sources (memory_key, entry_id, version) SELECT ?1, value, ?2 FROM json_each(?5) WHERE ${isMine}
           ON CONFLICT DO NOTHING`,
        )
        .bind(...mine, JSON.stringify(context.sources ?? [])),
      this.db
        .prepare(
          "UPDATE contexts SET author = ?5 WHERE memory_key = ?1 AND version = ?2 AND created_at = ?3 AND author = ?4",
        )
        .bind(...mine, context.author),
      ...claimStatements(this.db, claim, String(version)),
    ]);
    if ((results[0]?.meta.changes ?? 0) > 0) return { kind: "stored", version };
    const before = context.flushKey === undefined ? undefined : await this.ofFlush(memory, context.flushKey);
    if (before !== undefined) return { kind: "stored", version: before };
    const current = await this.base(memory);
    return context.erasures !== undefined && current.erasures !== context.erasures
      ? { kind: "erased" }
      : { kind: "conflict", current };
  }

  /** Up to which message each thread is covered by a version: not beyond what it has forgotten. */
  async coverage(memory: MemoryRef, version: number): Promise<Record<string, number>> {
    const [taken, itemised] = await Promise.all([this.takenIn(memory, version), this.itemised(memory, version)]);
    if (itemised === undefined || !isForgetful(itemised.forgotten)) return taken;
    const firstLost = await this.forgetting.firstForgotten(memory, itemised.forgotten);
    const covered = Object.entries(taken).map(([id, seq]) => [id, Math.min(seq, (firstLost.get(id) ?? seq + 1) - 1)]);
    return Object.fromEntries(covered);
  }

  /** Up to which message each thread was taken in by a version, whatever was forgotten since. */
  async takenIn({ key }: MemoryRef, version: number): Promise<Record<string, number>> {
    const { results } = await this.db
      .prepare(
        // Thread by thread: the versions before aren't read.
        `SELECT t.thread_id, c.covered_seq FROM memory_threads t CROSS JOIN context_coverage c
           ON c.memory_key = t.memory_key AND c.thread_id = t.thread_id AND c.version =
             (SELECT MAX(version) FROM context_coverage WHERE memory_key = t.memory_key AND thread_id = t.thread_id AND version <= ?2)
         WHERE t.memory_key = ?1`,
      )
      .bind(key, version)
      .all();
    const rows = z.array(z.object({ thread_id: z.string(), covered_seq: z.int() })).parse(results);
    return Object.fromEntries(rows.map((row) => [row.thread_id, row.covered_seq]));
  }

  /** The entries that a version rests on: those it took in, and those of the versions before it; by version, then by id. */
  async sources({ key }: MemoryRef, version: number, after: ContextSource, limit: number): Promise<ContextSource[]> {
    const { results } = await this.db
      .prepare(
        `SELECT entry_id, version AS since FROM context_sources s
         WHERE memory_key = ?1 AND version <= ?2 AND (version, entry_id) > (?3, ?4) AND NOT EXISTS (SELECT 1 FROM context_sources e
           WHERE e.memory_key = s.memory_key AND e.entry_id = s.entry_id AND e.version < s.version)
         ORDER BY version, entry_id LIMIT ?5`,
      )
      .bind(key, version, after.since, after.entryId, limit)
      .all();
    return z
      .array(z.object({ entry_id: z.string(), since: z.int() }))
      .parse(results)
      .map((row) => ({ entryId: row.entry_id, since: row.since }));
  }

  private async ofFlush({ key }: MemoryRef, flushKey: string): Promise<number | undefined> {
    const row = await this.db
      .prepare("SELECT version FROM contexts WHERE memory_key = ? AND flush_key = ?")
      .bind(key, flushKey)
      .first();
    return row === null ? undefined : z.object({ version: z.int() }).parse(row).version;
  }

  private async show(memory: MemoryRef, row: unknown): Promise<ContextVersion> {
    const shown = showRow(contextRow.parse(row));
    return { ...shown, coverage: await this.coverage(memory, shown.version) };
  }
}

/** Before anything was written. */
const emptyContext: ContextVersion = { version: 0, document: "", coverage: {} };

function showRow(row: z.infer<typeof contextRow>): Omit<ContextVersion, "coverage"> {
  const { version, document, source, created_at: createdAt } = row;
  return { version, document, source, author: row.author.split("#")[0] ?? "", createdAt };
}
