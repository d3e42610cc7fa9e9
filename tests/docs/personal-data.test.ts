/** Nothing that is kept of a person is forgotten: every table, of D1 and of objects, stands on docs/personal-data.md with what becomes of it. */
import { globSync, readFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import { channelConversationSchema } from "../../durable-objects/channel-conversation/schema.js";
import { chatSessionSchema } from "../../durable-objects/chat-session/schema.js";
import { datasetSchema } from "../../durable-objects/dataset/schema.js";
import { kitSchema, type SchemaStep } from "../../durable-objects/kit/schema.js";
import { memoryThreadSchema } from "../../durable-objects/memory-thread/schema.js";
import { roundtableSchemaSteps } from "../../durable-objects/roundtable/schema.js";
import { routingRunSchema } from "../../durable-objects/routing-run/schema.js";
import { subjectJobSchemaSteps } from "../../durable-objects/subject-job/schema.js";
import { tenantBudgetSchema } from "../../durable-objects/tenant-budget/schema.js";

const objects: Readonly<Record<string, readonly SchemaStep[]>> = {
  "channel-conversation": channelConversationSchema,
  "chat-session": chatSessionSchema,
  dataset: datasetSchema,
  "memory-thread": memoryThreadSchema,
  roundtable: roundtableSchemaSteps,
  "routing-run": routingRunSchema,
  "subject-job": subjectJobSchemaSteps,
  "tenant-budget": tenantBudgetSchema,
};

/** Tables that statements make, but for those behind a full-text index, which go with its rows. */
function tablesOf(statements: readonly string[]): string[] {
  const database = new DatabaseSync(":memory:");
  for (const statement of statements) database.exec(statement);
  const rows = database
    .prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    .all();
  database.close();
  return rows
    .map(({ name }) => String(name))
    .filter((name) => !/^entry_(index|vocab)./.test(name) && name !== "entry_vocab");
}

/** What makes a new object with all that it may come to have. */
function statementsOf(steps: readonly SchemaStep[]): string[] {
  const renewed = steps.filter(({ instead }) => instead !== undefined);
  return renewed.flatMap(({ sql, tables = {} }) => [sql, ...Object.values(tables)]);
}

/** The tables that the page lists under a heading. */
function listed(heading: string): string[] {
  const page = readFileSync("docs/personal-data.md", "utf8");
  const [, section = ""] = page.split(`### ${heading}\n`);
  const rows = (section.split(/^#/m)[0] ?? "").matchAll(/^\| (`[^|]+`) \| ([^|]+) \|$/gm);
  return [...rows].flatMap(([, names = ""]) => [...names.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name));
}

it("has every table of D1, and says of each how it is erased or why it isn't", () => {
  const migrations = globSync("migrations/*.sql")
    .sort()
    .map((file) => readFileSync(file, "utf8"));
  expect(listed("In D1").sort()).toEqual(tablesOf(migrations).sort());
});

it("has every table of the objects", () => {
  const folders = globSync("durable-objects/*/schema.ts").map((file) => file.split("/")[1]);
  expect(Object.keys(objects).sort()).toEqual(folders.filter((folder) => folder !== "kit").sort());
  const kit = tablesOf(statementsOf(kitSchema));
  const own = Object.entries(objects).flatMap(([folder, steps]) =>
    tablesOf(statementsOf([...kitSchema, ...steps]))
      .filter((name) => !kit.includes(name))
      .map((name) => `${folder}/${name}`),
  );
  expect(listed("In objects").sort()).toEqual([...kit.map((name) => `kit/${name}`), ...own].sort());
});
