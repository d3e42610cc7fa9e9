/** The audit in D1: rows are only added, and stay when what they are about is deleted. */
import { z } from "zod";
import { type ActorRecord, actorRecordSchema } from "../conversation/actor-record.js";
import { all, type Database, type Sql, sql } from "../platform/sql.js";
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
import { type ArchivedAudit, type AuditFilter, type AuditPosition, isBehind, placeOf } from "./audit-place.js";
import { integer, integerOrNull, number, text, textOrNull } from "./columns.js";

const row = z.object({
  owner_id: text,
  revision: integer,
  at: number,
  turn_id: text,
  hook: text,
  decision: text,
  body: text,
  type: z.enum(["supervision", ...actTypes]),
  actor: textOrNull,
  arrival: integerOrNull,
});

const actBodySchema = z.object({ subject: actSubjectSchema, reasons: z.array(z.string()) });
const passBodySchema = storedStateSchema.partial();

/** Conditions to be appended, and the index by which rows that meet them are found; and the same of archived rows. */
export interface AuditSelection {
  readonly index: Sql;
  readonly conditions: Sql;
  readonly archived: AuditFilter;
}

export class AuditLog {
  /** @param archive loaded by whoever reads; without it there is only what the table holds */
  constructor(
    private readonly db: Database,
    private readonly archive?: () => Promise<ArchivedAudit>,
  ) {}

  /** Rows from `from` up to, and without, `to` (milliseconds since the epoch), oldest first. */
  async page(
    tenantId: string,
    range: { readonly from: number; readonly to: number },
    after: AuditPosition | undefined,
    limit: number,
    { index, conditions, archived }: AuditSelection,
  ): Promise<{ readonly entries: AuditEntry[]; readonly next: AuditPosition | undefined }> {
    // The table first: what leaves it meanwhile stands in both, and not in neither.
    const here = await all(this.db, row)`
      SELECT owner_id, revision, at, turn_id, hook, decision, body, type, actor, arrival FROM audit${index}
      WHERE tenant_id = ${tenantId} AND at >= ${range.from} AND at < ${range.to}
        AND (at, owner_id, revision) > (${after?.at ?? -1}, ${after?.ownerId ?? ""}, ${after?.revision ?? -1})
        ${conditions}
      ORDER BY at, owner_id, revision LIMIT ${limit}`;
    const old = await (await this.archive?.())?.page(tenantId, range, after, limit, archived);
    const rows = merged(
      here,
      (old?.rows ?? []).map(({ n, ...one }) => row.parse({ ...one, arrival: n })),
    );
    // Behind where the look at the archive ended, anything may come first.
    const until = old?.until;
    const known = until === undefined ? rows : rows.filter((one) => !isBehind(one, until));
    const shown = known.slice(0, limit);
    const last = shown.length === limit ? shown.at(-1) : undefined;
    const next = last === undefined ? until : { at: last.at, ownerId: last.owner_id, revision: last.revision };
    return { entries: shown.map(entryOf), next };
  }
}

/** In their order; one that stands in both is one. */
function merged(here: readonly z.infer<typeof row>[], archived: readonly z.infer<typeof row>[]): z.infer<typeof row>[] {
  const byPlace = new Map(
    [...archived, ...here].map((one) => [JSON.stringify([one.at, one.owner_id, one.revision]), one]),
  );
  return [...byPlace.values()].sort((a, b) => (isBehind(a, placeOf(b)) ? 1 : -1));
}

function entryOf({
  owner_id,
  at,
  turn_id,
  hook,
  decision,
  body,
  type,
  actor,
  arrival,
}: z.infer<typeof row>): AuditEntry {
  // What is in a memory, and that somebody read something, stands behind the id.
  const [owner = ""] = owner_id.split("/");
  const about = {
    at: new Date(at).toISOString(),
    type,
    decision,
    ...(arrival === null ? {} : { row: arrival }),
    ...(owner.startsWith("ses_") ? { sessionId: owner } : {}),
    ...(owner.startsWith("run_") ? { runId: owner } : {}),
    ...(owner.startsWith("rt_") ? { roundtableId: owner } : {}),
    ...(owner.startsWith("mem_") ? { memoryId: owner } : {}),
    ...(turn_id === "" ? {} : { workId: turn_id }),
    ...(hook === "" ? {} : { hook }),
    ...(actor === null ? {} : { actor: actorRecordSchema.parse(JSON.parse(actor)) }),
  };
  if (type !== "supervision") return auditEntrySchema.parse({ ...about, ...actBodySchema.parse(JSON.parse(body)) });
  const { subject = {}, reasons = [], steps = [] } = passBodySchema.parse(JSON.parse(body));
  return auditEntrySchema.parse({ ...about, subject, reasons, steps });
}

