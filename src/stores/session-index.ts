/** The list of sessions in D1. */
import { z } from "zod";
import { type Session, storedSessionSchema } from "../chat/session.js";
import type { DoneBy } from "../tenancy/audit.js";
import { insertDeletion } from "./audit-log.js";
import type { Database } from "./database.js";
import { allOf, byIndex, type Condition, equals, hasMetadata } from "./list-filter.js";

const bodyRow = z.object({ body: z.string() });
const idRow = z.object({ tenant_id: z.string(), session_id: z.string() });

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
}

/** The sessions of one end user: all, one of them, or those with some agents. */
export interface SessionOwners {
  readonly subject: string;
  readonly sessionId?: string | undefined;
  readonly agents?: readonly string[] | undefined;
}

/** Rows of `sessions` that are theirs. */
export function ownedBy({ subject, sessionId, agents }: SessionOwners): Condition[] {
  return [
    ...equals("subject", subject),
    ...equals("session_id", sessionId),
    ...(agents === undefined
      ? []
      : [{ sql: "agent IN (SELECT value FROM json_each(?))", bindings: [JSON.stringify(agents)] }]),
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
    const { agent, status, subject, externalId, metadata, updatedAfter, stateless } = filter;
    const { sql, bindings } = allOf([
      ...equals("agent", agent),
      ...equals("status", status),
      ...equals("subject", subject),
      ...(owners === undefined ? [] : ownedBy(owners)),
      ...equals("external_id", externalId),
      ...(updatedAfter === undefined ? [] : [{ sql: "updated_at > ?", bindings: [updatedAfter] }]),
      ...(stateless === undefined ? [] : [{ sql: "stateless = ?", bindings: [stateless ? 1 : 0] }]),
      ...(before === undefined ? [] : [{ sql: "session_id < ?", bindings: [before] }]),
      ...hasMetadata(metadata),
    ]);
    const index = byIndex({
      sessions_by_external_id: externalId,
      sessions_by_subject: subject ?? owners?.subject,
      sessions_by_agent: agent,
      sessions_by_status: status,
    });
    const { results } = await this.db
      .prepare(`SELECT body FROM sessions${index} WHERE tenant_id = ?${sql} ORDER BY session_id DESC LIMIT ?`)
      .bind(tenantId, ...bindings, limit)
      .all();
    return results.map((row) => storedSessionSchema.parse(JSON.parse(bodyRow.parse(row).body)));
  }

  /**
   * Sessions of all tenants that were made for one turn, in which nothing has gone on since.
   * @param before milliseconds since the epoch
   */
  async endedStateless(before: number, limit: number): Promise<{ tenantId: string; sessionId: string }[]> {
    const { results } = await this.db
      .prepare(
        "SELECT tenant_id, session_id FROM sessions WHERE stateless = 1 AND status = 'idle' AND updated_at <= ? ORDER BY updated_at LIMIT ?",
      )
      .bind(before, limit)
      .all();
    return results.map((row) => {
      const { tenant_id, session_id } = idRow.parse(row);
      return { tenantId: tenant_id, sessionId: session_id };
    });
  }

  /** Sessions that were made for one turn count from now on as used at this time. @param at milliseconds since the epoch */
  async renewStateless(tenantId: string, sessionIds: readonly string[], at: number): Promise<void> {
    await this.db
      .prepare(
        `UPDATE sessions SET updated_at = ?3
         WHERE tenant_id = ?1 AND session_id IN (SELECT value FROM json_each(?2)) AND stateless = 1`,
      )
      .bind(tenantId, JSON.stringify(sessionIds), at)
      .run();
  }

  /** Whether there is a copy of this session. */
  async knows(tenantId: string, sessionId: string): Promise<boolean> {
    const row = await this.db
      .prepare("SELECT 1 FROM sessions WHERE tenant_id = ? AND session_id = ?")
      .bind(tenantId, sessionId)
      .first();
    return row !== null;
  }

  /**
   * Forgets the copies of a session that was deleted. Its decisions stay in the audit, which holds no text.
   * @param deleted who deleted it, and when; the system itself leaves no record
   */
  async forget(tenantId: string, sessionId: string, deleted?: DoneBy): Promise<void> {
    await this.db.batch([
      ...(deleted === undefined
        ? []
        : [insertDeletion(this.db, tenantId, sessionId, { type: "session.deleted", ...deleted })]),
      this.db.prepare("DELETE FROM sessions WHERE tenant_id = ? AND session_id = ?").bind(tenantId, sessionId),
      this.db
        .prepare("DELETE FROM asks INDEXED BY asks_of_owner WHERE tenant_id = ? AND owner_id = ?")
        .bind(tenantId, sessionId),
    ]);
  }
}
