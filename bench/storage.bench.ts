/** What one message writes, early and late in one session. Runs in workerd, where the object can be looked into. */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { newTenant, type TestTenant } from "../tests/support/conclave.js";

const measured = 50;
const early = 10;
const late = 2_000;

interface Written {
  /** Rows that the object wrote, those of indexes included. */
  rows: number;
  /** Bytes of the values that were bound in writing statements. */
  bytes: number;
  /** Growth of the object's database file. */
  stored: number;
  /** Rows of decisions copied to D1, and their bytes. */
  auditRows: number;
  auditBytes: number;
}

it("writes as much for a late message as for an early one", async () => {
  const tenant = await newTenant();
  const model = await tenant.agent("assistant", { supervisors: ["privacy"] });
  await model.reply({ text: "Noted. Your parcel leaves the warehouse tomorrow and arrives on Friday.", repeat: true });
  await tenant.rules("privacy", [{ match: { type: "personalData" }, action: "redact", reason: "personal data" }]);
  const session = await tenant.session();
  const say = (number: number) =>
    tenant.say(session, `Message ${String(number).padStart(5, "0")} of customer ada@example.org: where is my parcel?`);

  for (let number = 1; number < early; number++) await say(number);
  const atFirst = await watch(tenant, session, () => repeat(early, say));
  for (let number = early + measured; number < late; number++) await say(number);
  const atLast = await watch(tenant, session, () => repeat(late, say));
  console.log(`BENCH ${JSON.stringify({ early: atFirst, late: atLast })}`);

  expect(atLast.rows / atFirst.rows).toBeLessThan(1.2);
  expect(atLast.bytes / atFirst.bytes).toBeLessThan(1.2);
});

async function repeat(from: number, say: (number: number) => Promise<unknown>): Promise<void> {
  for (let number = from; number < from + measured; number++) await say(number);
}

/** Everything that is written meanwhile, per message. */
async function watch(tenant: TestTenant, sessionId: string, work: () => Promise<void>): Promise<Written> {
  const object = tenant.object(sessionId);
  const statements: { query: string; cursor: SqlStorageCursor<Record<string, SqlStorageValue>>; bytes: number }[] = [];
  await settled(tenant, sessionId);
  const audited = await audit(tenant);
  const size = await runInDurableObject(object, (_instance, { storage: { sql } }) => {
    const exec = sql.exec.bind(sql);
    Object.defineProperty(sql, "exec", {
      configurable: true,
      value: (query: string, ...bindings: unknown[]) => {
        const cursor = exec(query, ...bindings);
        const writes = /^\s*(?:INSERT|UPDATE|DELETE|REPLACE)/i.test(query);
        statements.push({ query, cursor, bytes: writes ? bytesOf(bindings) : 0 });
        return cursor;
      },
    });
    return sql.databaseSize;
  });
  await work();
  await settled(tenant, sessionId);
  const { after, rows, bytes } = await runInDurableObject(object, (_instance, { storage: { sql } }) => {
    Reflect.deleteProperty(sql, "exec");
    const sums = { after: sql.databaseSize, rows: 0, bytes: 0 };
    for (const statement of statements) {
      sums.rows += statement.cursor.rowsWritten;
      sums.bytes += statement.bytes;
    }
    return sums;
  });
  const { rows: auditRows, bytes: auditBytes } = await audit(tenant);
  return {
    rows: rows / measured,
    bytes: bytes / measured,
    stored: (after - size) / measured,
    auditRows: (auditRows - audited.rows) / measured,
    auditBytes: (auditBytes - audited.bytes) / measured,
  };
}

/** Nothing waits to be delivered any more. */
async function settled(tenant: TestTenant, sessionId: string): Promise<void> {
  for (;;) {
    const waiting = await runInDurableObject(
      tenant.object(sessionId),
      (_instance, { storage: { sql } }) => sql.exec<{ n: number }>("SELECT COUNT(*) AS n FROM outbox").one().n,
    );
    if (waiting === 0) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

async function audit({ tenantId }: TestTenant): Promise<{ rows: number; bytes: number }> {
  const row = await env.DB.prepare(
    "SELECT COUNT(*) AS rows, COALESCE(SUM(LENGTH(body)), 0) AS bytes FROM audit WHERE tenant_id = ?",
  )
    .bind(tenantId)
    .first<{ rows: number; bytes: number }>();
  return row ?? { rows: 0, bytes: 0 };
}

function bytesOf(bindings: readonly unknown[]): number {
  return bindings.reduce<number>((sum, value) => sum + (typeof value === "string" ? value.length : 8), 0);
}
