/** The database as it was a while ago, for one tenant: what a restore of D1 puts back, its ledger of erasures included. */
import { env } from "cloudflare:workers";
import type { TestTenant } from "./conclave.js";

type Row = Record<string, unknown>;

/** Notes every row of a tenant. @returns puts them back, in place of those that are there then */
export async function copyOfDatabase({ tenantId }: TestTenant): Promise<() => Promise<void>> {
  const { results: tables } = await env.DB.prepare(
    "SELECT name, sql FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_cf%' ESCAPE '\\' AND name NOT LIKE 'sqlite%'",
  ).all<{ name: string; sql: string }>();
  const own = tables.filter(
    ({ name, sql }) => !name.startsWith("entry_") && /\b(tenant_id|memory_key|scope)\b/.test(sql),
  );
  const memories = "SELECT key FROM memories WHERE tenant_id = ?1";
  const whose = (sql: string): string => {
    if (/\btenant_id\b/.test(sql)) return "tenant_id = ?1";
    return /\bmemory_key\b/.test(sql) ? `memory_key IN (${memories})` : "scope = ?1";
  };
  const copies = await Promise.all(
    own.map(async ({ name, sql }) => {
      const where = whose(sql);
      const { results } = await env.DB.prepare(`SELECT * FROM "${name}" WHERE ${where}`).bind(tenantId).all<Row>();
      return { name, where, rows: results };
    }),
  );
  return async () => {
    const ledger = (one: { name: string }) => (one.name === "erasures" ? 1 : 0);
    // Those that hang on others first, which would take them along; what the deletions note in the ledger goes last.
    const removed = copies.toSorted((a, b) => ledger(a) - ledger(b));
    await env.DB.batch([
      env.DB.prepare("PRAGMA defer_foreign_keys = on"),
      ...removed.map(({ name, where }) => env.DB.prepare(`DELETE FROM "${name}" WHERE ${where}`).bind(tenantId)),
      ...copies.flatMap(({ name, rows }) =>
        rows.map((row) => {
          const columns = Object.keys(row).map((column) => `"${column}"`);
          const values = columns.map((_, at) => `?${at + 1}`);
          return env.DB.prepare(`INSERT INTO "${name}" (${columns}) VALUES (${values})`).bind(
            ...Object.values(row).map((value) => (Array.isArray(value) ? Uint8Array.from(value) : value)),
          );
        }),
      ),
    ]);
  };
}
