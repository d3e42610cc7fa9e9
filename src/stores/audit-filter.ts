/** Which rows of the audit are read, and by which index: passes in which all allowed, which nearly all are, stand in few of them. */
import { joined, raw, type Sql, sql } from "../platform/sql.js";
import type { AuditSelection } from "./audit-log.js";
import type { AuditFilter } from "./audit-place.js";
import { allOf, byIndex, equals } from "./list-filter.js";

export function auditSelection(tenantId: string, { type, decision, actor, subject }: AuditFilter): AuditSelection {
  const act = type === "supervision" ? undefined : type;
  const change = decision === "allow" ? undefined : decision;
  const conditions = allOf([
    ...equals({ type, decision }),
    // What the indexes leave out, said as they say it.
    ...(act === undefined ? [] : [sql`type <> 'supervision'`]),
    ...(change === undefined ? [] : [sql`decision <> 'allow'`]),
    ...(actor === undefined ? [] : [sql`actor IS NOT NULL AND json_extract(actor, '$.id') = ${actor}`]),
    ...(subject === undefined ? [] : [sql`(owner_id, revision) IN (${rowsOf(tenantId, subject)})`]),
  ]);
  const archived: AuditSelection["archived"] = { type, decision, actor, subject };
  if (subject !== undefined) return { index: sql``, conditions, archived };
  return {
    archived,
    index: byIndex({ audit_by_actor: actor, audit_by_type: act, audit_by_decision: change, audit_by_time: "" }),
    conditions,
  };
}

/** The ids of an end user's sessions, runs and roundtables. */
export function ownersOf(tenantId: string, subject: string): Sql {
  const owned = (table: string, id: string, index: string): Sql =>
    sql`SELECT ${raw(id)} AS id FROM ${raw(table)} INDEXED BY ${raw(index)}
      WHERE tenant_id = ${tenantId} AND subject = ${subject}`;
  return joined(
    [
      owned("sessions", "session_id", "sessions_by_subject"),
      owned("runs", "run_id", "runs_by_subject"),
      owned("roundtables", "roundtable_id", "roundtables_by_subject"),
    ],
    " UNION ALL ",
  );
}

/** Of an end user: of all that is theirs, what they did, and what was done to them. */
function rowsOf(tenantId: string, subject: string): Sql {
  const theirs = ownersOf(tenantId, subject);
  return sql`
    SELECT audit.owner_id, audit.revision FROM (${theirs}) CROSS JOIN audit
      ON audit.tenant_id = ${tenantId} AND audit.owner_id = id
    UNION SELECT owner_id, revision FROM audit INDEXED BY audit_by_actors_subject
      WHERE tenant_id = ${tenantId} AND json_extract(actor, '$.subject') IS NOT NULL
        AND json_extract(actor, '$.subject') = ${subject}
    UNION SELECT owner_id, revision FROM audit WHERE tenant_id = ${tenantId} AND owner_id = ${`subjects/${subject}`}`;
}
