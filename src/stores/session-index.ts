/** The list of sessions in D1. */
import { z } from "zod";
import { type Session, sessionSchema } from "../chat/session.js";

const bodyRow = z.object({ body: z.string() });

/** Copies are a moment behind: the status, which changes with every turn, is left out of what they show. */
const copiedSession = sessionSchema.omit({ status: true }).strip();

/** The copies in D1 of what sessions hold. */
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
