import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { dollarsAThousand, figures, simulate, tableOf } from "../../tools/simulate.js";

const page = readFileSync("docs/deployment.md", "utf8");

it("the page on deployments has the table that the figures make", () => {
  expect(page).toContain(tableOf([10, 1_000, 10_000]));
});

it("half the rows of an object cost a thousand turns as much less as rows cost; bytes cost nothing there, and databases", () => {
  const lean = { ...figures, objectRowsWritten: figures.objectRowsWritten - 10 };
  expect(dollarsAThousand(figures) - dollarsAThousand(lean)).toBeCloseTo(0.01);
  const kept = { ...figures, keptBytes: 0, weekBytes: 0, archivedBytes: 100 };
  expect(simulate(1_000, kept)).toMatchObject({
    d1BytesADay: 8_640_000_000,
    databasesFor30Days: 33,
    databasesForWriting: 7,
  });
});
