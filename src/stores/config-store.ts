/** A tenant's configuration as a whole, in D1: what counts of every kind, and many changes of it in one transaction. */
import { z } from "zod";
import type { ActorRecord } from "../conversation/actor-record.js";
import type { Sealer } from "../platform/secrets.js";
import { all, type Database, listed, type Sql, sql } from "../platform/sql.js";
import { type ResourceKind, type ResourcePin, resourceKinds } from "../tenancy/resources.js";
import { revisionColumn } from "./caller-store.js";
import { integer, text } from "./columns.js";
import { includeOf, removeStatements, storeStatements } from "./resource-writes.js";
import { SealedBodies } from "./sealed-bodies.js";
import { type SettingsUpdate, settingsStatements } from "./settings-writes.js";
import type { ChangeStatements } from "./store-change.js";
import { claimingBatch, claimStatements, type WorkClaim } from "./work-claims.js";

const headRow = z.object({
  kind: z.enum(resourceKinds),
  name: text,
  version: integer,
  deleted: integer,
  auto: integer,
});
/** What counts of a resource; of a deleted one the number of its last version. */
export type ResourceHead = z.infer<typeof headRow>;

const bodyRow = z.object({ kind: z.enum(resourceKinds), name: text, body: text });

/** A resource with its body, as it is to be. */
export interface WantedResource {
  readonly kind: ResourceKind;
  readonly name: string;
  readonly body: object;
}

export interface ConfigChanges {
  readonly stored: readonly (WantedResource & { readonly version: number })[];
  readonly removed: readonly Pick<ResourcePin, "kind" | "name">[];
  /** Of what has no versions. */
  readonly unversioned: readonly { readonly statements: ChangeStatements }[];
  readonly settings: SettingsUpdate;
}

/** What is stored under a name, as JSON with its secrets sealed. */
export interface StoredBody {
  readonly text: string;
  readonly open: () => Promise<object>;
  /** Whether this body is what is stored. */
  readonly is: (body: object) => Promise<boolean>;
}

export class ConfigStore {
  private readonly bodies: SealedBodies;

  constructor(
    private readonly db: Database,
    sealer: Sealer,
    private readonly now: () => number,
  ) {
    this.bodies = new SealedBodies(sealer);
  }

  /** Every resource that the tenant has or had. */
  heads(tenantId: string): Promise<ResourceHead[]> {
    return all(this.db, headRow)`SELECT kind, name, version, deleted, auto FROM resource_heads
      WHERE tenant_id = ${tenantId} ORDER BY kind, name`;
  }

  /** The bodies of these, by `kind/name`. */
  async bodiesOf(tenantId: string, pins: readonly ResourcePin[]): Promise<ReadonlyMap<string, StoredBody>> {
    if (pins.length === 0) return new Map();
    const rows = await all(this.db, bodyRow)`SELECT kind, name, body FROM resource_versions
      WHERE tenant_id = ${tenantId} AND name IN ${listed([...new Set(pins.map(({ name }) => name))])}
        AND (kind || '/' || name || '/' || version)
          IN ${listed(pins.map(({ kind, name, version }) => `${kind}/${name}/${version}`))}`;
    return new Map(
      rows.map(({ kind, name, body }): [string, StoredBody] => [
        `${kind}/${name}`,
        {
          text: body,
          open: () => this.bodies.openForShow(kind, body),
          is: (wanted) => this.bodies.isStored(wanted, body),
        },
      ]),
    );
  }

  /**
   * All of it, or nothing.
   * @param revision the tenant's, at which the changes were found
   * @returns whether it was done: not where the tenant has another revision by now
   * @throws {KeyTakenError} where it was done under this key meanwhile
   */
  async apply(
    tenantId: string,
    revision: number,
    { stored, removed, unversioned, settings }: ConfigChanges,
    by: ActorRecord,
    claim: { readonly of: WorkClaim | undefined; readonly note: string },
  ): Promise<boolean> {
    const author = { by, at: this.now() };
    const versions = await Promise.all(
      stored.map(async ({ body, ...of }) => ({ ...of, body: await this.bodies.seal(body), include: includeOf(body) })),
    );
    try {
      await claimingBatch(this.db, [
        onlyAt(tenantId, revision),
        ...removed.flatMap((one) => removeStatements(tenantId, one, author)),
        ...versions.flatMap((version) => storeStatements(tenantId, version, author)),
        ...unversioned.flatMap(({ statements }) => statements(author)),
        ...(Object.keys(settings).length === 0
          ? []
          : settingsStatements(tenantId, { name: undefined, settings }, author)),
        // Whatever the statement before it came to, something was changed: the key is claimed behind one that says so.
        ...(claim.of === undefined ? [] : [sql`UPDATE tenants SET name = name WHERE tenant_id = ${tenantId}`]),
        ...claimStatements(claim.of, claim.note),
      ]);
      return true;
    } catch (error) {
      if (error instanceof Error && error.message.includes("tenants.revision")) return false;
      throw error;
    }
  }
}

/** Fails the batch where the tenant has another revision: the column is never NULL. */
function onlyAt(tenantId: string, revision: number): Sql {
  return sql`UPDATE tenants AS t SET revision = CASE WHEN (SELECT ${revisionColumn}) = ${revision} THEN t.revision END
    WHERE t.tenant_id = ${tenantId}`;
}
