/** The versions of a resource in D1: who stored which, and when. */
import { z } from "zod";
import { type ActorRecord, actorRecordSchema } from "../conversation/actor-record.js";
import type { Sealer } from "../platform/secrets.js";
import { all, type Database, first } from "../platform/sql.js";
import type { ResourceKind, ResourceVersion } from "../tenancy/resources.js";
import { SealedBodies } from "./sealed-bodies.js";

export interface ResourceChange {
  readonly version: number;
  /** Nobody is known for versions of the release before. */
  readonly author: ActorRecord | undefined;
  readonly createdAt: number;
}

const row = z.object({ version: z.int(), author: z.string().nullable(), created_at: z.number() });
const wholeRow = row.extend({ body: z.string() });

export class ResourceVersions {
  private readonly bodies: SealedBodies;

  constructor(
    private readonly db: Database,
    sealer: Sealer,
  ) {
    this.bodies = new SealedBodies(sealer);
  }

  /** Newest first, those of a resource that was deleted too. @param before a version; those below it */
  async list(
    tenantId: string,
    kind: ResourceKind,
    name: string,
    before: number,
    limit: number,
  ): Promise<ResourceChange[]> {
    return (
      await all(this.db, row)`SELECT version, author, created_at FROM resource_versions
        WHERE tenant_id = ${tenantId} AND kind = ${kind} AND name = ${name} AND version < ${before} ORDER BY version DESC
        LIMIT ${limit}`
    ).map(changeOf);
  }

  /** With the secrets opened: to be shown they are hidden, to be restored they are needed. */
  async get<K extends ResourceKind>(
    tenantId: string,
    kind: K,
    name: string,
    version: number,
  ): Promise<(ResourceVersion<K> & ResourceChange) | undefined> {
    const whole = await first(this.db, wholeRow)`SELECT version, author, created_at, body FROM resource_versions
      WHERE tenant_id = ${tenantId} AND kind = ${kind} AND name = ${name} AND version = ${version}`;
    return whole && { kind, name, ...changeOf(whole), body: await this.bodies.openForShow(kind, whole.body) };
  }
}

function changeOf({ version, author, created_at }: z.infer<typeof row>): ResourceChange {
  return {
    version,
    author: author === null ? undefined : actorRecordSchema.parse(JSON.parse(author)),
    createdAt: created_at,
  };
}
