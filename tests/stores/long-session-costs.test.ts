/** A turn of a long session costs what an early one does: rows that are read and written, by the account of the object's own SQLite. */
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { expect, it } from "vitest";
import { atRest } from "../support/at-rest.js";
import { newTenant, type TestTenant } from "../support/conclave.js";
import { countStorage } from "../support/counted-storage.js";

/** Makes a session as long as if its last turn had been said so often: its turns, messages, passes and events, copied in place. */
async function lengthen(tenant: TestTenant, session: string, times: number): Promise<void> {
  await runInDurableObject(tenant.object(session), (_instance, { storage }) => {
    const { sql } = storage;
    const columnsOf = (table: string): string[] =>
      sql
        .exec<{ name: string }>(`SELECT name FROM pragma_table_info('${table}')`)
        .toArray()
        .map(({ name }) => name);
    const last = sql.exec<{ id: string }>("SELECT turn_id AS id FROM turns ORDER BY seq DESC LIMIT 1").one().id;
    const copied = { turns: "turn_id", messages: "turn_id", passes: "turn_id", events: "work" };
    for (const [table, of] of Object.entries(copied)) {
      const columns = columnsOf(table).filter((name) => name !== "seq");
      const values = columns.map((name) => {
        if (name === "idempotency_key") return "NULL";
        return /^(turn_id|message_id|reply_id|work)$/.test(name) ? `${name} || '-' || n` : name;
      });
      sql.exec(
        `WITH RECURSIVE times (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM times WHERE n < ?)
         INSERT INTO ${table} (${columns.join(", ")}) SELECT ${values.join(", ")} FROM ${table}, times WHERE ${of} = ? ORDER BY n, seq`,
        times,
        last,
      );
    }
  });
  // What an object has read it knows: nobody else writes what is its own.
  await evictDurableObject(tenant.object(session));
}

it("turn ten thousand of a session reads and writes as many rows as its tenth does", async () => {
  const tenant = await newTenant();
  await tenant.rules("privacy", [{ match: { type: "personalData" }, action: "redact", reason: "personal" }]);
  const model = await tenant.agent("assistant", { supervisors: ["privacy"] });
  const session = await tenant.session();
  await model.reply({ text: "It is on its way.", repeat: true });
  // With what it leaves, so that the machine's pace doesn't decide whose delivery is counted.
  const say = async () => {
    await tenant.say(session, "Where is my parcel?");
    await atRest(tenant.object(session));
  };
  const measured = () =>
    countStorage(tenant, session, async () => {
      for (let turn = 0; turn < 3; turn++) await say();
    });
  for (let turn = 0; turn < 9; turn++) await say();
  const tenth = await measured();
  await lengthen(tenant, session, 10_000);
  await say();
  const tenThousandth = await measured();
  for (const count of ["objectRowsRead", "objectRowsWritten", "d1RowsRead", "d1RowsWritten"] as const) {
    expect(tenThousandth[count], count).toBeLessThanOrEqual(tenth[count] * 1.1);
    expect(tenth[count], count).toBeGreaterThan(0);
  }
});
