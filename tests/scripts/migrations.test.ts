import { readdirSync } from "node:fs";
import { expect, it } from "vitest";
import { migrationCount } from "../../src/application/system/check-health.js";

it("the number of migrations that /health wants is that of the folder: a new one is counted in src/application/system/check-health.ts", () => {
  const numbers = readdirSync("migrations").map((file) => Number(/^(\d{4})_\w+\.sql$/.exec(file)?.[1]));
  expect(new Set(numbers).size, "each number once").toBe(numbers.length);
  expect(migrationCount).toBe(numbers.length);
});
