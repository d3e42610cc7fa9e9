/** What lets people into the console, in D1: links, sessions and passkeys. Of secrets their digests alone are kept. */
import { z } from "zod";
import { personRoles } from "../conversation/actor-record.js";
import { all, batch, type Database, first, hasChanged, listed, run, type Sql, sql } from "../platform/sql.js";
import { challengeMs, idleSessionMs, longestSessionMs, personStatuses, type SignInMethod } from "../tenancy/person.js";
import { revisionColumn, revisionRow } from "./caller-store.js";
import { integer, number, numberOrNull, text } from "./columns.js";
import { insertPersonAct } from "./people-store.js";
import { placementRow, type TenantPlacements } from "./tenant-placements.js";

/** A session's row isn't written with each page: what is seen of somebody is this old at most, in milliseconds. */
const touchMs = 300_000;

const whoRow = {
  tenant_id: text,
  person_id: text,
  name: text,
  email: text,
  role: z.enum(personRoles),
  status: z.enum(personStatuses),
};
const sessionRow = revisionRow.extend({
  ...whoRow,
  ...placementRow.shape,
  tenant_name: text,
  last_seen_at: number,
  expires_at: number,
});
const invitationRow = z.object({ ...whoRow, tenant_name: text, expires_at: number, used_at: numberOrNull });
const accessRow = z.object({ ...whoRow, tenant_name: text, team_domain: text });
const passkeyRow = z.object({ ...whoRow, public_key: text, algorithm: integer, sign_count: integer });
const listedPasskeyRow = z
  .object({ credential_id: text, label: text, created_at: number, last_used_at: numberOrNull })
  .transform(({ credential_id, label, created_at, last_used_at }) => ({
    credentialId: credential_id,
    label,
    createdAt: created_at,
    lastUsedAt: last_used_at ?? undefined,
  }));

/** Somebody who signs in, or has. */
export interface Member {
  readonly tenantId: string;
  readonly personId: string;
}

/** A key as the browser handed it over. */
export interface NewPasskey {
  readonly credentialId: string;
  /** SPKI, in base64url. */
  readonly publicKey: string;
  /** As COSE numbers it. */
  readonly algorithm: number;
  readonly signCount: number;
  readonly label: string;
}

export class ConsoleStore {
  constructor(
    private readonly db: Database,
    private readonly placements: Pick<TenantPlacements, "note">,
    private readonly now: () => number,
  ) {}

  /** Whose session it is; it is for the caller to ask whether it still counts. */
  async session(hash: string) {
    const found = await first(this.db, sessionRow)`
      SELECT s.tenant_id, s.person_id, s.last_seen_at, s.expires_at, p.name, p.email, p.role, p.status,
        t.name AS tenant_name, t.jurisdiction, t.placed, ${revisionColumn}
      FROM console_sessions s JOIN people p USING (tenant_id, person_id) JOIN tenants t USING (tenant_id)
      WHERE s.session_hash = ${hash}`;
    if (found === undefined) return undefined;
    this.placements.note(found.tenant_id, found);
    return {
      ...memberOf(found),
      tenantName: found.tenant_name,
      revision: found.revision,
      lastSeenAt: found.last_seen_at,
      expiresAt: found.expires_at,
    };
  }

  /** Notes that somebody was there, now and then. */
  async touch(
    hash: string,
    { tenantId, personId, lastSeenAt }: Member & { readonly lastSeenAt: number },
  ): Promise<void> {
    const at = this.now();
    if (at < lastSeenAt + touchMs) return;
    await batch(this.db, [
      sql`UPDATE console_sessions SET last_seen_at = ${at} WHERE session_hash = ${hash}`,
      sql`UPDATE people SET last_seen_at = ${at} WHERE tenant_id = ${tenantId} AND person_id = ${personId}`,
    ]);
  }

