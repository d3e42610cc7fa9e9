/** Ids that are settled before a thing is made: by the caller's own id for it, or by the key of the request. A retry makes the same thing. */
import { z } from "zod";
import { batch, type Database, first, run, type Sql, sql } from "../platform/sql.js";

/** How long a key stands for what was made under it, in milliseconds. */
const keyLifetimeMs = 24 * 3_600_000;

const externalRow = z.object({ id: z.string() });
const keyRow = z.object({ id: z.string(), request_hash: z.string(), deleted: z.number() });

/** Who sent which key with what. */
export interface CreationKey {
  readonly tenantId: string;
  readonly sender: string;
  readonly key: string;
  /** Tells whether the same key came with the same request. */
  readonly hash: string;
}

export type KeyClaim =
  /** The id to make the thing under; it may have been made already. */
  { readonly kind: "claimed"; readonly id: string } | { readonly kind: "other_request" | "deleted" };

/** Kinds of things whose copies in D1 are a moment behind: their callers' ids are claimed here. */
export type ClaimedKind = "sessions" | "runs" | "roundtables";

export class CreationClaims {
  constructor(
    private readonly db: Database,
    private readonly now: () => number,
  ) {}

  /** What the key stands for: this id, unless it stood for another one before. */
  async claimKey({ tenantId, sender, key, hash }: CreationKey, id: string): Promise<KeyClaim> {
    const [, found] = await batch(this.db, [
      sql`INSERT INTO creation_keys (tenant_id, sender, idempotency_key, request_hash, id, created_at)
        VALUES (${tenantId}, ${sender}, ${key}, ${hash}, ${id}, ${this.now()}) ON CONFLICT DO NOTHING`,
      selectClaim({ tenantId, sender, key }),
    ]);
    return claimOf(keyRow.parse(found?.results[0]), hash);
  }

  /** What the key stands for; undefined where it stands for nothing yet. */
  async find(request: CreationKey): Promise<KeyClaim | undefined> {
    const row = await first(this.db, keyRow)`${selectClaim(request)}`;
    return row && claimOf(row, request.hash);
  }

  /** What the caller's own id stands for: this id, unless it stood for another one before. */
  async claimExternalId(tenantId: string, kind: ClaimedKind, externalId: string, id: string): Promise<string> {
    const [, found] = await batch(this.db, [
      sql`
        INSERT INTO external_ids (tenant_id, kind, external_id, id) VALUES (${tenantId}, ${kind}, ${externalId}, ${id})
        ON CONFLICT DO NOTHING`,
      sql`
        SELECT id FROM external_ids WHERE tenant_id = ${tenantId} AND kind = ${kind} AND external_id = ${externalId}`,
    ]);
    return externalRow.parse(found?.results[0]).id;
  }

  /**
   * What has this id was to be made by a request that never came to it, and is made by another now: its key stands for nothing any
   * more, and the key of the one that makes it stands for it.
   * @param instead the id that the other request had claimed
   */
  async takeOver(tenantId: string, id: string, instead: string): Promise<void> {
    await batch(this.db, [
      sql`DELETE FROM creation_keys ${ofThing} WHERE tenant_id = ${tenantId} AND id = ${id}`,
      sql`UPDATE creation_keys ${ofThing} SET id = ${id} WHERE tenant_id = ${tenantId} AND id = ${instead}`,
    ]);
  }

  /** The id that the caller's own id stands for. The thing itself may not have been made yet. */
  async byExternalId(tenantId: string, kind: ClaimedKind, externalId: string): Promise<string | undefined> {
    return (
      await first(this.db, externalRow)`
        SELECT id FROM external_ids WHERE tenant_id = ${tenantId} AND kind = ${kind} AND external_id = ${externalId}`
    )?.id;
  }

  /** To be called before a thing is deleted: its external id is free again, and no retry makes it anew. */
  async forget(tenantId: string, id: string): Promise<void> {
    await batch(this.db, [
      sql`DELETE FROM external_ids WHERE tenant_id = ${tenantId} AND id = ${id}`,
      sql`UPDATE creation_keys ${ofThing} SET deleted = 1 WHERE tenant_id = ${tenantId} AND id = ${id}`,
    ]);
  }

  /** Housekeeping: keys that nobody will send again. */
  async purgeExpired(now: number): Promise<void> {
    await run(this.db)`DELETE FROM creation_keys WHERE created_at < ${now - keyLifetimeMs}`;
  }
}

/** Without it all keys of the tenant are read: to a database without statistics the primary key looks as good. */
const ofThing = sql`INDEXED BY creation_keys_of_thing`;

function selectClaim({ tenantId, sender, key }: Omit<CreationKey, "hash">): Sql {
  return sql`SELECT id, request_hash, deleted FROM creation_keys
    WHERE tenant_id = ${tenantId} AND sender = ${sender} AND idempotency_key = ${key}`;
}

function claimOf({ id, request_hash, deleted }: z.infer<typeof keyRow>, hash: string): KeyClaim {
  if (request_hash !== hash) return { kind: "other_request" };
  return deleted === 0 ? { kind: "claimed", id } : { kind: "deleted" };
}
