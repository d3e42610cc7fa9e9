/** Tables of objects are there once something is written to them, and new objects come to have what those of before have. */
import { describe, expect, it } from "vitest";
import { channelConversationSchema } from "../../../durable-objects/channel-conversation/schema.js";
import { chatSessionSchema } from "../../../durable-objects/chat-session/schema.js";
import { datasetSchema } from "../../../durable-objects/dataset/schema.js";
import { applySchema, kitSchema, renewed, type SchemaStep } from "../../../durable-objects/kit/schema.js";
import { makeWhenWritten } from "../../../durable-objects/kit/tables.js";
import { memoryThreadSchema } from "../../../durable-objects/memory-thread/schema.js";
import { roundtableSchemaSteps } from "../../../durable-objects/roundtable/schema.js";
import { routingRunSchema } from "../../../durable-objects/routing-run/schema.js";
import { subjectJobSchemaSteps } from "../../../durable-objects/subject-job/schema.js";
import { tenantBudgetSchema } from "../../../durable-objects/tenant-budget/schema.js";
import { inObject } from "./support.js";

const objects: Readonly<Record<string, readonly SchemaStep[]>> = {
  ...{ channelConversationSchema, chatSessionSchema, datasetSchema, memoryThreadSchema, roundtableSchemaSteps },
  ...{ routingRunSchema, subjectJobSchemaSteps, tenantBudgetSchema },
};

/** What stands in an object's file, by name: columns in their order, indexes with what they are over. */
function shapeOf({ sql }: DurableObjectStorage): ReadonlyMap<string, unknown> {
  const found = sql.exec(
    "SELECT name, type, sql FROM sqlite_master WHERE type IN ('table', 'index') AND name NOT GLOB '_cf*' AND name <> 'schema_steps'",
  );
  return new Map(
    found.toArray().map(({ name, type, sql: made }): [string, object] => {
      if (type === "index") return [String(name), { made }];
      const columns = sql
        .exec(`SELECT name, type, "notnull", dflt_value, pk FROM pragma_table_info('${name}')`)
        .toArray();
      return [String(name), { columns, ends: /\)( WITHOUT ROWID)?$/.exec(String(made))?.[0] }];
    }),
  );
}

describe.each(Object.entries(objects))("%s", (_name, own) => {
  const steps = [...kitSchema, ...own];

  it("makes new objects of what the steps of before come to", async () => {
    const before = await inObject(({ storage }) => {
      applySchema(
        storage,
        steps.filter(({ instead }) => instead === undefined),
      );
      return shapeOf(storage);
    });
    const [begins, all] = await inObject(({ storage }) => {
      applySchema(storage, steps);
      const made = shapeOf(storage);
      for (const { tables } of steps) for (const statement of Object.values(tables ?? {})) storage.sql.exec(statement);
      return [made, shapeOf(storage)];
    });
    // Made when they were first written to, before all tables were.
    const later = ["commands", "debates", "feedback"].flatMap((name) =>
      all.has(name) ? [[name, all.get(name)] as const] : [],
    );
    expect(all).toEqual(new Map([...before, ...later]));
    expect([...begins.keys()].filter((name) => !name.startsWith("sqlite_"))).toHaveLength(2);
  });
});

