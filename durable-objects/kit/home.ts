/** Whose an object is. */

/** What stands before the path of a name where the platform has no jurisdictions (`withNamedJurisdictions`). */
const jurisdictionMark = /^jurisdiction:[^/]*\//;

/** A tenant, and what the object is called within it: its name. Objects that an alarm wakes may have been told none. */
export function pathOf({ id }: Pick<DurableObjectState, "id">): readonly string[] {
  return id.name?.replace(jurisdictionMark, "").split("/") ?? [];
}

/**
 * The tenant that an object is of; empty of one that was told no name and isn't made yet.
 * @param table of the object's own, whose one row says whose it is
 */
export function tenantOf(ctx: DurableObjectState, table: string): string {
  const [tenantId = storedTenant(ctx.storage.sql, table)] = pathOf(ctx);
  return tenantId;
}

function storedTenant(storage: SqlStorage, table: string): string {
  const isMade =
    storage.exec("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", table).toArray().length > 0;
  if (!isMade) return "";
  const [row] = storage.exec(`SELECT tenant_id FROM ${table}`).toArray();
  return String(row?.["tenant_id"] ?? "");
}
