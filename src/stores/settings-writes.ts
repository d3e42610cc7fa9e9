/** The statements that change a tenant's settings, with their row of the audit. */
import { joined, type Sql, sql } from "../platform/sql.js";
import type { DoneBy } from "../tenancy/audit.js";
import type { SettingsChange, StoredSettings } from "../tenancy/tenant.js";
import { insertSettingsChange } from "./audit-log.js";

/** The settings that change, with what is secret in them sealed. */
export type SettingsUpdate = Omit<SettingsChange, "jurisdiction" | "providers"> & {
  readonly providers?: StoredSettings["providers"];
};

/** What is given and nothing else changes, so that changes at the same time all hold. Null removes a setting. */
export function settingsStatements(
  tenantId: string,
  { name, settings }: { readonly name: string | undefined; readonly settings: SettingsUpdate },
  done: DoneBy,
): Sql[] {
  const given = Object.entries(settings).filter(([, value]) => value !== undefined);
  const set = given.flatMap(([key, value]) =>
    value === null ? [] : [sql`, ${`$.${key}`}, json(${JSON.stringify(value)})`],
  );
  const removed = given.flatMap(([key, value]) => (value === null ? [sql`, ${`$.${key}`}`] : []));
  return [
    insertSettingsChange(tenantId, { ...settings, name }, done),
    sql`UPDATE tenants
      SET settings = json_remove(json_set(settings${joined(set, "")})${joined(removed, "")}),
        name = COALESCE(${name}, name)
      WHERE tenant_id = ${tenantId}`,
  ];
}
