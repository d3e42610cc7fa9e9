/** The list of roundtables in D1. */
import { z } from "zod";
import { type RoundtableSummary, roundtableSummarySchema } from "../roundtable/roundtable.js";
import type { Database } from "./database.js";
import { allOf, byIndex, equals, hasMetadata } from "./list-filter.js";

const bodyRow = z.object({ body: z.string() });

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
    const { sql, bindings } = allOf([
      ...equals("status", status),
      ...equals("mode", mode),
      ...equals("panel", panel),
      ...equals("subject", subject),
      ...equals("external_id", externalId),
      ...(before === undefined ? [] : [{ sql: "roundtable_id < ?", bindings: [before] }]),
      ...hasMetadata(metadata),
    ]);
    const index = byIndex({
      roundtables_by_external_id: externalId,
      roundtables_by_subject: subject,
      roundtables_by_status: status,
    });
    const { results } = await this.db
      .prepare(`SELECT body FROM roundtables${index} WHERE tenant_id = ?${sql} ORDER BY roundtable_id DESC LIMIT ?`)
      .bind(tenantId, ...bindings, limit)
      .all();
    return results.map((row) => roundtableSummarySchema.parse(JSON.parse(bodyRow.parse(row).body)));
  }
}
