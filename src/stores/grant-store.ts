/** Programs that people let in, in D1. A grant that is gone has no row: what came of it counts no more with the next request. */
import { z } from "zod";
import type { ActorRecord } from "../conversation/actor-record.js";
import { newId } from "../platform/ids.js";
import { all, batch, type Database, first, hasChanged, run, type Sql, sql } from "../platform/sql.js";
import type { RecordedAct } from "../tenancy/audit.js";
import { codeMs, type Grant, idleGrantMs, mostGrants, type Reach, reaches } from "../tenancy/grant.js";
import { insertResourceAct } from "./audit-log.js";
import { number, numberOrNull, text, textOrNull } from "./columns.js";

export interface NewGrant {
  readonly personId: string;
  readonly client: string;
  readonly clientHost: string;
  readonly reach: Reach;
  readonly agents: readonly string[] | undefined;
}

/** What became of a code or of a refresh token. */
export type Exchange = "done" | "used_before" | "gone";

const names = z.array(z.string());
const grantRow = z
  .object({
    grant_id: text,
    person_id: text,
    client_name: text,
    client_host: text,
    reach: z.enum(reaches),
    agents: textOrNull,
    created_at: number,
    last_used_at: numberOrNull,
    expires_at: number,
  })
  .transform((row): Grant => {
    const iso = (at: number) => new Date(at).toISOString();
    return {
      grantId: row.grant_id,
      personId: row.person_id,
      client: row.client_name,
      clientHost: row.client_host,
      reach: row.reach,
      ...(row.agents === null ? {} : { agents: names.parse(JSON.parse(row.agents)) }),
      createdAt: iso(row.created_at),
      ...(row.last_used_at === null ? {} : { lastUsedAt: iso(row.last_used_at) }),
      expiresAt: iso(row.expires_at),
    };
  });
const issuedRow = z.object({ issued: number });

export class GrantStore {
  constructor(
    private readonly db: Database,
    private readonly now: () => number,
  ) {}

  /** @returns its id; nothing where the person has as many as may be */
  async add(tenantId: string, grant: NewGrant, by: ActorRecord): Promise<string | undefined> {
    const grantId = newId("grt");
    const at = this.now();
    const { personId, client, clientHost, reach, agents } = grant;
    const [, added] = await batch(this.db, [
      sql`DELETE FROM access_grants WHERE tenant_id = ${tenantId} AND person_id = ${personId} AND expires_at <= ${at}`,
      sql`INSERT INTO access_grants
          (tenant_id, grant_id, person_id, client_name, client_host, reach, agents, created_at, expires_at)
        SELECT ${tenantId}, ${grantId}, person_id, ${client}, ${clientHost}, ${reach},
          ${agents && JSON.stringify(agents)}, ${at}, ${at + codeMs} FROM people
        WHERE tenant_id = ${tenantId} AND person_id = ${personId} AND (SELECT COUNT(*) FROM access_grants
          WHERE tenant_id = ${tenantId} AND person_id = ${personId}) < ${mostGrants}`,
      grantAct(tenantId, "access.granted", grantId, { by, at, reason: clientHost }, reach),
    ]);
    return hasChanged(added) ? grantId : undefined;
  }

  /** Puts on record that somebody let a program not in. */
  async refuse(tenantId: string, personId: string, clientHost: string, by: ActorRecord): Promise<void> {
    await batch(this.db, [
      sql`UPDATE people SET status = status WHERE tenant_id = ${tenantId} AND person_id = ${personId}`,
      grantAct(tenantId, "access.refused", clientHost, { by, at: this.now() }),
    ]);
  }

  /**
   * Takes a code (`count` 0) or a refresh token once. One that was taken before was in two hands: the grant is gone with all that came of it.
   * @param count how often tokens had been given out when it was made
   */
  async take(tenantId: string, grantId: string, count: number): Promise<Exchange> {
    const at = this.now();
    const taken = await run(this.db)`UPDATE access_grants
      SET issued = ${count + 1}, last_used_at = ${at}, expires_at = ${at + idleGrantMs}
      WHERE tenant_id = ${tenantId} AND grant_id = ${grantId} AND issued = ${count} AND expires_at > ${at}
        AND EXISTS (SELECT 1 FROM people p WHERE p.tenant_id = access_grants.tenant_id
          AND p.person_id = access_grants.person_id AND p.status <> 'suspended')`;
    if (taken > 0) return "done";
    const found = await first(this.db, issuedRow)`SELECT issued FROM access_grants
      WHERE tenant_id = ${tenantId} AND grant_id = ${grantId}`;
    if (found === undefined || found.issued <= count) return "gone";
    await this.revoke(tenantId, grantId, undefined, { reason: "a code or refresh token was used twice" });
    return "used_before";
  }

  /** @param personId of whom it has to be */
  async revoke(
    tenantId: string,
    grantId: string,
    by: ActorRecord | undefined,
    { personId, reason }: { readonly personId?: string; readonly reason?: string } = {},
  ): Promise<boolean> {
    const ofPerson = personId === undefined ? sql`` : sql` AND person_id = ${personId}`;
    const [deleted] = await batch(this.db, [
      sql`DELETE FROM access_grants WHERE tenant_id = ${tenantId} AND grant_id = ${grantId}${ofPerson}`,
      grantAct(tenantId, "access.revoked", grantId, {
        by,
        at: this.now(),
        ...(reason === undefined ? {} : { reason }),
      }),
    ]);
    return hasChanged(deleted);
  }

  /** Those in force, in the order of their ids. */
  list(tenantId: string, personId: string | undefined, after: string, limit: number): Promise<Grant[]> {
    const ofPerson = personId === undefined ? sql`` : sql` AND person_id = ${personId}`;
    return all(this.db, grantRow)`SELECT grant_id, person_id, client_name, client_host, reach, agents, created_at,
        last_used_at, expires_at FROM access_grants
      WHERE tenant_id = ${tenantId}${ofPerson} AND grant_id > ${after} AND issued > 0 AND expires_at > ${this.now()}
      ORDER BY grant_id LIMIT ${limit}`;
  }

  /** Housekeeping: grants that nobody used in time. */
  async purgeExpired(now: number): Promise<void> {
    await run(this.db)`DELETE FROM access_grants WHERE expires_at < ${now}`;
  }
}

function grantAct(
  tenantId: string,
  type: Extract<RecordedAct["type"], `access.${string}`>,
  name: string,
  done: { readonly by: ActorRecord | undefined; readonly at: number; readonly reason?: string },
  decision?: string,
): Sql {
  return insertResourceAct(tenantId, type, { kind: "grants", name }, done, decision);
}
