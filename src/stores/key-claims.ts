/** Keys that are settled before they are made: a request that is repeated after a crash gets the very key that the first one made. */
import { z } from "zod";
import { sha256Hex } from "../platform/digest.js";
import { makeKey, type NewKey, readKey, type Sealer } from "../platform/secrets.js";
import { batch, type Database, run, sql } from "../platform/sql.js";
import type { CreationKey } from "./creation-claims.js";

/** How long a request's key stands for what was made under it, in milliseconds. */
const keyLifetimeMs = 24 * 3_600_000;

const claimRow = z.object({ id: z.string(), request_hash: z.string(), sealed_key: z.string(), deleted: z.number() });

export type ClaimRefusal = { readonly kind: "other_request" | "deleted" };
/** The id to make the thing under, and its key; either may have been made already. */
export type KeyClaimed = { readonly kind: "claimed"; readonly id: string; readonly created: NewKey } | ClaimRefusal;

export class KeyClaims {
  constructor(
    private readonly db: Database,
    private readonly sealer: Sealer,
    private readonly now: () => number,
  ) {}

  /** @param request without one nothing is settled: what is new is made. */
  async claim(request: CreationKey | undefined, id: string, keyId: string): Promise<KeyClaimed> {
    const created = await makeKey(keyId);
    if (request === undefined) return { kind: "claimed", id, created };
    const { tenantId, sender, key, hash } = request;
    const [, found] = await batch(this.db, [
      sql`INSERT INTO key_claims (scope, sender, idempotency_key, request_hash, id, key_id, sealed_key, created_at)
        VALUES (${tenantId}, ${sender}, ${key}, ${hash}, ${id}, ${keyId}, ${await this.sealer.seal(created.key)},
          ${this.now()})
        ON CONFLICT DO NOTHING`,
      sql`SELECT id, request_hash, sealed_key, deleted FROM key_claims
        WHERE scope = ${tenantId} AND sender = ${sender} AND idempotency_key = ${key}`,
    ]);
    const row = claimRow.parse(found?.results[0]);
    if (row.request_hash !== hash) return { kind: "other_request" };
    if (row.deleted !== 0) return { kind: "deleted" };
    const whole = await this.sealer.open(row.sealed_key);
    const parts = readKey(whole);
    if (parts === undefined) throw new RangeError("a claim holds what is no key");
    const settled = { keyId: parts.keyId, key: whole, secretHash: await sha256Hex(parts.secret) };
    return { kind: "claimed", id: row.id, created: settled };
  }

  /** Housekeeping: keys that nobody will send again. */
  async purgeExpired(now: number): Promise<void> {
    await run(this.db)`DELETE FROM key_claims WHERE created_at < ${now - keyLifetimeMs}`;
  }
}
