/** The audit in D1: rows are only added, and stay when what they are about is deleted. */
import { z } from "zod";
import { type ActorRecord, actorRecordSchema } from "../conversation/actor-record.js";
import type { SupervisionState } from "../supervision/state.js";
import { packedForAudit, storedStateSchema } from "../supervision/stored-state.js";
import {
  type AuditEntry,
  actSubjectSchema,
  actTypes,
  auditEntrySchema,
  type DoneBy,
  type RecordedAct,
} from "../tenancy/audit.js";
import type { Database } from "./database.js";

/** Where a page of the audit ends. */
export interface AuditPosition {
  readonly at: number;
  readonly ownerId: string;
  readonly revision: number;
}

const row = z.object({
  owner_id: z.string(),
  revision: z.int(),
  at: z.number(),
  turn_id: z.string(),
  hook: z.string(),
  decision: z.string(),
  body: z.string(),
  type: z.enum(["supervision", ...actTypes]),
  actor: z.string().nullable(),
});

const actBodySchema = z.object({ subject: actSubjectSchema, reasons: z.array(z.string()) });
const passBodySchema = storedStateSchema.partial();

export class AuditLog {
  constructor(private readonly db: Database) {}

  /** Rows from `from` up to, and without, `to` (milliseconds since the epoch), oldest first. */
  async page(
    tenantId: string,
    range: { readonly from: number; readonly to: number },
    after: AuditPosition | undefined,
    limit: number,
  ): Promise<{ readonly entries: AuditEntry[]; readonly next: AuditPosition | undefined }> {
    const { results } = await this.db
      .prepare(
        `SELECT owner_id, revision, at, turn_id, hook, decision, body, type, actor FROM audit
         WHERE tenant_id = ?1 AND at >= ?2 AND at < ?3 AND (at, owner_id, revision) > (?4, ?5, ?6)
         ORDER BY at, owner_id, revision LIMIT ?7`,
      )
      .bind(tenantId, range.from, range.to, after?.at ?? -1, after?.ownerId ?? "", after?.revision ?? -1, limit)
      .all();
    const rows = z.array(row).parse(results);
    const last = rows.length === limit ? rows.at(-1) : undefined;
    const next = last && { at: last.at, ownerId: last.owner_id, revision: last.revision };
    return { entries: rows.map(entryOf), next };
  }
}

function entryOf({ owner_id, at, turn_id, hook, decision, body, type, actor }: z.infer<typeof row>): AuditEntry {
  const about = {
    at: new Date(at).toISOString(),
    type,
    decision,
    ...(owner_id.startsWith("ses_") ? { sessionId: owner_id } : {}),
    ...(owner_id.startsWith("run_") ? { runId: owner_id } : {}),
    ...(owner_id.startsWith("rt_") ? { roundtableId: owner_id } : {}),
    // What is in a memory stands behind its id.
    ...(owner_id.startsWith("mem_") ? { memoryId: owner_id.replace(/\/.*$/s, "") } : {}),
    ...(turn_id === "" ? {} : { workId: turn_id }),
    ...(hook === "" ? {} : { hook }),
    ...(actor === null ? {} : { actor: actorRecordSchema.parse(JSON.parse(actor)) }),
  };
  if (type !== "supervision") return auditEntrySchema.parse({ ...about, ...actBodySchema.parse(JSON.parse(body)) });
  const { subject = {}, reasons = [], steps = [] } = passBodySchema.parse(JSON.parse(body));
  return auditEntrySchema.parse({ ...about, subject, reasons, steps });
}

const columns = "tenant_id, owner_id, revision, at, turn_id, hook, decision, body, type, actor";

/** The row of an act in an object; `revision` is the outbox message that it came with. */
export function insertAct(
  db: Database,
  { tenantId, ownerId, revision }: { readonly tenantId: string; readonly ownerId: string; readonly revision: number },
  act: RecordedAct,
): D1PreparedStatement {
  return db
    .prepare(`INSERT INTO audit (${columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`)
    .bind(tenantId, ownerId, revision, ...valuesOf(act));
}

