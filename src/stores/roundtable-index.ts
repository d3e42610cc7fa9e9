/** The list of roundtables in D1. */

import type { Database } from "../platform/sql.js";
import { type RoundtableSummary, roundtableSummarySchema } from "../roundtable/roundtable.js";
import { byIndex, equals, hasMetadata, newestFirst } from "./list-filter.js";

const copies = { table: "roundtables", id: "roundtable_id", body: roundtableSummarySchema };

export interface RoundtableFilter {
  readonly status?: RoundtableSummary["status"] | undefined;
  readonly mode?: string | undefined;
  readonly panel?: string | undefined;
  readonly subject?: string | undefined;
  readonly externalId?: string | undefined;
  readonly metadata?: Readonly<Record<string, string>> | undefined;
}

/** The copies in D1 of what roundtables hold. */
export class RoundtableIndex {
  constructor(private readonly db: Database) {}

  /** Newest first. */
  async roundtables(
    tenantId: string,
    { status, mode, panel, subject, externalId, metadata }: RoundtableFilter,
    before: string | undefined,
    limit: number,
  ): Promise<RoundtableSummary[]> {
    const index = byIndex({
      roundtables_by_external_id: externalId,
      roundtables_by_subject: subject,
      roundtables_by_status: status,
    });
    const columns = { status, mode, panel, subject, external_id: externalId };
    const conditions = [...equals(columns), ...hasMetadata(metadata)];
    return newestFirst(this.db, copies, tenantId, { conditions, index }, before, limit);
  }
}
