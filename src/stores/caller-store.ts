/** Who calls, read from the primary of D1 with each request: a key that was deleted or a subject that was revoked is refused by the next one. */
import { z } from "zod";
import { type KeyRole, keyRoles } from "../asks/ask.js";
import { personRoles } from "../conversation/actor-record.js";
import { matchesKey, readKey } from "../platform/secrets.js";
import { type Database, first, run, sql } from "../platform/sql.js";
import { type Reach, reaches } from "../tenancy/grant.js";
import type { PersonRole } from "../tenancy/person.js";
import { lazily } from "../text/lazily.js";
import { measuresColumn } from "./limit-store.js";
import { placementRow, type TenantPlacements } from "./tenant-placements.js";

/** Who calls, as their key says. */
export interface Caller {
  readonly tenantId: string;
  readonly keyId: string;
  readonly role: KeyRole;
  /** When it stops to count, and when it was last noted that it is used; milliseconds since the epoch. */
  readonly expiresAt: number | undefined;
  readonly lastUsedAt: number | undefined;
  /** Of the tenant's settings: what every request asks for. */
  readonly clientMay: readonly string[];
  readonly corsOrigins: readonly string[];
  /** Raised with every change of its settings, keys, resources, pinned tools and webhooks. */
  readonly revision: number;
  /** Of what there are limits. */
  readonly measures: readonly string[];
  /** While the tenant goes to another database: nothing is done for it. */
  readonly isMoving: boolean;
}

/** What a token depends on: the key that it was minted with, and that its subject wasn't revoked. */
export interface TokenGround extends Omit<Caller, "keyId" | "role" | "lastUsedAt"> {
  /** Milliseconds since the epoch. */
  readonly revokedAt: number | undefined;
}

/** What a program acts by that somebody let in, and as whom. */
export interface GrantGround extends TokenGround {
  readonly personId: string;
  readonly role: PersonRole;
  readonly reach: Reach;
  readonly agents: readonly string[] | undefined;
}

/** The count of changes, and below it 20 random bits that are others with each: a state that the database was set back from isn't met again. */
export const revisionColumn = sql`t.revision * 1048576 + t.generation AS revision`;
const movingColumn = sql`EXISTS (SELECT 1 FROM moves m WHERE m.tenant_id = t.tenant_id AND m.status <> 'arriving') AS moving`;
const settingsColumns = sql`
  json_extract(t.settings, '$.clientMay') AS client_may, json_extract(t.settings, '$.corsOrigins') AS cors_origins,
    ${revisionColumn}, ${measuresColumn}, ${movingColumn}`;
export const revisionRow = z.object({ revision: z.int() });
const settingsRow = revisionRow.extend({
  client_may: z.string().nullable(),
  cors_origins: z.string().nullable(),
  measures: z.string(),
  moving: z.int(),
});
const authenticationRow = settingsRow.extend({
  ...placementRow.shape,
  tenant_id: z.string(),
  role: z.enum(keyRoles),
  secret_hash: z.string(),
  expires_at: z.number().nullable(),
  last_used_at: z.number().nullable(),
});
const groundRow = settingsRow.extend({
  ...placementRow.shape,
  revoked_at: z.number().nullable(),
  expires_at: z.number().nullable(),
});
const grantRow = lazily(() =>
  groundRow.extend({
    person_id: z.string(),
    role: z.enum(personRoles),
    reach: z.enum(reaches),
    agents: z.string().nullable(),
  }),
);
const texts = z.array(z.string());
/** As long as a real one. */
const nobodysHash = "0".repeat(64);

function settingsOf(
  row: z.infer<typeof groundRow> | z.infer<typeof authenticationRow>,
): Pick<Caller, "clientMay" | "corsOrigins" | "revision" | "measures" | "expiresAt" | "isMoving"> {
  return {
    isMoving: row.moving === 1,
    expiresAt: row.expires_at ?? undefined,
    revision: row.revision,
    measures: texts.parse(JSON.parse(row.measures)),
    clientMay: texts.parse(JSON.parse(row.client_may ?? "[]")),
    corsOrigins: texts.parse(JSON.parse(row.cors_origins ?? "[]")),
  };
}

export class CallerStore {
  constructor(
    private readonly db: Database,
    private readonly placements: Pick<TenantPlacements, "note">,
  ) {}

  /** Who presents this key; `undefined` when nobody may. */
  async authenticate(presented: string): Promise<Caller | undefined> {
    const parts = readKey(presented);
    if (parts === undefined) return undefined;
    const known = await first(this.db, authenticationRow)`
      SELECT k.tenant_id, k.role, k.secret_hash, k.expires_at, k.last_used_at, t.jurisdiction, t.placed, ${settingsColumns} FROM keys k
      JOIN tenants t USING (tenant_id) WHERE k.key_id = ${parts.keyId}`;
    // The comparison is made for unknown ids too, so that time doesn't tell which ids there are.
    const matches = await matchesKey(parts.secret, known?.secret_hash ?? nobodysHash);
    if (known !== undefined) this.placements.note(known.tenant_id, known);
    if (known === undefined || !matches) return undefined;
    const { tenant_id: tenantId, role, last_used_at } = known;
    return { tenantId, keyId: parts.keyId, role, lastUsedAt: last_used_at ?? undefined, ...settingsOf(known) };
  }

  /** Notes that a key is used in this hour: once, whoever else notes it. */
  async noteUse(keyId: string, hour: number): Promise<void> {
    await run(
      this.db,
    )`UPDATE keys SET last_used_at = ${hour} WHERE key_id = ${keyId} AND COALESCE(last_used_at, 0) < ${hour}`;
  }

  /** What a token rests on; `undefined` when the key that it was minted with is gone. */
  async tokenGround(tenantId: string, keyId: string, subject: string): Promise<TokenGround | undefined> {
    const ground = await first(this.db, groundRow)`SELECT k.expires_at, t.jurisdiction, t.placed, ${settingsColumns},
        (SELECT revoked_at FROM revoked_subjects WHERE tenant_id = ${tenantId} AND subject = ${subject}) AS revoked_at
      FROM keys k JOIN tenants t USING (tenant_id) WHERE k.tenant_id = ${tenantId} AND k.key_id = ${keyId}`;
    if (ground === undefined) return undefined;
    this.placements.note(tenantId, ground);
    return { tenantId, revokedAt: ground.revoked_at ?? undefined, ...settingsOf(ground) };
  }

  /** What a program's token rests on; `undefined` when the grant is gone, or its person is suspended. */
  async grantGround(tenantId: string, grantId: string): Promise<GrantGround | undefined> {
    const ground = await first(this.db, grantRow())`SELECT g.expires_at, g.person_id, g.reach, g.agents, p.role,
        t.jurisdiction, t.placed, ${settingsColumns},
        (SELECT revoked_at FROM revoked_subjects WHERE tenant_id = ${tenantId} AND subject = g.person_id) AS revoked_at
      FROM access_grants g JOIN people p USING (tenant_id, person_id) JOIN tenants t USING (tenant_id)
      WHERE g.tenant_id = ${tenantId} AND g.grant_id = ${grantId} AND g.issued > 0 AND p.status <> 'suspended'`;
    if (ground === undefined) return undefined;
    this.placements.note(tenantId, ground);
    const { person_id: personId, role, reach, revoked_at } = ground;
    const agents = ground.agents === null ? undefined : texts.parse(JSON.parse(ground.agents));
    return { tenantId, personId, role, reach, agents, revokedAt: revoked_at ?? undefined, ...settingsOf(ground) };
  }
}