/** No row that an object delivers, or that a memory is given, has this number. */
const ofDeletion = -1;

/** The row that says who deleted something for good, by its id: one, whoever repeats it. */
export function insertDeletion(
  db: Database,
  tenantId: string,
  id: string,
  { type, by, at }: DoneBy & { readonly type: "session.deleted" | "memory.deleted" | "vault.deleted" },
): D1PreparedStatement {
  const subject = type === "vault.deleted" ? { kind: "vaults", name: id } : {};
  return insertAct(db, { tenantId, ownerId: id, revision: ofDeletion }, deletion(type, subject, { by, at }));
}

function deletion(type: RecordedAct["type"], subject: RecordedAct["subject"], { by, at }: DoneBy): RecordedAct {
  return { type, decision: "deleted", actor: by, subject, reasons: [], at };
}

/** The row that says who deleted a channel: one, however often the deletion has to go on. */
export function insertChannelDeletion(
  db: Database,
  tenantId: string,
  { channelId, name }: { readonly channelId: string; readonly name: string },
  done: DoneBy,
): D1PreparedStatement {
  const act = deletion("channel.deleted", { kind: "channels", name }, done);
  return insertAct(db, { tenantId, ownerId: channelId, revision: ofDeletion }, act);
}

interface InMemory {
  readonly tenantId: string;
  readonly memoryId: string;
}

/** The row that says who deleted an entry of a memory: one, whoever repeats it. */
export function insertEntryDeletion(
  db: Database,
  { tenantId, memoryId }: InMemory,
  entryId: string,
  done: DoneBy,
): D1PreparedStatement {
  const act = deletion("entry.deleted", { kind: "entries", name: entryId }, done);
  return insertAct(db, { tenantId, ownerId: `${memoryId}/${entryId}`, revision: ofDeletion }, act);
}

/** The same of a thread: one for each that had the name, told apart by when they began. */
export function insertThreadDeletion(
  db: Database,
  { tenantId, memoryId }: InMemory,
  { threadId, createdAt }: { readonly threadId: string; readonly createdAt: number },
  done: DoneBy,
): D1PreparedStatement {
  const act = deletion("thread.deleted", { kind: "threads", name: threadId }, done);
  return insertAct(db, { tenantId, ownerId: `${memoryId}/${threadId}`, revision: createdAt }, act);
}

/**
 * The row of a change of a tenant's settings, for the batch that makes it, before the statement that does: it names those that will
 * be others then, of providers each with its fields, and no value. Without any there is no row.
 * @param given their values as they will be stored, null for one that is removed; and the tenant's `name`
 */
export function insertSettingsChange(
  db: Database,
  tenantId: string,
  given: Readonly<Record<string, unknown>>,
  { by, at }: DoneBy,
): D1PreparedStatement {
  return db
    .prepare(
      `INSERT INTO audit (${columns})
       SELECT ?1, ?2, (SELECT COALESCE(MAX(revision), 0) + 1 FROM audit WHERE tenant_id = ?1 AND owner_id = ?2), ?3, '', '', 'changed',
         json_object('subject', json_patch(
           json_object('kind', 'tenants', 'name', ?1, 'settings', json(names)),
           CASE fields WHEN '[]' THEN '{}' ELSE json_object('changes', json(fields)) END), 'reasons', json_array()),
         'settings.changed', ?4
       FROM (
         SELECT json_group_array(given.key) AS names FROM tenants t JOIN json_each(?5) AS given
         WHERE t.tenant_id = ?1
           AND json_extract(json_set(t.settings, '$.name', t.name), '$.' || given.key) IS NOT given.value),
         (SELECT json_group_array(DISTINCT path) AS fields FROM (${differences(
           providerFields("SELECT settings AS body FROM tenants WHERE tenant_id = ?1"),
           providerFields("SELECT ?5 AS body"),
         )}) WHERE json_type(?5, '$.providers') IS NOT NULL)
       WHERE names <> '[]'`,
    )
    .bind(tenantId, `tenants/${tenantId}`, at, JSON.stringify(by), JSON.stringify(given));
}

