/** A turn of a long session costs what an early one does: rows that are read and written, by the account of the object's own SQLite. */
import { runInDurableObject } from "cloudflare:test";
import { expect, it } from "vitest";
import { newTenant, type TestTenant } from "../support/conclave.js";
import { countStorage } from "../support/counted-storage.js";

/** Makes a session as long as if its last turn had been said so often: its turns, messages, passes and events, copied in place. */
function lengthen(tenant: TestTenant, session: string, times: number): Promise<void> {
  return runInDurableObject(tenant.object(session), (_instance, { storage }) => {
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
}

it("the thousandth turn of a session reads and writes as many rows as the tenth does, but for a fuller window of its history", async () => {
  const tenant = await newTenant();
  await tenant.rules("privacy", [{ match: { type: "personalData" }, action: "redact", reason: "personal" }]);
  const model = await tenant.agent("assistant", { supervisors: ["privacy"] });
  const session = await tenant.session();
  await model.reply({ text: "It is on its way.", repeat: true });
  const say = () => tenant.say(session, "Where is my parcel?");
  const turns = 3;
  const measured = () =>
    countStorage(tenant.object(session), async () => {
      for (let turn = 0; turn < turns; turn++) await say();
    });
  for (let turn = 0; turn < 9; turn++) await say();
  const tenth = await measured();
  await lengthen(tenant, session, 30);
  const fortieth = await measured();
  await lengthen(tenant, session, 1_000);
  const thousandth = await measured();
  expect(thousandth.objectRowsWritten).toBeLessThanOrEqual(tenth.objectRowsWritten * 1.1);
  expect(thousandth.d1RowsWritten).toBeLessThanOrEqual(tenth.d1RowsWritten * 1.1);
  expect(thousandth.objectRowsRead).toBeLessThanOrEqual(fortieth.objectRowsRead * 1.1);
  // The window that a prompt is made of has at most 60 messages, and isn't full at the tenth turn.
  expect(thousandth.objectRowsRead - tenth.objectRowsRead).toBeLessThanOrEqual(turns * 60);
});
