/** In D1: revoked subjects, and who listens where, so that what is revoked can be closed. */
import { z } from "zod";
import type { ActorRecord } from "../conversation/actor-record.js";
import { all, batch, type Database, first, listed, run, sql } from "../platform/sql.js";
import type { Actor } from "../tenancy/actor.js";
import { insertResourceAct } from "./audit-log.js";
import { claimingBatch, claimStatements, type WorkClaim } from "./work-claims.js";

/** How long a connection may stay, in milliseconds: objects close older ones, and their rows are forgotten. */
export const maxConnectionMs = 30 * 86_400_000;

/** Who holds a key; or whose token was minted with it. */
type Reader = Pick<Actor, "tenantId" | "kind" | "id" | "mintedBy" | "subject" | "role">;

/** The key that a connection depends on: its reader's own, or the one that the token was minted with. */
export function keyOf({ id, mintedBy }: Pick<Actor, "id" | "mintedBy">): string {
  return mintedBy ?? id;
}

const failuresRow = z.object({ failures: z.number() });
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
    const keyId = keyOf(reader);
    const [, keys] = await batch(this.db, [
      sql`INSERT INTO connections (tenant_id, reader_id, key_id, owner_id, opened_at)
        SELECT ${tenantId}, ${id}, ${keyId}, ${ownerId}, ${this.now()}
        WHERE EXISTS (SELECT 1 FROM keys WHERE tenant_id = ${tenantId} AND key_id = ${keyId}) ON CONFLICT DO UPDATE
        SET opened_at = excluded.opened_at`,
      sql`SELECT (SELECT revoked_at FROM revoked_subjects WHERE tenant_id = ${tenantId}
          AND subject = ${reader.subject}) AS revoked_at
        FROM keys WHERE tenant_id = ${tenantId} AND key_id = ${keyId}`,
    ]);
    const key = keys?.results[0];
    if (key === undefined) return false;
    const { revoked_at } = z.object({ revoked_at: z.number().nullable() }).parse(key);
    return revoked_at === null || issuedAt === undefined || issuedAt > Math.floor(revoked_at / 1_000);
  }

  /** The objects where a reader, or anybody by a key, may have a connection. */
  async owners(tenantId: string, who: string): Promise<string[]> {
    return (
      await all(this.db, ownerRow)`SELECT DISTINCT owner_id FROM connections
        WHERE tenant_id = ${tenantId} AND (reader_id = ${who} OR key_id = ${who})`
    ).map((row) => row.owner_id);
  }

  async closed(tenantId: string, who: string, ownerIds: readonly string[]): Promise<void> {
    await run(this.db)`DELETE FROM connections
      WHERE tenant_id = ${tenantId} AND (reader_id = ${who} OR key_id = ${who}) AND owner_id IN ${listed(ownerIds)}`;
  }

  /** All tokens of a subject that were issued up to now are void. Revoked again within the same second changes nothing. */
  async revoke(tenantId: string, subject: string, by: ActorRecord, claim?: WorkClaim): Promise<void> {
    const at = this.now();
    const about = { kind: "subjects", name: subject };
    await claimingBatch(this.db, [
      sql`
        INSERT INTO revoked_subjects (tenant_id, subject, revoked_at) VALUES (${tenantId}, ${subject}, ${at}) ON CONFLICT
        DO UPDATE SET revoked_at = ${at} WHERE revoked_at < ${Math.floor(at / 1_000) * 1_000}`,
      insertResourceAct(tenantId, "subject.revoked", about, { by, at }),
      ...claimStatements(claim, "revoked"),
    ]);
  }

  /** Housekeeping: rows of connections that are closed by now, and failures that count no more. */
  async purgeExpired(now: number): Promise<void> {
    await batch(this.db, [
      sql`DELETE FROM connections WHERE opened_at < ${now - maxConnectionMs}`,
      sql`DELETE FROM admin_failures WHERE minute < ${Math.floor(now / 60_000) - 60}`,
    ]);
  }

  /** Counts a wrong guess; returns how many came from this address in this minute. @param address with the door before it that isn't the deployment's own */
  async failure(address: string): Promise<number> {
    return (
      (
        await first(this.db, failuresRow)`INSERT INTO admin_failures (minute, address, failures)
          VALUES (${Math.floor(this.now() / 60_000)}, ${address}, 1) ON CONFLICT DO UPDATE SET failures = failures + 1
          RETURNING failures`
      )?.failures ?? 0
    );
  }
}