/** Each field of each provider, with its value, in the settings that a query gives as `body`. */
function providerFields(query: string): string {
  return `SELECT 'providers.' || provider.key || '.' || replace(field.key, 'sealedApiKey', 'apiKey') AS path, field.value AS value
    FROM (${query}) JOIN json_each(body, '$.providers') AS provider JOIN json_each(provider.value) AS field`;
}

/** The rows that one of two queries gives and not the other. */
function differences(before: string, after: string): string {
  return `SELECT * FROM (${before} EXCEPT ${after}) UNION ALL SELECT * FROM (${after} EXCEPT ${before})`;
}

/**
 * The row of a pinning of a server's tools, for the batch that does it, before the statement that does: it names the tools that will be
 * others then. Without any there is no row.
 * @param tools as they will be stored
 */
export function insertPinning(
  db: Database,
  { tenantId, name, version }: { readonly tenantId: string; readonly name: string; readonly version: number },
  tools: string,
  { by, at }: DoneBy,
): D1PreparedStatement {
  const before = `SELECT tool.value FROM pinned_tools JOIN json_each(COALESCE(tools, '[]')) AS tool
    WHERE tenant_id = ?1 AND name = ?2 AND version = ?3`;
  return db
    .prepare(
      `INSERT INTO audit (${columns})
       SELECT ?1, 'tools/' || ?2,
         (SELECT COALESCE(MAX(revision), 0) + 1 FROM audit WHERE tenant_id = ?1 AND owner_id = 'tools/' || ?2), ?4, '', '', 'pinned',
         json_object('subject', json_object('kind', 'tools', 'name', ?2, 'version', ?3, 'changes', json(names)), 'reasons', json_array()),
         'tools.pinned', ?5
       FROM (SELECT json_group_array(DISTINCT json_extract(value, '$.name')) AS names
         FROM (${differences(before, "SELECT value FROM json_each(?6)")}))
       WHERE names <> '[]'`,
    )
    .bind(tenantId, name, version, at, JSON.stringify(by), tools);
}

/** The row of a pass over what somebody writes to a memory, or of what was recalled from it. */
export function insertMemoryPass(
  db: Database,
  { tenantId, memoryId }: { readonly tenantId: string; readonly memoryId: string },
  pass: { readonly state: SupervisionState; readonly actor: ActorRecord; readonly at: number },
): D1PreparedStatement {
  const { hook, decision } = pass.state;
  const body = JSON.stringify(packedForAudit(pass.state));
  return db
    .prepare(
      `INSERT INTO audit (${columns})
       SELECT ?1, ?2, (SELECT COALESCE(MAX(revision), 0) + 1 FROM audit WHERE tenant_id = ?1 AND owner_id = ?2),
         ?3, '', ?4, ?5, ?6, 'supervision', ?7`,
    )
    .bind(tenantId, memoryId, pass.at, hook, decision, body, JSON.stringify(pass.actor));
}

/** The row of an act upon a resource, a key and the like, for the batch that does it; only if the statement before it changed something. */
export function insertResourceAct(db: Database, tenantId: string, act: RecordedAct): D1PreparedStatement {
  const { kind = "", name = "" } = act.subject;
  return db
    .prepare(
      `INSERT INTO audit (${columns})
       SELECT ?1, ?2, (SELECT COALESCE(MAX(revision), 0) + 1 FROM audit WHERE tenant_id = ?1 AND owner_id = ?2),
         ?3, ?4, ?5, ?6, ?7, ?8, ?9 WHERE changes() > 0`,
    )
    .bind(tenantId, `${kind}/${name}`, ...valuesOf(act));
}

function valuesOf({ at, workId = "", hook = "", decision, subject, reasons, type, actor }: RecordedAct) {
  const body = JSON.stringify({ subject, reasons });
  return [at, workId, hook, decision, body, type, actor === undefined ? null : JSON.stringify(actor)] as const;
}
