/** Nobody but the composition knows that there are several databases, and nothing reaches one past the tenant that it works for. */
import { globSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";

const sources = [...globSync("src/**/*.{ts,tsx}"), ...globSync("durable-objects/**/*.ts")].map((path) => ({
  path,
  text: readFileSync(path, "utf8"),
}));

it("bindings of databases are read by the composition alone", () => {
  const readers = sources.filter(({ text }) =>
    /\b(?:env|c\.env|bindings)(?:\.|\[")DB(?:_\d+)?\b|\bDB_\d\d\b/.test(text),
  );
  const known = [
    "src/composition/databases.ts",
    "src/composition/objects.ts",
    "src/composition/services.ts",
    "src/composition/shared.ts",
  ];
  expect(readers.map(({ path }) => path).filter((path) => !known.includes(path))).toEqual([]);
});

it("an object works with what is composed for its tenant", () => {
  const objects = sources.filter(
    ({ text }) => /\bcompose\w+Platform\(/.test(text) && !text.includes("export function compose"),
  );
  expect(objects.length).toBeGreaterThan(5);
  for (const { path, text } of objects)
    expect(text, path).toMatch(/compose\w+Platform\(environmentOf\(env, tenantOf\(ctx, "\w+"\)\)\)/);
});

/**
 * Acts of who runs the deployment that name no tenant are about all of them: each goes over every database (`everywhere`, `eachDatabase`,
 * what `copy-to-databases.ts` copies), or stands here with why it needn't.
 */
const oneDatabase = new Map([
  ["src/application/limits/manage-limits.ts", "limits of the deployment are copied to every database"],
  ["src/application/limits/raise-limit.ts", "limits of the deployment are copied to every database"],
  ["src/application/prices/prices.ts", "prices are copied to every database"],
  ["src/application/system/run-maintenance.ts", "src/index.ts runs it for each database"],
]);

it("what who runs the deployment does about no tenant in particular goes over every database", () => {
  const acts = sources.filter(({ text }) => /role: "deployment"/.test(text));
  const overAll = acts.filter(({ path, text }) => !/\btenantId: z\.string\(\)/.test(text) && !oneDatabase.has(path));
  const silent = overAll.filter(({ text }) => !/\beverywhere\(|\beachDatabase\(|\bservicesOf\(/.test(text));
  expect(silent.map(({ path }) => path)).toEqual([]);
  for (const path of oneDatabase.keys()) expect(acts.map((one) => one.path)).toContain(path);
});

it("the schedule and the queues reach every database", () => {
  const entry = readFileSync("src/index.ts", "utf8");
  expect(entry).toMatch(/eachDatabase\(composeServices\(env\), \(services\) => runMaintenance\(/);
  // Jobs name their tenant, and are done by acts, which work in the tenant's database.
  const consumers = sources.filter(({ path }) => path.startsWith("src/queue/"));
  for (const { path, text } of consumers) expect(text, path).not.toMatch(/\bservices\.(?!(?:sendWebhookJobs|js)\b)\w+/);
});