  async invitation(codeHash: string) {
    const found = await first(this.db, invitationRow)`
      SELECT i.tenant_id, i.person_id, i.expires_at, i.used_at, p.name, p.email, p.role, p.status, t.name AS tenant_name
      FROM invitations i JOIN people p USING (tenant_id, person_id) JOIN tenants t USING (tenant_id)
      WHERE i.code_hash = ${codeHash}`;
    if (found === undefined) return undefined;
    return {
      ...memberOf(found),
      tenantName: found.tenant_name,
      expiresAt: found.expires_at,
      usedAt: found.used_at ?? undefined,
    };
  }

  async passkey(credentialId: string) {
    const found = await first(this.db, passkeyRow)`
      SELECT k.tenant_id, k.person_id, k.public_key, k.algorithm, k.sign_count, p.name, p.email, p.role, p.status
      FROM passkeys k JOIN people p USING (tenant_id, person_id) WHERE k.credential_id = ${credentialId}`;
    if (found === undefined) return undefined;
    return { ...memberOf(found), publicKey: found.public_key, algorithm: found.algorithm, signCount: found.sign_count };
  }

  /** Whether a challenge is answered for the first time. */
  async useChallenge(hash: string): Promise<boolean> {
    const expiresAt = this.now() + challengeMs;
    return (
      (await run(this.db)`INSERT INTO used_challenges (challenge_hash, expires_at) VALUES (${hash}, ${expiresAt})
        ON CONFLICT DO NOTHING`) > 0
    );
  }

  /** Uses a link up, and begins a session. @returns whether it could still be used */
  signInByLink(who: Member, codeHash: string, sessionHash: string): Promise<boolean> {
    const at = this.now();
    const use = sql`UPDATE invitations SET used_at = ${at}
      WHERE code_hash = ${codeHash} AND used_at IS NULL AND expires_at > ${at}`;
    return this.begin(use, who, "link", sessionHash, at);
  }

  /** Raises the passkey's count from what was read of it, and begins a session. */
  signInByPasskey(
    who: Member,
    passkey: { readonly credentialId: string; readonly before: number; readonly count: number },
    sessionHash: string,
  ): Promise<boolean> {
    const at = this.now();
    const use = sql`UPDATE passkeys SET sign_count = ${passkey.count}, last_used_at = ${at}
      WHERE credential_id = ${passkey.credentialId} AND sign_count = ${passkey.before}`;
    return this.begin(use, who, "passkey", sessionHash, at);
  }

  /** Whose Access application this is, and who of theirs has the address: the first twenty by their names, or the one that is meant. */
  async membersOfAudience(audiences: readonly string[], email: string, tenantId?: string) {
    const isMeant = tenantId === undefined ? sql`` : sql` AND t.tenant_id = ${tenantId}`;
    const audience = sql`json_extract(t.settings, '$.access.audience')`;
    const rows = await all(this.db, accessRow)`
      SELECT t.tenant_id, t.name AS tenant_name, json_extract(t.settings, '$.access.teamDomain') AS team_domain,
        p.person_id, p.name, p.email, p.role, p.status
      FROM tenants t INDEXED BY tenants_by_audience JOIN people p ON p.tenant_id = t.tenant_id AND p.email = ${email}
      WHERE ${audience} IN ${listed(audiences)} AND ${audience} IS NOT NULL${isMeant}
      ORDER BY t.name, t.tenant_id LIMIT 20`;
    return rows.map((row) => ({ ...memberOf(row), tenantName: row.tenant_name, teamDomain: row.team_domain }));
  }

  /** Begins a session for somebody for whom Access vouches. @returns whether they may come in */
  signInByAccess(who: Member, sessionHash: string): Promise<boolean> {
    const at = this.now();
    const use = sql`UPDATE people SET last_seen_at = ${at}
      WHERE tenant_id = ${who.tenantId} AND person_id = ${who.personId} AND status <> 'suspended'`;
    return this.begin(use, who, "access", sessionHash, at);
  }

