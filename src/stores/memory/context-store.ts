/** Context documents in D1: versions by compare-and-set, what each covers of every thread, and which entries it rests on. */
import { z } from "zod";
import {
  type Forgotten,
  forgottenSchema,
  hasForgotten,
  type ItemOrigin,
  itemOriginSchema,
  itemsOfText,
} from "../../memory/context-items.js";
import type { FlushBase, PutOutcome } from "../../memory/flush.js";
import { type ContextVersion, contextSources } from "../../memory/memory.js";
import { all, batch, type Database, first, hasChanged, sql } from "../../platform/sql.js";
import { integer, text } from "../columns.js";
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
  /** When it was written, of one that is copied; ISO. */
  readonly createdAt?: string | undefined;
}

/** An entry that a context rests on, and the version that took it in. */
export interface ContextSource {
  readonly entryId: string;
  readonly since: number;
}

const contextRow = z.object({
  version: integer,
  document: text,
  source: z.enum(contextSources),
  author: text,
  created_at: text,
});

const versionRow = z.object({ version: z.int() });
const coverageRow = z.object({ thread_id: z.string(), covered_seq: z.int() });

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
export const itemisedColumns = sql`version, document, source, origins, forgotten`;

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
    const row = await first(this.db, contextRow)`
      SELECT * FROM contexts WHERE tenant_id = ${memory.tenantId} AND memory_key = ${memory.key} ORDER BY version DESC
      LIMIT 1`;
    return row === undefined ? emptyContext : this.show(memory, row);
  }

  async version(memory: MemoryRef, version: number): Promise<ContextVersion | undefined> {
    const row = await first(this.db, contextRow)`
      SELECT * FROM contexts WHERE tenant_id = ${memory.tenantId} AND memory_key = ${memory.key} AND version = ${version}`;
    return row && this.show(memory, row);
  }

  /** Newest first, without what they cover. */
  async versions(memory: MemoryRef, before: number, limit: number): Promise<Omit<ContextVersion, "coverage">[]> {
    return (
      await all(this.db, contextRow)`SELECT * FROM contexts
        WHERE tenant_id = ${memory.tenantId} AND memory_key = ${memory.key} AND version < ${before} ORDER BY version DESC
        LIMIT ${limit}`
    ).map(showRow);
  }

  /** What a flush begins with. */
  async base(memory: MemoryRef): Promise<FlushBase> {
    const [context, counted] = await batch(this.db, [
      sql`SELECT ${itemisedColumns} FROM contexts WHERE tenant_id = ${memory.tenantId} AND memory_key = ${memory.key}
        ORDER BY version DESC LIMIT 1`,
      sql`SELECT erasures FROM memories WHERE tenant_id = ${memory.tenantId} AND key = ${memory.key}`,
    ]);
    const { erasures } = z.object({ erasures: z.int() }).parse(counted?.results[0]);
    const row = context?.results[0];
    if (row === undefined) return { version: 0, document: "", origins: [], forgotten: { entries: [] }, erasures };
    return { ...itemisedRow.parse(row), erasures };
  }

  /** A version with what its items rest on. */
  async itemised({ tenantId, key }: MemoryRef, version: number): Promise<ItemisedVersion | undefined> {
    return first(this.db, itemisedRow)`SELECT ${itemisedColumns} FROM contexts
      WHERE tenant_id = ${tenantId} AND memory_key = ${key} AND version = ${version}`;
  }

  /** Puts a version if the expected one still counts. A flush that put before gets its own version. */
  async put(memory: MemoryRef, context: NewContext, claim?: WorkClaim): Promise<PutOutcome> {
    const { tenantId, key } = memory;
    const version = context.expected + 1;
    const { createdAt = new Date(this.now()).toISOString() } = context;
    // Who wrote the row, so that the statements after it know whether this very batch did.
    const author = `${context.author}#${crypto.randomUUID()}`;
    const ofMine = sql`
      memory_key = ${key} AND version = ${version} AND created_at = ${createdAt} AND author = ${author}`;
    const isMine = sql`EXISTS (SELECT 1 FROM contexts WHERE ${ofMine})`;
    const { erasures } = context;
    const forgotten = context.forgotten && JSON.stringify(context.forgotten);
    const forgottenBefore = sql`(SELECT forgotten FROM contexts WHERE memory_key = ${key} AND version = ${context.expected})`;
    const [written] = await claimingBatch(this.db, [
      sql`
        INSERT INTO contexts (tenant_id, memory_key, version, document, source, author, flush_key, created_at, origins, forgotten)
        SELECT ${tenantId}, ${key}, ${version}, ${context.document}, ${context.source}, ${author}, ${context.flushKey},
          ${createdAt}, ${JSON.stringify(context.origins)}, COALESCE(${forgotten}, ${forgottenBefore}, '{"entries":[]}')
        WHERE (SELECT COALESCE(MAX(version), 0) FROM contexts WHERE memory_key = ${key}) = ${context.expected}
          AND (${erasures} IS NULL OR (SELECT erasures FROM memories WHERE key = ${key} AND tenant_id = ${tenantId}) = ${erasures})
        ON CONFLICT DO NOTHING`,
      ...(context.restores === undefined
        ? []
        : [
            sql`INSERT INTO context_coverage (memory_key, thread_id, version, covered_seq)
              SELECT t.memory_key, t.thread_id, ${version}, COALESCE((SELECT o.covered_seq FROM context_coverage o
                WHERE o.memory_key = t.memory_key AND o.thread_id = t.thread_id AND o.version <= ${context.restores}
                ORDER BY o.version DESC LIMIT 1), 0)
              FROM (SELECT DISTINCT memory_key, thread_id FROM context_coverage WHERE memory_key = ${key}) t
              WHERE ${isMine} ON CONFLICT DO NOTHING`,
          ]),
      ...Object.entries(context.coverage ?? {}).map(
        ([threadId, seq]) =>
          sql`INSERT INTO context_coverage (memory_key, thread_id, version, covered_seq)
            SELECT ${key}, ${threadId}, ${version}, ${seq} WHERE ${isMine} ON CONFLICT DO NOTHING`,
      ),
      sql`INSERT INTO context_sources (memory_key, entry_id, version) SELECT ${key}, value, ${version}
        FROM json_each(${JSON.stringify(context.sources ?? [])}) WHERE ${isMine} ON CONFLICT DO NOTHING`,
      sql`UPDATE contexts SET author = ${context.author} WHERE ${ofMine}`,
      ...claimStatements(claim, String(version)),
    ]);
    if (hasChanged(written)) return { kind: "stored", version };
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
    if (itemised === undefined || !hasForgotten(itemised.forgotten)) return taken;
    const firstLost = await this.forgetting.firstForgotten(memory, itemised.forgotten);
    const covered = Object.entries(taken).map(([id, seq]) => [id, Math.min(seq, (firstLost.get(id) ?? seq + 1) - 1)]);
    return Object.fromEntries(covered);
  }

  /** Up to which message each thread was taken in by a version, whatever was forgotten since. */
  async takenIn({ key }: MemoryRef, version: number): Promise<Record<string, number>> {
    // Thread by thread: the versions before aren't read.
    const rows = await all(this.db, coverageRow)`
      SELECT t.thread_id, c.covered_seq FROM memory_threads t CROSS JOIN context_coverage c
        ON c.memory_key = t.memory_key AND c.thread_id = t.thread_id AND c.version = (SELECT MAX(version) FROM context_coverage
          WHERE memory_key = t.memory_key AND thread_id = t.thread_id AND version <= ${version})
      WHERE t.memory_key = ${key}`;
    return Object.fromEntries(rows.map((row) => [row.thread_id, row.covered_seq]));
  }

  /** The entries that a version rests on: those it took in, and those of the versions before it; by version, then by id. */
  async sources({ key }: MemoryRef, version: number, after: ContextSource, limit: number): Promise<ContextSource[]> {
    return (
      await all(this.db, z.object({ entry_id: z.string(), since: z.int() }))`
        SELECT entry_id, version AS since FROM context_sources s
        WHERE memory_key = ${key} AND version <= ${version} AND (version, entry_id) > (${after.since},
          ${after.entryId}) AND NOT EXISTS (SELECT 1 FROM context_sources e WHERE e.memory_key = s.memory_key
          AND e.entry_id = s.entry_id AND e.version < s.version)
        ORDER BY version, entry_id LIMIT ${limit}`
    ).map((row) => ({ entryId: row.entry_id, since: row.since }));
  }

  private async ofFlush({ key }: MemoryRef, flushKey: string): Promise<number | undefined> {
    return (
      await first(this.db, versionRow)`
        SELECT version FROM contexts WHERE memory_key = ${key} AND flush_key = ${flushKey}`
    )?.version;
  }

  private async show(memory: MemoryRef, row: z.infer<typeof contextRow>): Promise<ContextVersion> {
    const shown = showRow(row);
    return { ...shown, coverage: await this.coverage(memory, shown.version) };
  }
}

/** Before anything was written. */
const emptyContext: ContextVersion = { version: 0, document: "", coverage: {} };

function showRow(row: z.infer<typeof contextRow>): Omit<ContextVersion, "coverage"> {
  const { version, document, source, created_at: createdAt } = row;
  return { version, document, source, author: row.author.split("#")[0] ?? "", createdAt };
}
