/** A database in which something fails for a while. All files of a run share it, so it is whole again when the test ends, however it ends. */
import { env } from "cloudflare:workers";
import { onTestFinished } from "vitest";

/** Takes a table away. @returns what puts it back before the test's end */
export function takeTable(name: string): Promise<() => Promise<void>> {
  return until(`ALTER TABLE ${name} RENAME TO ${name}_away`, `ALTER TABLE ${name}_away RENAME TO ${name}`);
}

/** Has the database forget that its last migration was applied. @returns what puts it back before the test's end */
export function withoutLastMigration(): Promise<() => Promise<void>> {
  const last = "id = (SELECT MAX(id) FROM d1_migrations)";
  return until(
    `CREATE TABLE migration_away AS SELECT * FROM d1_migrations WHERE ${last}\nDELETE FROM d1_migrations WHERE ${last}`,
    "INSERT INTO d1_migrations SELECT * FROM migration_away\nDROP TABLE migration_away",
  );
}

/** Has a tenant's writes of entries fail, as on a full disk. @returns what lets them through before the test's end */
export function refuseEntries(tenantId: string): Promise<() => Promise<void>> {
  return refuseWrites(tenantId, "entries");
}

/** Has writes to a table fail that are about a tenant. @returns what lets them through before the test's end */
export function refuseWrites(
  tenantId: string,
  table: string,
  write: "INSERT" | "UPDATE" | "DELETE" = "INSERT",
): Promise<() => Promise<void>> {
  const name = `no_${write}_of_${table}_of_${tenantId}`;
  const row = write === "DELETE" ? "old" : "new";
  const create = `CREATE TRIGGER ${name} BEFORE ${write} ON ${table} WHEN ${row}.tenant_id = '${tenantId}'`;
  return until(`${create} BEGIN SELECT RAISE(FAIL, 'disk full'); END`, `DROP TRIGGER ${name}`);
}

/** Has a tenant's memories be deleted by somebody else at the moment when an entry of one is. */
export function deleteMemoriesBeside(tenantId: string): Promise<() => Promise<void>> {
  const name = `memories_gone_of_${tenantId}`;
  const create = `CREATE TRIGGER ${name} AFTER UPDATE OF deleted_at ON entries WHEN new.tenant_id = '${tenantId}'`;
  return until(`${create} BEGIN DELETE FROM memories WHERE tenant_id = '${tenantId}'; END`, `DROP TRIGGER ${name}`);
}

/** @param broken statements, one a line; so is `whole` */
async function until(broken: string, whole: string): Promise<() => Promise<void>> {
  let isBroken = true;
  const mend = async (): Promise<void> => {
    if (!isBroken) return;
    isBroken = false;
    await env.DB.exec(whole);
  };
  onTestFinished(mend);
  await env.DB.exec(broken);
  return mend;
}