describe("a table that is made when it is first written to", () => {
  const birds = renewed(
    {
      name: "new",
      sql: "CREATE TABLE one (a INTEGER)",
      tables: {
        birds: "CREATE TABLE birds (name TEXT PRIMARY KEY, legs INTEGER); CREATE INDEX birds_by_legs ON birds (legs)",
      },
    },
    [{ name: "old", sql: "CREATE TABLE one (a INTEGER); CREATE TABLE birds (name TEXT)" }],
  );
  const within = <T>(test: (storage: DurableObjectStorage, isThere: () => boolean) => T) =>
    inObject(({ storage }) => {
      makeWhenWritten(storage.sql, { birds: birds[0]?.tables?.["birds"] ?? "" });
      applySchema(storage, birds);
      const isThere = () => storage.sql.exec("SELECT 1 FROM sqlite_master WHERE name = 'birds'").toArray().length > 0;
      return test(storage, isThere);
    });

  it("reads as empty until then, and nothing of it is changed", async () => {
    await within(({ sql }, isThere) => {
      sql.exec("INSERT INTO one VALUES (1), (2)");
      expect(sql.exec("SELECT name, legs FROM birds INDEXED BY birds_by_legs WHERE legs = ?", 2).toArray()).toEqual([]);
      expect(sql.exec("SELECT COUNT(*) AS n, MAX(legs) AS most FROM birds").one()).toEqual({ n: 0, most: null });
      expect(
        sql.exec("SELECT a FROM one WHERE NOT EXISTS (SELECT 1 FROM birds WHERE legs = a)").toArray(),
      ).toHaveLength(2);
      expect(sql.exec("UPDATE one SET a = a + (SELECT COUNT(*) FROM birds) RETURNING a").toArray()).toHaveLength(2);
      expect(sql.exec("UPDATE birds SET legs = ? RETURNING name", 3).toArray()).toEqual([]);
      expect(sql.exec("DELETE FROM birds WHERE name = ?", "rook").rowsWritten).toBe(0);
      sql.exec("INSERT INTO one SELECT legs FROM birds");
      const counted =
        "WITH RECURSIVE n (a) AS (SELECT 1 UNION ALL SELECT a + 1 FROM n WHERE a < 3) SELECT a FROM n, birds";
      expect(sql.exec(counted).toArray()).toEqual([]);
      expect(isThere()).toBe(false);
      sql.exec("INSERT OR REPLACE INTO birds (name, legs) VALUES (?, ?)", "rook", 2);
      expect(sql.exec("SELECT * FROM birds INDEXED BY birds_by_legs WHERE legs = 2").one()).toEqual({
        name: "rook",
        legs: 2,
      });
    });
  });

  it("is none again where the write that made it was rolled back, or the object was emptied", async () => {
    await within(async (storage, isThere) => {
      const { sql } = storage;
      const write = () => sql.exec("INSERT INTO birds (name, legs) VALUES ('rook', 2) ON CONFLICT DO NOTHING");
      expect(() =>
        storage.transactionSync(() => {
          write();
          expect(sql.exec("SELECT name FROM birds").toArray()).toHaveLength(1);
          throw new Error("no");
        }),
      ).toThrow("no");
      expect(isThere()).toBe(false);
      expect(sql.exec("SELECT name FROM birds").toArray()).toEqual([]);
      expect(() => sql.exec("SELECT name FROM fishes")).toThrow("no such table: fishes");
      write();
      await storage.deleteAll();
      expect(sql.exec("SELECT name FROM birds").toArray()).toEqual([]);
      applySchema(storage, birds);
      write();
      expect(sql.exec("SELECT name FROM birds").toArray()).toHaveLength(1);
    });
  });

  it("is made for a later step that changes it; objects of before go on with their steps", async () => {
    const more: SchemaStep = { name: "wings", sql: "ALTER TABLE birds ADD COLUMN wings INTEGER" };
    await within((storage, isThere) => {
      applySchema(storage, [...birds, more]);
      expect(isThere()).toBe(true);
      expect(storage.sql.exec("SELECT wings FROM birds").toArray()).toEqual([]);
      expect(storage.sql.exec("SELECT name FROM schema_steps ORDER BY position").toArray()).toEqual([
        { name: "new" },
        { name: "wings" },
      ]);
    });
    await inObject(({ storage }) => {
      applySchema(storage, birds.slice(1));
      applySchema(storage, [...birds, more]);
      expect(storage.sql.exec("SELECT name FROM schema_steps ORDER BY position").toArray()).toEqual([
        { name: "old" },
        { name: "wings" },
      ]);
    });
  });
});
