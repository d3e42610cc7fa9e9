/** The people of a tenant and the links that let them in, in D1. Of a link its digest alone is kept. */
import { z } from "zod";
import type { ActorRecord } from "../conversation/actor-record.js";
import { personRoles } from "../conversation/actor-record.js";
import { newId } from "../platform/ids.js";
import { all, type Database, first, hasChanged, run, type Sql, sql } from "../platform/sql.js";
import type { RecordedAct } from "../tenancy/audit.js";
import { invitationMs, type NewPerson, type PersonChange, personStatuses } from "../tenancy/person.js";
import { insertResourceAct } from "./audit-log.js";
import { number, numberOrNull, text } from "./columns.js";
import { claimingBatch, claimStatements, type WorkClaim } from "./work-claims.js";

const personRow = z
  .object({
    person_id: text,
    name: text,
    email: text,
    role: z.enum(personRoles),
    status: z.enum(personStatuses),
    created_at: number,
    last_seen_at: numberOrNull,
  })
  .transform(({ person_id, name, email, role, status, created_at, last_seen_at }) => ({
    ...{ personId: person_id, name, email, role, status },
    createdAt: created_at,
    lastSeenAt: last_seen_at ?? undefined,
  }));
export type PersonRecord = z.infer<typeof personRow>;
const columns = sql`person_id, name, email, role, status, created_at, last_seen_at`;

/** A new link: the digest of its code, and what a repetition of the request needs to give out the same. */
export interface NewInvitation {
  readonly codeHash: string;
  readonly note: string;
  readonly by: ActorRecord;
}

export class PeopleStore {
  constructor(
    private readonly db: Database,
    private readonly now: () => number,
  ) {}

  list(tenantId: string, after: string, limit: number): Promise<PersonRecord[]> {
    return all(this.db, personRow)`SELECT ${columns} FROM people
      WHERE tenant_id = ${tenantId} AND person_id > ${after} ORDER BY person_id LIMIT ${limit}`;
  }

  find(tenantId: string, personId: string): Promise<PersonRecord | undefined> {
    return first(this.db, personRow)`SELECT ${columns} FROM people
      WHERE tenant_id = ${tenantId} AND person_id = ${personId}`;
  }

  findByEmail(tenantId: string, email: string): Promise<PersonRecord | undefined> {
    return first(this.db, personRow)`SELECT ${columns} FROM people WHERE tenant_id = ${tenantId} AND email = ${email}`;
  }

  /** A new person with a link. @returns their id and until when the link counts; nothing where somebody has the address */
  async add(tenantId: string, { name, email, role }: NewPerson, link: NewInvitation, claim?: WorkClaim) {
    const personId = newId("per");
    const at = this.now();
    const expiresAt = at + invitationMs;
    const [added] = await claimingBatch(this.db, [
      sql`INSERT INTO people (tenant_id, person_id, name, email, role, status, created_at)
        VALUES (${tenantId}, ${personId}, ${name}, ${email}, ${role}, 'invited', ${at}) ON CONFLICT DO NOTHING`,
      insertPersonAct(tenantId, "person.invited", { personId, role }, { by: link.by, at }),
      insertInvitation(tenantId, personId, link.codeHash, expiresAt),
      ...claimStatements(claim, `${personId} ${expiresAt} ${link.note}`),
    ]);
    return hasChanged(added) ? { personId, expiresAt } : undefined;
  }

  /** Somebody of another tenant, under their id: suspended, without any way in. False where they, or somebody with their address, are here. */
  async copy(tenantId: string, personId: string, { name, email, role }: NewPerson, by: ActorRecord): Promise<boolean> {
    const at = this.now();
    const [added] = await claimingBatch(this.db, [
      sql`INSERT INTO people (tenant_id, person_id, name, email, role, status, created_at)
        VALUES (${tenantId}, ${personId}, ${name}, ${email}, ${role}, 'suspended', ${at}) ON CONFLICT DO NOTHING`,
      insertPersonAct(tenantId, "person.changed", { personId, role }, { by, at }, "imported"),
    ]);
    return hasChanged(added);
  }

