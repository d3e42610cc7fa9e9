/** The list of sessions and the inbox of asks in D1. */
import { z } from "zod";
import { type Ask, type AskKind, askSchema } from "../asks/ask.js";
import { type Session, sessionSchema } from "../chat/session.js";

const bodyRow = z.object({ body: z.string() });

/** Copies are a moment behind: the status, which changes with every turn, is left out of what they show. */
const copiedSession = sessionSchema.omit({ status: true }).strip();

/** The copies in D1 of what objects hold: the list of sessions and the inbox of asks. */
export class SessionIndex {
  constructor(private readonly db: D1Database) {}

  /** Newest first. */
  async sessions(tenantId: string, before: string | undefined, limit: number): Promise<Omit<Session, "status">[]> {
    const { results } = await this.db
      .prepare(
        `SELECT body FROM sessions WHERE tenant_id = ?1 AND (?2 IS NULL OR session_id < ?2)
         ORDER BY session_id DESC LIMIT ?3`,
      )
      .bind(tenantId, before ?? null, limit)
      .all();
    return results.map((row) => copiedSession.parse(JSON.parse(bodyRow.parse(row).body)));
  }

  /** Oldest first: what waits longest stands first. */
  async asks(
    tenantId: string,
    filter: { readonly status: Ask["status"] | undefined; readonly kind: AskKind | undefined },
    after: string,
    limit: number,
  ): Promise<Ask[]> {
    const { results } = await this.db
      .prepare(
        `SELECT body FROM asks WHERE tenant_id = ?1 AND ask_id > ?2 AND (?3 IS NULL OR status = ?3) AND (?4 IS NULL OR kind = ?4)
         ORDER BY ask_id LIMIT ?5`,
      )
      .bind(tenantId, after, filter.status ?? null, filter.kind ?? null, limit)
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