  /** @param use what has to change something, or there is no session */
  private async begin(
    use: Sql,
    { tenantId, personId }: Member,
    method: SignInMethod,
    sessionHash: string,
    at: number,
  ): Promise<boolean> {
    const by = { kind: "person", id: personId } as const;
    const [, begun] = await batch(this.db, [
      use,
      sql`INSERT INTO console_sessions (session_hash, tenant_id, person_id, method, created_at, last_seen_at, expires_at)
        SELECT ${sessionHash}, tenant_id, person_id, ${method}, ${at}, ${at}, ${at + longestSessionMs} FROM people
        WHERE changes() > 0 AND tenant_id = ${tenantId} AND person_id = ${personId} AND status <> 'suspended'`,
      insertPersonAct(tenantId, "person.signed_in", { personId }, { by, at }, method),
      sql`UPDATE people SET status = 'active', last_seen_at = ${at}
        WHERE changes() > 0 AND tenant_id = ${tenantId} AND person_id = ${personId}`,
    ]);
    return hasChanged(begun);
  }

  async signOut(sessionHash: string, { tenantId, personId }: Member): Promise<void> {
    await batch(this.db, [
      sql`DELETE FROM console_sessions WHERE session_hash = ${sessionHash} AND tenant_id = ${tenantId} AND person_id = ${personId}`,
      insertPersonAct(
        tenantId,
        "person.signed_out",
        { personId },
        { by: { kind: "person", id: personId }, at: this.now() },
        "signed_out",
      ),
    ]);
  }

  /** Puts on record that somebody was refused who is known. */
  async refused({ tenantId, personId }: Member, method: SignInMethod, reason: string): Promise<void> {
    const at = this.now();
    await batch(this.db, [
      sql`UPDATE people SET status = status WHERE tenant_id = ${tenantId} AND person_id = ${personId}`,
      insertPersonAct(tenantId, "person.refused", { personId }, { by: undefined, at, reason }, method),
    ]);
  }

  listPasskeys({ tenantId, personId }: Member) {
    return all(this.db, listedPasskeyRow)`SELECT credential_id, label, created_at, last_used_at FROM passkeys
      WHERE tenant_id = ${tenantId} AND person_id = ${personId} ORDER BY created_at LIMIT 50`;
  }

  /** @returns false where the key is there already */
  async addPasskey({ tenantId, personId }: Member, key: NewPasskey): Promise<boolean> {
    const at = this.now();
    const by = { kind: "person", id: personId } as const;
    const [added] = await batch(this.db, [
      sql`INSERT INTO passkeys
          (credential_id, tenant_id, person_id, public_key, algorithm, sign_count, label, created_at)
        VALUES (${key.credentialId}, ${tenantId}, ${personId}, ${key.publicKey}, ${key.algorithm}, ${key.signCount},
          ${key.label}, ${at}) ON CONFLICT DO NOTHING`,
      insertPersonAct(tenantId, "person.passkey_added", { personId }, { by, at }, "added"),
    ]);
    return hasChanged(added);
  }

  async deletePasskey({ tenantId, personId }: Member, credentialId: string): Promise<boolean> {
    const by = { kind: "person", id: personId } as const;
    const [deleted] = await batch(this.db, [
      sql`DELETE FROM passkeys
        WHERE credential_id = ${credentialId} AND tenant_id = ${tenantId} AND person_id = ${personId}`,
      insertPersonAct(tenantId, "person.passkey_deleted", { personId }, { by, at: this.now() }, "deleted"),
    ]);
    return hasChanged(deleted);
  }

  /** Housekeeping: sessions that count no more, and challenges that nobody could answer any more. */
  async purgeExpired(now: number): Promise<void> {
    await batch(this.db, [
      sql`DELETE FROM console_sessions WHERE expires_at < ${now}`,
      sql`DELETE FROM console_sessions WHERE last_seen_at < ${now - idleSessionMs} AND expires_at < ${now + longestSessionMs - idleSessionMs}`,
      sql`DELETE FROM used_challenges WHERE expires_at < ${now}`,
    ]);
  }
}

function memberOf(row: z.infer<z.ZodObject<typeof whoRow>>) {
  const { tenant_id, person_id, name, email, role, status } = row;
  return { tenantId: tenant_id, personId: person_id, name, email, role, status };
}
