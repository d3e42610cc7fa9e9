import { type Sql, sql } from "../../platform/sql.js";
/** Filters of entries: by what a caller asks for, and by whether they hold. */
export interface EntryFilter {
  readonly role?: string | undefined;
  /** `name` or `name=value`. */
  readonly tag?: string | undefined;
  /** Said at or after, and before; ISO. */
  readonly after?: string | undefined;
  readonly before?: string | undefined;
  /** What held then; now, if left out. */
  readonly asOf?: string | undefined;
  readonly threadId?: string | undefined;
}

/** Entries (`e`) that hold at a moment: not superseded and not expired by then, and said by `saidBy`. */
export function holdsAt(moment: string, saidBy: string): Sql {
  return sql`
    (e.deleted_at IS NULL AND e.occurred_at <= ${saidBy} AND (e.superseded_at IS NULL OR e.superseded_at > ${moment})
      AND (e.expires_at IS NULL OR e.expires_at > ${moment}))`;
}

/** What holds now includes what was said by a clock that goes fast. */
export const endOfTime = "9999-12-31T23:59:59.999Z";
