/** Rows of the audit in their order, and which of them are meant: the same wherever they lie. */
import type { ArchivedRow } from "./archive/archive-row.js";

/** Where a page of the audit ends. */
export interface AuditPosition {
  readonly at: number;
  readonly ownerId: string;
  readonly revision: number;
}

export interface AuditFilter {
  readonly type?: string | undefined;
  readonly decision?: string | undefined;
  /** The id of who did it: a key's, a person's, a supervisor's name. */
  readonly actor?: string | undefined;
  /** The end user whose work it is about, or on whose behalf it was done. */
  readonly subject?: string | undefined;
}

/** The archive as a page of the audit reads it. */
export interface ArchivedAudit {
  /** Rows that are meant, in order; and where the look ended, if it did before the range did. */
  page(
    tenantId: string,
    range: { readonly from: number; readonly to: number },
    after: AuditPosition | undefined,
    limit: number,
    selection: AuditFilter,
  ): Promise<{ readonly rows: readonly ArchivedRow[]; readonly until: AuditPosition | undefined }>;
}

/** Of a row. */
export function placeOf({ at, owner_id, revision }: Pick<ArchivedRow, "at" | "owner_id" | "revision">): AuditPosition {
  return { at, ownerId: owner_id, revision };
}

/** Whether a row comes behind a place, as SQLite compares them. */
export function isBehind(
  { at, owner_id, revision }: Pick<ArchivedRow, "at" | "owner_id" | "revision">,
  place: AuditPosition,
): boolean {
  if (at !== place.at) return at > place.at;
  return owner_id === place.ownerId ? revision > place.revision : owner_id > place.ownerId;
}
