/** The list of sessions in D1. */
import { z } from "zod";
import { type Session, storedSessionSchema } from "../chat/session.js";
import { all, batch, type Database, exists, listed, run, type Sql, sql } from "../platform/sql.js";
import type { DoneBy } from "../tenancy/audit.js";
import { insertDeletion } from "./audit-log.js";
import { byIndex, equals, hasMetadata, newestFirst } from "./list-filter.js";

const copies = { table: "sessions", id: "session_id", body: storedSessionSchema };
const idRow = z
  .object({ tenant_id: z.string(), session_id: z.string() })
  .transform((row) => ({ tenantId: row.tenant_id, sessionId: row.session_id }));

export interface SessionFilter {
  readonly agent?: string | undefined;
  readonly status?: Session["status"] | undefined;
  readonly subject?: string | undefined;
  readonly externalId?: string | undefined;
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  /** Milliseconds since the epoch. */
  readonly updatedAfter?: number | undefined;
  /** Those that were made for one turn, or those that weren't. */
  readonly stateless?: boolean | undefined;
  /** Those that a person has, or was asked to take. */
  readonly held?: boolean | undefined;
}

/** The sessions of one end user: all, one of them, or those with some agents. */
export interface SessionOwners {
  readonly subject: string;
  readonly sessionId?: string | undefined;
  readonly agents?: readonly string[] | undefined;
}

/** Rows of `sessions` that are theirs. */
export function ownedBy({ subject, sessionId, agents }: SessionOwners): Sql[] {
  return [
    ...equals({ subject, session_id: sessionId }),
    ...(agents === undefined ? [] : [sql`agent IN ${listed(agents)}`]),
  ];
}

/** The copies in D1 of what sessions hold. */
export class SessionIndex {
  constructor(private readonly db: Database) {}

  /** Newest first. */
  async sessions(
    tenantId: string,
    filter: SessionFilter,
    before: string | undefined,
    limit: number,
    owners?: SessionOwners,
  ): Promise<Session[]> {
    const { agent, status, subject, externalId, metadata, updatedAfter, stateless, held } = filter;
    const index = byIndex({
      sessions_by_external_id: externalId,
      held_sessions: held === true ? "held" : undefined,
      sessions_by_subject: subject ?? owners?.subject,
      sessions_by_agent: agent,
      sessions_by_status: status,
    });
    const conditions = [
      ...equals({ agent, status, subject, external_id: externalId }),
      ...(owners === undefined ? [] : ownedBy(owners)),
      ...(updatedAfter === undefined ? [] : [sql`updated_at > ${updatedAfter}`]),
      ...(stateless === undefined ? [] : [sql`stateless = ${stateless ? 1 : 0}`]),
      ...(held === undefined ? [] : [held ? sql`held_at IS NOT NULL` : sql`held_at IS NULL`]),
      ...hasMetadata(metadata),
    ];
    return newestFirst(this.db, copies, tenantId, { conditions, index }, before, limit);
  }

  /**
   * Sessions of all tenants that were made for one turn, in which nothing has gone on since.
   * @param before milliseconds since the epoch
   */
  async endedStateless(before: number, limit: number): Promise<{ tenantId: string; sessionId: string }[]> {
    return all(this.db, idRow)`
      SELECT tenant_id, session_id FROM sessions WHERE stateless = 1 AND status = 'idle' AND updated_at <= ${before}
      ORDER BY updated_at LIMIT ${limit}`;
  }

  /** Sessions that were made for one turn count from now on as used at this time. @param at milliseconds since the epoch */
  async renewStateless(tenantId: string, sessionIds: readonly string[], at: number): Promise<void> {
    await run(this.db)`UPDATE sessions SET updated_at = ${at}
      WHERE tenant_id = ${tenantId} AND session_id IN ${listed(sessionIds)} AND stateless = 1`;
  }

  /** Whether there is a copy of this session. */
  async knows(tenantId: string, sessionId: string): Promise<boolean> {
    return exists(this.db)`SELECT 1 FROM sessions WHERE tenant_id = ${tenantId} AND session_id = ${sessionId}`;
  }

  /**
   * Forgets the copies of a session that was deleted, its decisions and their labels among them. The audit, which holds no text, stays.
   * @param deleted who deleted it, and when; the system itself leaves no record
   */
  async forget(tenantId: string, sessionId: string, deleted?: DoneBy): Promise<void> {
    await batch(this.db, [
      ...(deleted === undefined ? [] : [insertDeletion(tenantId, sessionId, { type: "session.deleted", ...deleted })]),
      sql`DELETE FROM sessions WHERE tenant_id = ${tenantId} AND session_id = ${sessionId}`,
      sql`DELETE FROM feedback WHERE tenant_id = ${tenantId} AND session_id = ${sessionId}`,
      sql`DELETE FROM decisions WHERE tenant_id = ${tenantId} AND owner_id = ${sessionId}`,
      sql`DELETE FROM asks INDEXED BY asks_of_owner WHERE tenant_id = ${tenantId} AND owner_id = ${sessionId}`,
    ]);
  }
}
