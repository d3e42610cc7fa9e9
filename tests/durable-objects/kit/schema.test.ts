import { describe, expect, it } from "vitest";
import { applySchema, EditedHistoryError, hasSchema, type SchemaStep } from "../../../durable-objects/kit/schema.js";
import { NewerStateError } from "../../../src/gateways/newer-state.js";
import { inObject } from "./support.js";

const one: SchemaStep = { name: "one", sql: "CREATE TABLE one (a INTEGER)" };
const two: SchemaStep = { name: "two", sql: "ALTER TABLE one ADD COLUMN b TEXT; CREATE TABLE two (c INTEGER)" };

function tables(state: DurableObjectState): string[] {
  return state.storage.sql
    .exec<{ name: string }>(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB '_cf*' ORDER BY name",
    )
    .toArray()
    .map(({ name }) => name);
}

describe("the schema steps of an object", () => {
  it("are applied once each, and only the new ones later", async () => {
    await inObject((state) => {
      expect(hasSchema(state.storage.sql)).toBe(false);
      applySchema(state.storage, [one]);
      state.storage.sql.exec("INSERT INTO one (a) VALUES (1)");
      applySchema(state.storage, [one]);
      applySchema(state.storage, [one, two]);
      applySchema(state.storage, [one, two]);
      expect(hasSchema(state.storage.sql)).toBe(true);
      expect(state.storage.sql.exec("SELECT a, b FROM one").toArray()).toEqual([{ a: 1, b: null }]);
    });
  });

  it("refuse a history in which a step was edited, and change nothing", async () => {
    await inObject((state) => {
      applySchema(state.storage, [one, two]);
      const before = tables(state);
      const edited: SchemaStep = { ...one, sql: "CREATE TABLE one (a TEXT)" };
      const more: SchemaStep = { name: "three", sql: "CREATE TABLE three (d INTEGER)" };
      expect(() => applySchema(state.storage, [edited, two, more])).toThrow(EditedHistoryError);
      expect(tables(state)).toEqual(before);
    });
  });

  it("of newer code are passed over where they have only added, and name the version that reads them otherwise", async () => {
    await inObject((state) => {
      const three: SchemaStep = { name: "three", sql: "CREATE TABLE three (d INTEGER)" };
      applySchema(state.storage, [one, two]);
      applySchema(state.storage, [one]);
      applySchema(state.storage, [one, three]);
      expect(tables(state)).toEqual(["one", "schema_steps", "three", "two"]);
      const four: SchemaStep = { name: "four", sql: "DROP TABLE one", readableFrom: "9.8.7" };
      applySchema(state.storage, [one, two, three, four]);
      const five: SchemaStep = { name: "five", sql: "CREATE TABLE five (e INTEGER)" };
      expect(() => applySchema(state.storage, [one, two, three, five])).toThrow(NewerStateError);
      expect(() => applySchema(state.storage, [one, two, three, five])).toThrow("9.8.7");
      expect(tables(state)).toEqual(["schema_steps", "three", "two"]);
      applySchema(state.storage, [one, two, three, four, five]);
    });
  });

  it("are stored as digests; those that code of before stored with their text are known too", async () => {
    await inObject((state) => {
      const { sql } = state.storage;
      sql.exec("CREATE TABLE schema_steps (position INTEGER PRIMARY KEY, name TEXT NOT NULL, sql TEXT NOT NULL)");
      sql.exec(one.sql);
      sql.exec("INSERT INTO schema_steps (position, name, sql) VALUES (0, ?, ?)", one.name, one.sql);
      applySchema(state.storage, [one]);
      applySchema(state.storage, [one, { ...two, readableFrom: "0.2.0" }]);
      const rows = sql.exec("SELECT sql, readable_from FROM schema_steps ORDER BY position").toArray();
      expect(rows).toEqual([
        { sql: one.sql, readable_from: null },
        { sql: expect.stringMatching(/^[0-9a-f]+:\d+$/), readable_from: "0.2.0" },
      ]);
      expect(() => applySchema(state.storage, [one, { ...two, sql: `${two.sql};` }])).toThrow(EditedHistoryError);
    });
  });

  it("are known by their names: a step that stands before those that were applied is applied too", async () => {
    await inObject((state) => {
      applySchema(state.storage, [one, two]);
      const kit: SchemaStep = { name: "of the kit", sql: "CREATE TABLE kit (e INTEGER)" };
      applySchema(state.storage, [kit, two, one]);
      applySchema(state.storage, [kit, two, one]);
      expect(tables(state)).toEqual(["kit", "one", "schema_steps", "two"]);
    });
  });

  it("stay as they were applied when a part of one became another step", async () => {
    await inObject((state) => {
      const whole: SchemaStep = { name: "one", sql: "CREATE TABLE one (a INTEGER); CREATE TABLE part (b INTEGER)" };
      applySchema(state.storage, [whole]);
      state.storage.sql.exec("INSERT INTO part (b) VALUES (1)");
      const part: SchemaStep = { name: "part", sql: "CREATE TABLE IF NOT EXISTS part (b INTEGER)" };
      applySchema(state.storage, [part, { ...one, formerly: [whole.sql] }]);
      expect(tables(state)).toEqual(["one", "part", "schema_steps"]);
      expect(state.storage.sql.exec("SELECT b FROM part").toArray()).toEqual([{ b: 1 }]);
    });
  });

  it("have names of their own, or nothing is applied", async () => {
    await inObject((state) => {
      expect(() => applySchema(state.storage, [one, { ...two, name: "one" }])).toThrow(TypeError);
      expect(hasSchema(state.storage.sql)).toBe(false);
    });
  });

  it("are applied all or none", async () => {
    await inObject((state) => {
      const broken: SchemaStep = {
        name: "broken",
        sql: "CREATE TABLE three (d INTEGER); CREATE TABLE one (again INTEGER)",
      };
      applySchema(state.storage, [one]);
      expect(() => applySchema(state.storage, [one, two, broken])).toThrow();
      expect(tables(state)).toEqual(["one", "schema_steps"]);
      applySchema(state.storage, [one, two]);
      expect(tables(state)).toEqual(["one", "schema_steps", "two"]);
    });
  });
});
