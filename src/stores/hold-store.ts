/** Holds in D1: what nobody erases while one of them names it. */
import { z } from "zod";
import type { ActorRecord } from "../conversation/actor-record.js";
import { all, type Database, first, hasChanged, sql } from "../platform/sql.js";
import type { DoneBy } from "../tenancy/audit.js";
import type { Erasable, HoldView, NewHold } from "../tenancy/subjects.js";
import { insertResourceAct } from "./audit-log.js";
import { integer, number, text } from "./columns.js";
import { claimingBatch, claimStatements, type WorkClaim } from "./work-claims.js";

const bodySchema = z.object({ subjects: z.array(z.string()), sessions: z.array(z.string()), reason: z.string() });
const row = z.object({ name: text, body: text, version: integer, created_at: number, updated_at: number });
const nameRow = z.object({ name: text });

export class HoldStore {
  constructor(
    private readonly db: Database,
    private readonly now: () => number,
  ) {}

  async get(tenantId: string, name: string): Promise<HoldView | undefined> {
    const found = await first(this.db, row)`SELECT * FROM holds WHERE tenant_id = ${tenantId} AND name = ${name}`;
    return found && viewOf(found);
  }

  async list(tenantId: string, after: string, limit: number): Promise<HoldView[]> {
    const rows = await all(this.db, row)`
      SELECT * FROM holds WHERE tenant_id = ${tenantId} AND name > ${after} ORDER BY name LIMIT ${limit}`;
    return rows.map(viewOf);
  }

  /** Stores a hold; what is as it was isn't stored again. @returns whether there was none */
  async put(tenantId: string, name: string, hold: NewHold, by: ActorRecord, claim?: WorkClaim): Promise<boolean> {
    const created = (await this.get(tenantId, name)) === undefined;
    const at = this.now();
    const body = JSON.stringify(hold);
    const things = JSON.stringify([
      ...hold.subjects.map((id) => ["subject", id]),
      ...hold.sessions.map((id) => ["session", id]),
    ]);
    const decision = created ? "created" : "changed";
    await claimingBatch(this.db, [
      sql`INSERT INTO holds (tenant_id, name, body, version, created_at, updated_at)
        VALUES (${tenantId}, ${name}, ${body}, 1, ${at}, ${at})
        ON CONFLICT DO UPDATE SET body = ${body}, version = version + 1, updated_at = ${at} WHERE body <> ${body}`,
      insertResourceAct(tenantId, "hold.stored", { kind: "holds", name }, { by, at, reason: hold.reason }, decision),
      ...claimStatements(claim, decision),
      sql`DELETE FROM held_things WHERE tenant_id = ${tenantId} AND name = ${name}`,
      sql`INSERT INTO held_things (tenant_id, kind, id, name)
        SELECT ${tenantId}, json_extract(value, '$[0]'), json_extract(value, '$[1]'), ${name}
        FROM json_each(${things}) WHERE true ON CONFLICT DO NOTHING`,
    ]);
    return created;
  }

  async remove(tenantId: string, name: string, { by, at }: DoneBy, claim?: WorkClaim): Promise<boolean> {
    const [removed] = await claimingBatch(this.db, [
      sql`DELETE FROM holds WHERE tenant_id = ${tenantId} AND name = ${name}`,
      insertResourceAct(tenantId, "hold.deleted", { kind: "holds", name }, { by, at }),
      ...claimStatements(claim, "deleted"),
    ]);
    return hasChanged(removed);
  }

  /** The holds that name it: its subject, or the session; of a subject those too that name one of its sessions. */
  async holding(tenantId: string, { subject, sessionId }: Erasable): Promise<string[]> {
    const rows = await all(this.db, nameRow)`SELECT DISTINCT name FROM held_things WHERE tenant_id = ${tenantId} AND (
        kind = 'subject' AND id = COALESCE(${subject}, (SELECT subject FROM sessions
          WHERE tenant_id = ${tenantId} AND session_id = ${sessionId}))
        OR kind = 'session' AND id = ${sessionId}
        OR ${sessionId} IS NULL AND kind = 'session' AND EXISTS (SELECT 1 FROM sessions
          WHERE tenant_id = ${tenantId} AND session_id = id AND subject = ${subject}))
      ORDER BY name LIMIT 20`;
    return rows.map(({ name }) => name);
  }

  /** The holds that name the subject of one of a vault's memories. */
  async inVault(tenantId: string, vaultId: string): Promise<string[]> {
    const rows = await all(this.db, nameRow)`SELECT DISTINCT name FROM held_things
      WHERE tenant_id = ${tenantId} AND kind = 'subject' AND EXISTS (SELECT 1 FROM memories
        WHERE tenant_id = ${tenantId} AND vault_id = ${vaultId} AND subject = id)
      ORDER BY name LIMIT 20`;
    return rows.map(({ name }) => name);
  }

  /** Whether the tenant has any. */
  async any(tenantId: string): Promise<string[]> {
    const rows = await all(
      this.db,
      nameRow,
    )`SELECT name FROM holds WHERE tenant_id = ${tenantId} ORDER BY name LIMIT 20`;
    return rows.map(({ name }) => name);
  }
}

function viewOf({ name, body, version, created_at, updated_at }: z.infer<typeof row>): HoldView {
  const stored: unknown = JSON.parse(body);
  return {
    name,
    ...bodySchema.parse(stored),
    version,
    createdAt: new Date(created_at).toISOString(),
    updatedAt: new Date(updated_at).toISOString(),
  };
}
