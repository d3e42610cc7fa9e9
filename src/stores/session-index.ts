/** The list of sessions and the inbox of asks in D1. */
import { z } from "zod";
import { type Ask, type AskKind, askSchema } from "../asks/ask.js";
import { type Session, sessionSchema } from "../chat/session.js";

const bodyRow = z.object({ body: z.string() });

/** Copies are a moment behind: the status, which changes with every turn, is left out of what they show. */
const copiedSession = sessionSchema.omit({ status: true }).strip();

/** The sessions of one end user: all, one of them, or those with some agents. */
export interface SessionOwners {
  readonly subject: string;
  readonly sessionId?: string | undefined;
  readonly agents?: readonly string[] | undefined;
}

/** @param first the number of the first of its three bindings */
function owned(owners: SessionOwners | undefined, first: number): string {
  if (owners === undefined) return "";
  const [subject, session, agents] = [`?${first}`, `?${first + 1}`, `?${first + 2}`];
  return `AND json_extract(body, '$.subject') = ${subject} AND (${session} IS NULL OR session_id = ${session})
    AND (${agents} IS NULL OR agent IN (SELECT value FROM json_each(${agents})))`;
}

function bindings(owners: SessionOwners | undefined): (string | null)[] {
  if (owners === undefined) return [];
  const { subject, sessionId, agents } = owners;
  return [subject, sessionId ?? null, agents === undefined ? null : JSON.stringify(agents)];
}

/** The copies in D1 of what objects hold: the list of sessions and the inbox of asks. */
export class SessionIndex {
  constructor(private readonly db: D1Database) {}

  /** Newest first. */
  async sessions(
    tenantId: string,
    before: string | undefined,
    limit: number,
    owners?: SessionOwners,
  ): Promise<Omit<Session, "status">[]> {
    const { results } = await this.db
      .prepare(
        `SELECT body FROM sessions WHERE tenant_id = ?1 AND (?2 IS NULL OR session_id < ?2) ${owned(owners, 4)}
         ORDER BY session_id DESC LIMIT ?3`,
      )
      .bind(tenantId, before ?? null, limit, ...bindings(owners))
      .all();
    return results.map((row) => copiedSession.parse(JSON.parse(bodyRow.parse(row).body)));
  }

  /** Oldest first: what waits longest stands first. */
  async asks(
    tenantId: string,
    filter: { readonly status: Ask["status"] | undefined; readonly kind: AskKind | undefined },
    after: string,
    limit: number,
    owners?: SessionOwners,
  ): Promise<Ask[]> {
    const { results } = await this.db
      .prepare(
        `SELECT body FROM asks WHERE tenant_id = ?1 AND ask_id > ?2 AND (?3 IS NULL OR status = ?3) AND (?4 IS NULL OR kind = ?4)
           ${
             owners === undefined
               ? ""
               : `AND json_extract(body, '$.answerableBy') = 'client' AND owner_id IN (
                    SELECT session_id FROM sessions WHERE tenant_id = ?1 ${owned(owners, 6)})`
           }
         ORDER BY ask_id LIMIT ?5`,
      )
      .bind(tenantId, after, filter.status ?? null, filter.kind ?? null, limit, ...bindings(owners))
      .all();
    return results.map((row) => askSchema.parse(JSON.parse(bodyRow.parse(row).body)));
  }

  /** Whether there is a copy of this session. */
  async knows(tenantId: string, sessionId: string): Promise<boolean> {
    const row = await this.db
      .prepare("SELECT 1 FROM sessions WHERE tenant_id = ? AND session_id = ?")
      .bind(tenantId, sessionId)
      .first();
    return row !== null;
  }

  /** Forgets the copies of a session that was deleted. Its decisions stay in the audit, which holds no text. */
  async forget(tenantId: string, sessionId: string): Promise<void> {
    await this.db.batch([
      this.db.prepare("DELETE FROM sessions WHERE tenant_id = ? AND session_id = ?").bind(tenantId, sessionId),
      this.db.prepare("DELETE FROM asks WHERE tenant_id = ? AND owner_id = ?").bind(tenantId, sessionId),
    ]);
  }
}