const columns = sql`tenant_id, owner_id, revision, at, turn_id, hook, decision, body, type, actor`;

/** The number of the next row of what isn't an object, or has more than one author of rows. */
function nextRevision(tenantId: string, ownerId: string): Sql {
  return sql`
    (SELECT COALESCE(MAX(revision), 0) + 1 FROM audit WHERE tenant_id = ${tenantId} AND owner_id = ${ownerId})`;
}

/** The row of an act in an object; `revision` is the outbox message that it came with. */
export function insertAct(
  { tenantId, ownerId, revision }: { readonly tenantId: string; readonly ownerId: string; readonly revision: number },
  act: RecordedAct,
): Sql {
  return sql`
    INSERT INTO audit (${columns}) VALUES (${tenantId}, ${ownerId}, ${revision}, ${valuesOf(act)}) ON CONFLICT DO NOTHING`;
}

/** The row of somebody's reading, beside those that the object delivers, which number their own. */
export function insertRead(tenantId: string, ownerId: string, act: RecordedAct): Sql {
  return insertApart(tenantId, `${ownerId}/reads`, act);
}

/** A row of an owner that numbers its own. */
export function insertApart(tenantId: string, owner: string, act: RecordedAct): Sql {
  return sql`
    INSERT INTO audit (${columns}) SELECT ${tenantId}, ${owner}, ${nextRevision(tenantId, owner)}, ${valuesOf(act)}`;
}

/** No row that an object delivers, or that a memory is given, has this number. */
const ofDeletion = -1;

/** The row that says who deleted something for good, by its id: one, whoever repeats it. */
export function insertDeletion(
  tenantId: string,
  id: string,
  { type, by, at }: DoneBy & { readonly type: "session.deleted" | "memory.deleted" | "vault.deleted" },
): Sql {
  const subject = type === "vault.deleted" ? { kind: "vaults", name: id } : {};
  return insertAct({ tenantId, ownerId: id, revision: ofDeletion }, deletion(type, subject, { by, at }));
}

function deletion(type: RecordedAct["type"], subject: RecordedAct["subject"], { by, at }: DoneBy): RecordedAct {
  return { type, decision: "deleted", actor: by, subject, reasons: [], at };
}

/** The row that says who deleted a channel: one, however often the deletion has to go on. */
export function insertChannelDeletion(
  tenantId: string,
  { channelId, name }: { readonly channelId: string; readonly name: string },
  done: DoneBy,
): Sql {
  const act = deletion("channel.deleted", { kind: "channels", name }, done);
  return insertAct({ tenantId, ownerId: channelId, revision: ofDeletion }, act);
}

interface InMemory {
  readonly tenantId: string;
  readonly memoryId: string;
}

/** The row that says who deleted an entry of a memory: one, whoever repeats it. */
export function insertEntryDeletion({ tenantId, memoryId }: InMemory, entryId: string, done: DoneBy): Sql {
  const act = deletion("entry.deleted", { kind: "entries", name: entryId }, done);
  return insertAct({ tenantId, ownerId: `${memoryId}/${entryId}`, revision: ofDeletion }, act);
}

/** The same of a thread: one for each that had the name, told apart by when they began. */
export function insertThreadDeletion(
  { tenantId, memoryId }: InMemory,
  { threadId, createdAt }: { readonly threadId: string; readonly createdAt: number },
  done: DoneBy,
): Sql {
  const act = deletion("thread.deleted", { kind: "threads", name: threadId }, done);
  return insertAct({ tenantId, ownerId: `${memoryId}/${threadId}`, revision: createdAt }, act);
}

/**
 * The row of a change of a tenant's settings, for the batch that makes it, before the statement that does: it names those that will
 * be others then, of providers each with its fields, and no value. Without any there is no row.
 * @param given their values as they will be stored, null for one that is removed; and the tenant's `name`
 */
export function insertSettingsChange(
  tenantId: string,
  given: Readonly<Record<string, unknown>>,
  { by, at }: DoneBy,
): Sql {
  const ownerId = `tenants/${tenantId}`;
  const settings = JSON.stringify(given);
  const changed = differences(
    providerFields(sql`SELECT settings AS body FROM tenants WHERE tenant_id = ${tenantId}`),
    providerFields(sql`SELECT ${settings} AS body`),
  );
  return sql`
    INSERT INTO audit (${columns})
    SELECT ${tenantId}, ${ownerId}, ${nextRevision(tenantId, ownerId)}, ${at}, '', '', 'changed',
      json_object('subject', json_patch(
        json_object('kind', 'tenants', 'name', ${tenantId}, 'settings', json(names)),
        CASE fields WHEN '[]' THEN '{}' ELSE json_object('changes', json(fields)) END), 'reasons', json_array()),
      'settings.changed', ${JSON.stringify(by)}
    FROM
      (SELECT json_group_array(given.key) AS names FROM tenants t JOIN json_each(${settings}) AS given
        WHERE t.tenant_id = ${tenantId}
          AND json_extract(json_set(t.settings, '$.name', t.name), '$.' || given.key) IS NOT given.value),
      (SELECT json_group_array(DISTINCT path) AS fields FROM (${changed}) WHERE json_type(${settings}, '$.providers') IS NOT NULL)
    WHERE names <> '[]'`;
}

