/** The statements that store and delete a version of a resource, each with its row of the audit: for a batch of one, or of many. */
import type { ActorRecord } from "../conversation/actor-record.js";
import { type Sql, sql } from "../platform/sql.js";
import type { ResourceKind } from "../tenancy/resources.js";
import { insertResourceAct } from "./audit-log.js";

export interface NewVersion {
  readonly kind: ResourceKind;
  readonly name: string;
  readonly version: number;
  /** As it lies in D1: JSON, with its secrets sealed. */
  readonly body: string;
  readonly include: string | undefined;
}

/** Who stores or deletes, why, and when (milliseconds since the epoch). */
export interface WriteAuthor {
  readonly by?: ActorRecord | undefined;
  readonly reason?: string | undefined;
  readonly at: number;
}

/** The batch fails where somebody else stored that version meanwhile. */
export function storeStatements(
  tenantId: string,
  { kind, name, version, body, include }: NewVersion,
  { by, reason, at }: WriteAuthor,
): Sql[] {
  const [always, auto] = [include === "always" ? 1 : 0, include === "auto" ? 1 : 0];
  return [
    sql`INSERT INTO resource_versions (tenant_id, kind, name, version, body, created_at, author)
      VALUES (${tenantId}, ${kind}, ${name}, ${version}, ${body}, ${at}, ${by === undefined ? null : JSON.stringify(by)})`,
    sql`INSERT INTO resource_heads (tenant_id, kind, name, version, deleted, always, auto, updated_at)
      VALUES (${tenantId}, ${kind}, ${name}, ${version}, 0, ${always}, ${auto}, ${at})
      ON CONFLICT DO UPDATE SET version = ${version}, deleted = 0, always = ${always}, auto = ${auto}, updated_at = ${at}`,
    insertResourceAct(tenantId, "resource.stored", { kind, name, version }, { by, reason, at }),
  ];
}

/** The first changes nothing where there is none. */
export function removeStatements(
  tenantId: string,
  { kind, name }: Pick<NewVersion, "kind" | "name">,
  { by, reason, at }: WriteAuthor,
): Sql[] {
  return [
    sql`UPDATE resource_heads SET deleted = 1, always = 0, auto = 0, updated_at = ${at}
      WHERE tenant_id = ${tenantId} AND kind = ${kind} AND name = ${name} AND deleted = 0`,
    insertResourceAct(tenantId, "resource.deleted", { kind, name }, { by, reason, at }),
  ];
}

/** When a rule or reference is brought in. */
export function includeOf(body: object): string | undefined {
  return "include" in body && typeof body.include === "string" ? body.include : undefined;
}
