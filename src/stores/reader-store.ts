/** In D1: revoked subjects, and who listens where, so that what is revoked can be closed. */
import { z } from "zod";
import type { ActorRecord } from "../conversation/actor-record.js";
import type { Actor } from "../tenancy/actor.js";
import { insertResourceAct } from "./audit-log.js";
import type { Database } from "./database.js";
import { claimingBatch, claimStatements, type WorkClaim } from "./work-claims.js";

/** How long a connection may stay, in milliseconds: objects close older ones, and their rows are forgotten. */
export const maxConnectionMs = 30 * 86_400_000;

/** Who holds a key; or whose token was minted with it. */
type Reader = Pick<Actor, "tenantId" | "kind" | "id" | "mintedBy" | "subject" | "role">;

/** The key that a connection depends on: its reader's own, or the one that the token was minted with. */
export function keyOf({ id, mintedBy }: Pick<Actor, "id" | "mintedBy">): string {
  return mintedBy ?? id;
}

const ownerRow = z.object({ owner_id: z.string() });

export class ReaderStore {
  constructor(
    private readonly db: Database,
    private readonly now: () => number,
  ) {}

  /**
   * Notes that a connection is open, and says whether its reader may still have it. To be called once it is open: whoever revokes
   * later finds the row, and whoever revoked before is found here.
   */
  async opened(reader: Reader, ownerId: string, issuedAt: number | undefined): Promise<boolean> {
    const { tenantId, id } = reader;
    const [, keys] = await this.db.batch([
      this.db
        .prepare(
          `INSERT INTO connections (tenant_id, reader_id, key_id, owner_id, opened_at)
           SELECT ?1, ?2, ?3, ?4, ?5 WHERE EXISTS (SELECT 1 FROM keys WHERE tenant_id = ?1 AND key_id = ?3)
           ON CONFLICT DO UPDATE SET opened_at = ?5`,
        )
        .bind(tenantId, id, keyOf(reader), ownerId, this.now()),
      this.db
        .prepare(
          `SELECT (SELECT revoked_at FROM revoked_subjects WHERE tenant_id = ?1 AND subject = ?3) AS revoked_at
           FROM keys WHERE tenant_id = ?1 AND key_id = ?2`,
        )
        .bind(tenantId, keyOf(reader), reader.subject ?? null),
    ]);
    const key = keys?.results[0];
    if (key === undefined) return false;
    const { revoked_at } = z.object({ revoked_at: z.number().nullable() }).parse(key);
    return revoked_at === null || issuedAt === undefined || issuedAt > Math.floor(revoked_at / 1_000);
  }

  /** The objects where a reader, or anybody by a key, may have a connection. */
  async owners(tenantId: string, who: string): Promise<string[]> {
    const { results } = await this.db
      .prepare("SELECT DISTINCT owner_id FROM connections WHERE tenant_id = ?1 AND (reader_id = ?2 OR key_id = ?2)")
      .bind(tenantId, who)
      .all();
    return results.map((row) => ownerRow.parse(row).owner_id);
  }

  async closed(tenantId: string, who: string, ownerIds: readonly string[]): Promise<void> {
    await this.db
      .prepare(
        `DELETE FROM connections WHERE tenant_id = ?1 AND (reader_id = ?2 OR key_id = ?2)
           AND owner_id IN (SELECT value FROM json_each(?3))`,
      )
      .bind(tenantId, who, JSON.stringify(ownerIds))
      .run();
  }

  /** All tokens of a subject that were issued up to now are void. Revoked again within the same second changes nothing. */
  async revoke(tenantId: string, subject: string, by: ActorRecord, claim?: WorkClaim): Promise<void> {
    const at = this.now();
    const about = { kind: "subjects", name: subject };
    await claimingBatch(this.db, [
      this.db
        .prepare(
          `INSERT INTO revoked_subjects (tenant_id, subject, revoked_at) VALUES (?1, ?2, ?3)
           ON CONFLICT DO UPDATE SET revoked_at = ?3 WHERE revoked_at < ?4`,
        )
        .bind(tenantId, subject, at, Math.floor(at / 1_000) * 1_000),
      insertResourceAct(this.db, tenantId, {
        ...{ type: "subject.revoked", decision: "revoked", actor: by, subject: about, reasons: [], at },
      }),
      ...claimStatements(this.db, claim, "revoked"),
    ]);
  }

  /** Housekeeping: rows of connections that are closed by now, and failures that count no more. */
  async purgeExpired(now: number): Promise<void> {
    await this.db.batch([
      this.db.prepare("DELETE FROM connections WHERE opened_at < ?").bind(now - maxConnectionMs),
      this.db.prepare("DELETE FROM admin_failures WHERE minute < ?").bind(Math.floor(now / 60_000) - 60),
    ]);
  }

  /** Counts a wrong guess at the deployment's secret; gives how many came from this address in this minute. */
  async adminFailure(address: string): Promise<number> {
    const row = await this.db
      .prepare(
        `INSERT INTO admin_failures (minute, address, failures) VALUES (?, ?, 1)
         ON CONFLICT DO UPDATE SET failures = failures + 1 RETURNING failures`,
      )
      .bind(Math.floor(this.now() / 60_000), address)
      .first();
    return z.object({ failures: z.number() }).parse(row).failures;
  }
}
