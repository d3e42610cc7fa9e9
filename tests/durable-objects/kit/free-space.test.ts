/** What is erased in an object is gone from its pages: see also tests/process/erased-on-disk.test.ts, which reads the files. */
import { expect, it } from "vitest";
import { Deadlines } from "../../../durable-objects/kit/deadlines.js";
import { FreeSpace } from "../../../durable-objects/kit/free-space.js";
import { Clock, kitIn, withKitTables } from "./support.js";

const schema = `SELECT type, name, tbl_name, replace(sql, '"', '') AS sql FROM sqlite_master WHERE name NOT LIKE '\\_%' ESCAPE '\\' ORDER BY name`;

it("leaves tables, indexes, rows and the next numbers as they were", () =>
  withKitTables(async ({ storage }) => {
    const { sql } = storage;
    sql.exec("INSERT INTO outbox (entity, topic, payload, due_at) VALUES ('a', 'b', 'c', 1), ('a', 'b', 'c', 2)");
    sql.exec("DELETE FROM outbox WHERE id = 2");
    for (let n = 0; n < 300; n++)
      sql.exec("INSERT INTO events (work, type, at, data) VALUES (?, 't', 1, ?)", `${n % 7}`, "x".repeat(n));
    new Deadlines(storage).move("other", 1);
    const all = () => ["outbox", "events", "schema_steps"].map((name) => sql.exec(`SELECT * FROM ${name}`).toArray());
    const before = [sql.exec(schema).toArray(), ...all()];
    const size = sql.databaseSize;
    await new FreeSpace(storage, new Deadlines(storage), Date.now).overwrite();
    expect([sql.exec(schema).toArray(), ...all()]).toEqual(before);
    expect(
      sql.exec("INSERT INTO outbox (entity, topic, payload, due_at) VALUES ('a', 'b', 'c', 1) RETURNING id").one(),
    ).toEqual({ id: 3 });
    expect(sql.databaseSize).toBeLessThanOrEqual(size + 4_096);
  }));

it("is done some seconds after an erasure, again after one that came meanwhile, and no more", () =>
  withKitTables(async (state) => {
    const clock = new Clock();
    const kit = kitIn(state, clock);
    kit.write(() => kit.freeSpace.overwriteSoon());
    const due = () => new Deadlines(state.storage).passed(Number.MAX_SAFE_INTEGER);
    expect(due()).toEqual(["overwrite"]);
    const first = kit.freeSpace.overwrite();
    kit.write(() => kit.freeSpace.overwriteSoon());
    await first;
    expect(due()).toEqual(["overwrite"]);
    await kit.freeSpace.overwrite();
    expect(due()).toEqual([]);
  }));

it("stops where the object is erased meanwhile", () =>
  withKitTables(async (state) => {
    const kit = kitIn(state, new Clock());
    const overwriting = kit.freeSpace.overwrite();
    await kit.empty();
    await overwriting;
    expect(state.storage.sql.exec(schema).toArray()).toEqual([]);
  }));
