/** What objects could not deliver and have given up for now, as each says it of itself. */
import { z } from "zod";
import { all, type Database } from "../platform/sql.js";
import { integer, number, text } from "./columns.js";

/** Objects that are listed, at most. */
const mostListed = 1_000;

const row = z.object({ owner_id: text, parked: integer, since: number });

/** Those that wait longest first. */
export async function parkedOutboxes(db: Database, tenantId: string) {
  const rows = await all(db, row)`SELECT owner_id, parked, since FROM parked_outboxes INDEXED BY parked_outboxes_now
    WHERE tenant_id = ${tenantId} AND parked > 0 ORDER BY since LIMIT ${mostListed}`;
  return rows.map(({ owner_id: id, parked, since }) => ({ id, parked, since: new Date(since).toISOString() }));
}
