/** Shadows over writes to memories, from the write on until their verdict is on record. */
import { z } from "zod";
import type { ActorRecord } from "../../conversation/actor-record.js";
import { all, batch, type Database, overwritten, type Sql, sql } from "../../platform/sql.js";
import type { SupervisionState } from "../../supervision/state.js";
import { lazily } from "../../text/lazily.js";
import { insertMemoryPass } from "../audit-log.js";

export interface ShadowName {
  readonly tenantId: string;
  readonly memoryId: string;
  readonly shadowId: string;
}

export interface DueShadow extends ShadowName {
  readonly body: unknown;
  /** This one among them. */
  readonly tries: number;
}

const row = lazily(() =>
  z
    .object({ tenant_id: z.string(), memory_id: z.string(), shadow_id: z.string(), body: z.string(), tries: z.int() })
    .transform(
      ({ tenant_id: tenantId, memory_id: memoryId, shadow_id: shadowId, body, tries }): DueShadow => ({
        ...{ tenantId, memoryId, shadowId, tries },
        body: JSON.parse(body),
      }),
    ),
);

/** For the batch of the pass that it belongs to. */
export function insertShadow({ tenantId, memoryId, shadowId }: ShadowName, body: object, at: number): Sql {
  return sql`INSERT INTO memory_shadows (tenant_id, memory_id, shadow_id, body, tries, due_at)
    VALUES (${tenantId}, ${memoryId}, ${shadowId}, ${JSON.stringify(body)}, 0, ${at})`;
}

/** Takes the oldest that are due of each tenant, as many of each as there is room for: nobody else gets them before `again`. */
export function takeShadows(db: Database, now: number, again: number, limit: number): Promise<DueShadow[]> {
  return all(db, row())`UPDATE memory_shadows SET tries = tries + 1, due_at = ${again}
    WHERE (tenant_id, memory_id, shadow_id) IN (
      SELECT tenant_id, memory_id, shadow_id FROM memory_shadows INDEXED BY memory_shadows_due WHERE due_at <= ${now}
      ORDER BY ROW_NUMBER() OVER (PARTITION BY tenant_id ORDER BY due_at), due_at LIMIT ${limit})
    RETURNING tenant_id, memory_id, shadow_id, body, tries`;
}

/** What it said is on record once, and not where it was erased meanwhile. @param pass nothing of one that is given up */
export async function endShadow(
  db: Database,
  name: ShadowName,
  pass?: { readonly state: SupervisionState; readonly actor: ActorRecord; readonly at: number },
): Promise<void> {
  const which = sql`WHERE tenant_id = ${name.tenantId} AND memory_id = ${name.memoryId}
    AND shadow_id = ${name.shadowId}`;
  const isThere = sql`EXISTS (SELECT 1 FROM memory_shadows ${which})`;
  await batch(db, [
    ...(pass === undefined ? [] : [insertMemoryPass(name, pass, isThere)]),
    sql`UPDATE memory_shadows SET ${overwritten(["body"])} ${which}`,
    sql`DELETE FROM memory_shadows ${which}`,
  ]);
}