  /** Another link for somebody; those before it don't count any more. @returns until when it counts; nothing where there is no such person */
  async inviteAgain(tenantId: string, personId: string, link: NewInvitation, claim?: WorkClaim) {
    const at = this.now();
    const expiresAt = at + invitationMs;
    const [, invited] = await claimingBatch(this.db, [
      sql`DELETE FROM invitations WHERE tenant_id = ${tenantId} AND person_id = ${personId} AND used_at IS NULL`,
      insertInvitation(tenantId, personId, link.codeHash, expiresAt),
      insertPersonAct(tenantId, "person.invited", { personId }, { by: link.by, at }, "again"),
      ...claimStatements(claim, `${personId} ${expiresAt} ${link.note}`),
    ]);
    return hasChanged(invited) ? expiresAt : undefined;
  }

  /** Changes what is given. Who is suspended is signed out, and their links count no more. */
  async change(tenantId: string, personId: string, change: PersonChange, by: ActorRecord, claim?: WorkClaim) {
    const { name, role, status } = change;
    const at = this.now();
    const who = sql`tenant_id = ${tenantId} AND person_id = ${personId}`;
    const gone =
      status === "suspended"
        ? [sql`DELETE FROM console_sessions WHERE ${who}`, sql`DELETE FROM invitations WHERE ${who}`]
        : [];
    const changes = Object.entries(change).flatMap(([field, value]) => (value === undefined ? [] : [field]));
    await claimingBatch(this.db, [
      ...gone,
      sql`UPDATE people SET name = COALESCE(${name}, name), role = COALESCE(${role}, role),
          status = COALESCE(${status}, status)
        WHERE ${who} AND (name, role, status)
          IS NOT (COALESCE(${name}, name), COALESCE(${role}, role), COALESCE(${status}, status))`,
      insertPersonAct(tenantId, "person.changed", { personId, role, changes }, { by, at }, status),
      ...claimStatements(claim, "changed"),
    ]);
  }

  /** Whoever they were is gone; their id stays in the records of what they did. */
  async remove(tenantId: string, personId: string, by: ActorRecord): Promise<boolean> {
    const [removed] = await claimingBatch(this.db, [
      sql`DELETE FROM people WHERE tenant_id = ${tenantId} AND person_id = ${personId}`,
      insertPersonAct(tenantId, "person.deleted", { personId }, { by, at: this.now() }),
    ]);
    return hasChanged(removed);
  }

  /** Signs somebody out everywhere. */
  async endSessions(tenantId: string, personId: string, by: ActorRecord): Promise<void> {
    await claimingBatch(this.db, [
      sql`DELETE FROM console_sessions WHERE tenant_id = ${tenantId} AND person_id = ${personId}`,
      insertPersonAct(tenantId, "person.sessions_ended", { personId }, { by, at: this.now() }, "ended"),
    ]);
  }

  /** Housekeeping: links that count no more. */
  async purgeExpired(now: number): Promise<void> {
    await run(this.db)`DELETE FROM invitations WHERE expires_at < ${now - invitationMs}`;
  }
}

/** Where there is no such person, there is no link. */
function insertInvitation(tenantId: string, personId: string, codeHash: string, expiresAt: number): Sql {
  return sql`INSERT INTO invitations (code_hash, tenant_id, person_id, expires_at)
    SELECT ${codeHash}, tenant_id, person_id, ${expiresAt} FROM people
    WHERE tenant_id = ${tenantId} AND person_id = ${personId}`;
}

/** What was done about a person or by them; behind the statement that does it. */
export function insertPersonAct(
  tenantId: string,
  type: Extract<RecordedAct["type"], `person.${string}`>,
  {
    personId,
    role,
    changes,
  }: { readonly personId: string; readonly role?: PersonRecord["role"] | undefined; readonly changes?: string[] },
  done: { readonly by: ActorRecord | undefined; readonly at: number; readonly reason?: string },
  decision?: string,
): Sql {
  const subject = { kind: "people", name: personId, personRole: role, changes };
  return insertResourceAct(tenantId, type, subject, done, decision);
}
