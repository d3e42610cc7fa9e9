/** Where tenants' objects are, in D1. A tenant that may have objects keeps its jurisdiction for ever: in another they would be others. */
import { z } from "zod";
import { batch, type Database, joined, raw, sql } from "../platform/sql.js";
import type { DoneBy } from "../tenancy/audit.js";
import { type Jurisdiction, jurisdictions } from "../tenancy/tenant.js";
import { insertResourceAct } from "./audit-log.js";

export const placementRow = z.object({ jurisdiction: z.enum(jurisdictions).nullable(), placed: z.int() });

/** Tenants that are kept; nothing depends on it. */
const keptTenants = 5_000;

/** Tables with a row for each object that a tenant has or had, whatever its `placed` says: those of an earlier version didn't set it. */
const tablesOfObjects = ["sessions", "runs", "roundtables", "memory_threads", "channel_conversations"] as const;

export class TenantPlacements {
  /** Of tenants that have been placed: it doesn't change any more. */
  private readonly known = new Map<string, Jurisdiction | undefined>();

  constructor(private readonly db: Database) {}

  /** Whoever has read a tenant's row tells what it says of its place. */
  note(tenantId: string, { jurisdiction, placed }: z.infer<typeof placementRow>): void {
    if (placed === 1) this.keep(tenantId, jurisdiction ?? undefined);
  }

  /** Makes it final, in the same transaction: from now on the tenant may have objects there. Nothing of a tenant that is gone. */
  async jurisdictionOf(tenantId: string): Promise<Jurisdiction | undefined> {
    if (this.known.has(tenantId)) return this.known.get(tenantId);
    const [, found] = await batch(this.db, [
      sql`UPDATE tenants SET placed = 1 WHERE tenant_id = ${tenantId} AND placed = 0`,
      sql`SELECT jurisdiction, placed FROM tenants WHERE tenant_id = ${tenantId}`,
    ]);
    const row = found?.results[0];
    if (row === undefined) return undefined;
    const jurisdiction = placementRow.parse(row).jurisdiction ?? undefined;
    this.keep(tenantId, jurisdiction);
    return jurisdiction;
  }

  /**
   * Sets or takes away a tenant's jurisdiction; false when it may have objects by now, and another one.
   * @param jurisdiction null for none
   * @param done for the audit, which hears of it if it was another before
   */
  async set(tenantId: string, jurisdiction: Jurisdiction | null, { by, at }: DoneBy): Promise<boolean> {
    const none = tablesOfObjects.map(
      (table) => sql`NOT EXISTS (SELECT 1 FROM ${raw(table)} WHERE tenant_id = ${tenantId})`,
    );
    const subject = { kind: "tenants", name: tenantId, settings: ["jurisdiction"] };
    const [, , isSet] = await batch(this.db, [
      sql`UPDATE tenants SET jurisdiction = ${jurisdiction}
        WHERE tenant_id = ${tenantId} AND jurisdiction IS NOT ${jurisdiction} AND placed = 0 AND ${joined(none, " AND ")}`,
      insertResourceAct(tenantId, "settings.changed", subject, { by, at }),
      sql`SELECT 1 FROM tenants WHERE tenant_id = ${tenantId} AND jurisdiction IS ${jurisdiction}`,
    ]);
    return (isSet?.results.length ?? 0) > 0;
  }

  private keep(tenantId: string, jurisdiction: Jurisdiction | undefined): void {
    const [oldest] = this.known.keys();
    if (this.known.size >= keptTenants && oldest !== undefined) this.known.delete(oldest);
    this.known.set(tenantId, jurisdiction);
  }
}
