/** Who calls, read from the primary of D1 with each request: a key that was deleted or a subject that was revoked is refused by the next one. */
import { z } from "zod";
import { type KeyRole, keyRoles } from "../asks/ask.js";
import { matchesKey, readKey } from "../platform/secrets.js";
import type { Database } from "./database.js";
import { placementRow, type TenantPlacements } from "./tenant-placements.js";

/** Who calls, as their key says. */
export interface Caller {
  readonly tenantId: string;
  readonly keyId: string;
  readonly role: KeyRole;
  /** Of the tenant's settings: what every request asks for. */
  readonly clientMay: readonly string[];
  readonly corsOrigins: readonly string[];
  /** Raised with every change of its settings, keys, resources, pinned tools and webhooks. */
  readonly revision: number;
}

/** What a token depends on: the key that it was minted with, and that its subject wasn't revoked. */
export interface TokenGround extends Omit<Caller, "keyId" | "role"> {
  /** Milliseconds since the epoch. */
  readonly revokedAt: number | undefined;
}

/** The count of changes, and below it 20 random bits that are others with each: a state that the database was set back from isn't met again. */
export const revisionColumn = "t.revision * 1048576 + t.generation AS revision";
const settingsColumns = `json_extract(t.settings, '$.clientMay') AS client_may, json_extract(t.settings, '$.corsOrigins') AS cors_origins, ${revisionColumn}`;
export const revisionRow = z.object({ revision: z.int() });
const settingsRow = revisionRow.extend({ client_may: z.string().nullable(), cors_origins: z.string().nullable() });
const authenticationRow = settingsRow.extend({
  ...placementRow.shape,
  tenant_id: z.string(),
  role: z.enum(keyRoles),
  secret_hash: z.string(),
});
const groundRow = settingsRow.extend({ ...placementRow.shape, revoked_at: z.number().nullable() });
const texts = z.array(z.string());
/** As long as a real one. */
const nobodysHash = "0".repeat(64);

function settingsOf(row: z.infer<typeof settingsRow>): Pick<Caller, "clientMay" | "corsOrigins" | "revision"> {
  return {
    revision: row.revision,
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
    const row = await this.db
      .prepare(
        `SELECT k.tenant_id, k.role, k.secret_hash, t.jurisdiction, t.placed, ${settingsColumns} FROM keys k JOIN tenants t USING (tenant_id) WHERE k.key_id = ?`,
      )
      .bind(parts.keyId)
      .first();
    // The comparison is made for unknown ids too, so that time doesn't tell which ids there are.
    const known = row === null ? undefined : authenticationRow.parse(row);
    const matches = await matchesKey(parts.secret, known?.secret_hash ?? nobodysHash);
    if (known !== undefined) this.placements.note(known.tenant_id, known);
    return known !== undefined && matches
      ? { tenantId: known.tenant_id, keyId: parts.keyId, role: known.role, ...settingsOf(known) }
      : undefined;
  }

  /** What a token rests on; `undefined` when the key that it was minted with is gone. */
  async tokenGround(tenantId: string, keyId: string, subject: string): Promise<TokenGround | undefined> {
    const row = await this.db
      .prepare(
        `SELECT t.jurisdiction, t.placed, ${settingsColumns},
           (SELECT revoked_at FROM revoked_subjects WHERE tenant_id = ?1 AND subject = ?3) AS revoked_at
         FROM keys k JOIN tenants t USING (tenant_id) WHERE k.tenant_id = ?1 AND k.key_id = ?2`,
      )
      .bind(tenantId, keyId, subject)
      .first();
    if (row === null) return undefined;
    const ground = groundRow.parse(row);
    this.placements.note(tenantId, ground);
    return { tenantId, revokedAt: ground.revoked_at ?? undefined, ...settingsOf(ground) };
  }
}
