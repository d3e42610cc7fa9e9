/** Ids that are settled before a thing is made: by the caller's own id for it, or by the key of the request. A retry makes the same thing. */
import { z } from "zod";
import type { Database } from "./database.js";

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
    const [, found] = await this.db.batch([
      this.db
        .prepare(
          `INSERT INTO creation_keys (tenant_id, sender, idempotency_key, request_hash, id, created_at)
           VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
        )
        .bind(tenantId, sender, key, hash, id, this.now()),
      this.db.prepare(selectClaim).bind(tenantId, sender, key),
    ]);
    return claimOf(keyRow.parse(found?.results[0]), hash);
  }

  /** What the key stands for; undefined where it stands for nothing yet. */
  async find({ tenantId, sender, key, hash }: CreationKey): Promise<KeyClaim | undefined> {
    const row = await this.db.prepare(selectClaim).bind(tenantId, sender, key).first();
    return row === null ? undefined : claimOf(keyRow.parse(row), hash);
  }

  /** What the caller's own id stands for: this id, unless it stood for another one before. */
  async claimExternalId(tenantId: string, kind: ClaimedKind, externalId: string, id: string): Promise<string> {
    const [, found] = await this.db.batch([
      this.db
        .prepare(
          "INSERT INTO external_ids (tenant_id, kind, external_id, id) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
        )
        .bind(tenantId, kind, externalId, id),
      this.db
        .prepare("SELECT id FROM external_ids WHERE tenant_id = ? AND kind = ? AND external_id = ?")
        .bind(tenantId, kind, externalId),
    ]);
    return externalRow.parse(found?.results[0]).id;
  }

  /**
   * What has this id was to be made by a request that never came to it, and is made by another now: its key stands for nothing any
   * more, and the key of the one that makes it stands for it.
   * @param instead the id that the other request had claimed
   */
  async takeOver(tenantId: string, id: string, instead: string): Promise<void> {
    await this.db.batch([
      this.db.prepare(`DELETE FROM creation_keys ${ofThing} WHERE tenant_id = ? AND id = ?`).bind(tenantId, id),
      this.db
        .prepare(`UPDATE creation_keys ${ofThing} SET id = ?2 WHERE tenant_id = ?1 AND id = ?3`)
        .bind(tenantId, id, instead),
    ]);
  }

  /** The id that the caller's own id stands for. The thing itself may not have been made yet. */
  async byExternalId(tenantId: string, kind: ClaimedKind, externalId: string): Promise<string | undefined> {
    const row = await this.db
      .prepare("SELECT id FROM external_ids WHERE tenant_id = ? AND kind = ? AND external_id = ?")
      .bind(tenantId, kind, externalId)
      .first();
    return row === null ? undefined : externalRow.parse(row).id;
  }

  /** To be called before a thing is deleted: its external id is free again, and no retry makes it anew. */
  async forget(tenantId: string, id: string): Promise<void> {
    await this.db.batch([
      this.db.prepare("DELETE FROM external_ids WHERE tenant_id = ? AND id = ?").bind(tenantId, id),
      this.db
        .prepare(`UPDATE creation_keys ${ofThing} SET deleted = 1 WHERE tenant_id = ? AND id = ?`)
        .bind(tenantId, id),
    ]);
  }

  /** Housekeeping: keys that nobody will send again. */
  async purgeExpired(now: number): Promise<void> {
    await this.db
      .prepare("DELETE FROM creation_keys WHERE created_at < ?")
      .bind(now - keyLifetimeMs)
      .run();
  }
}

/** Without it all keys of the tenant are read: to a database without statistics the primary key looks as good. */
const ofThing = "INDEXED BY creation_keys_of_thing";

const selectClaim =
  "SELECT id, request_hash, deleted FROM creation_keys WHERE tenant_id = ? AND sender = ? AND idempotency_key = ?";

function claimOf({ id, request_hash, deleted }: z.infer<typeof keyRow>, hash: string): KeyClaim {
  if (request_hash !== hash) return { kind: "other_request" };
  return deleted === 0 ? { kind: "claimed", id } : { kind: "deleted" };
}