/** Each field of each provider, with its value, in the settings that a query gives as `body`. */
function providerFields(query: Sql): Sql {
  return sql`SELECT 'providers.' || provider.key || '.' || replace(field.key, 'sealedApiKey', 'apiKey') AS path,
      field.value AS value
    FROM (${query}) JOIN json_each(body, '$.providers') AS provider JOIN json_each(provider.value) AS field`;
}

/** The rows that one of two queries gives and not the other. */
function differences(before: Sql, after: Sql): Sql {
  return sql`SELECT * FROM (${before} EXCEPT ${after}) UNION ALL SELECT * FROM (${after} EXCEPT ${before})`;
}

/**
 * The row of a pinning of a server's tools, for the batch that does it, before the statement that does: it names the tools that will be
 * others then. Without any there is no row.
 * @param tools as they will be stored
 */
export function insertPinning(
  { tenantId, name, version }: { readonly tenantId: string; readonly name: string; readonly version: number },
  tools: string,
  { by, at }: DoneBy,
): Sql {
  const ownerId = `tools/${name}`;
  const before = sql`SELECT tool.value FROM pinned_tools JOIN json_each(COALESCE(tools, '[]')) AS tool
    WHERE tenant_id = ${tenantId} AND name = ${name} AND version = ${version}`;
  return sql`INSERT INTO audit (${columns})
    SELECT ${tenantId}, ${ownerId}, ${nextRevision(tenantId, ownerId)}, ${at}, '', '', 'pinned', json_object('subject',
      json_object('kind', 'tools', 'name', ${name}, 'version', ${version}, 'changes', json(names)), 'reasons',
      json_array()), 'tools.pinned', ${JSON.stringify(by)}
    FROM (SELECT json_group_array(DISTINCT json_extract(value, '$.name')) AS names
      FROM (${differences(before, sql`SELECT value FROM json_each(${tools})`)}))
    WHERE names <> '[]'`;
}

/** The row of a pass over what somebody writes to a memory, or of what was recalled from it. @param only where it is true */
export function insertMemoryPass(
  { tenantId, memoryId }: { readonly tenantId: string; readonly memoryId: string },
  pass: { readonly state: SupervisionState; readonly actor: ActorRecord; readonly at: number },
  only: Sql = sql`TRUE`,
): Sql {
  const { hook, decision } = pass.state;
  const body = JSON.stringify(packedForAudit(pass.state));
  return sql`INSERT INTO audit (${columns})
    SELECT ${tenantId}, ${memoryId}, ${nextRevision(tenantId, memoryId)}, ${pass.at}, '', ${hook}, ${decision}, ${body},
      'supervision', ${JSON.stringify(pass.actor)} WHERE ${only}`;
}

/**
 * The row of an act upon a resource, a key and the like, for the batch that does it; only if the statement before it changed something.
 * @param done with why, where that is known
 * @param decision what was done, where it isn't the end of the type's name
 */
export function insertResourceAct(
  tenantId: string,
  type: RecordedAct["type"],
  subject: RecordedAct["subject"],
  {
    by,
    at,
    reason,
  }: { readonly by: ActorRecord | undefined; readonly at: number; readonly reason?: string | undefined },
  decision: string = type.slice(type.indexOf(".") + 1),
): Sql {
  const ownerId = `${subject.kind ?? ""}/${subject.name ?? ""}`;
  const values = valuesOf({ type, decision, actor: by, subject, reasons: reason === undefined ? [] : [reason], at });
  return sql`
    INSERT INTO audit (${columns}) SELECT ${tenantId}, ${ownerId}, ${nextRevision(tenantId, ownerId)}, ${values}
    WHERE changes() > 0`;
}

function valuesOf({ at, workId = "", hook = "", decision, subject, reasons, type, actor }: RecordedAct): Sql {
  const body = JSON.stringify({ subject, reasons });
  return sql`${at}, ${workId}, ${hook}, ${decision}, ${body}, ${type}, ${actor && JSON.stringify(actor)}`;
}
