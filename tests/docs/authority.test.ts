import { globSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { acts } from "../../src/application/acts.js";
import { settingsSchema } from "../../src/tenancy/tenant.js";
import { namedIn, readPages, tableUnder } from "./pages.js";

describe("docs/security.md", () => {
  it("shows every act as it is in the code", () => {
    const mark = (is?: true): string => (is ? "yes" : "");
    expect(tableUnder(readPages(), "docs/security.md", "### Every act").toSorted()).toEqual(
      acts
        .map(
          ({ act, role, clientMay, ofSubject, reviewers }) =>
            `| \`${act}\` | ${role} | ${mark(clientMay)} | ${mark(reviewers)} | ${mark(ofSubject)} |`,
        )
        .toSorted(),
    );
  });

  it("has no act that isn't in its family's list", () => {
    const inFiles = globSync("src/application/**/*.ts").flatMap((path) =>
      [...readFileSync(path, "utf8").matchAll(/^(?:export )?const \w+ = (?:act|permission)\("(\w+)"/gm)].map(
        ([, act = ""]) => act,
      ),
    );
    const names = acts.map(({ act }) => act);
    expect(names).toEqual(expect.arrayContaining(inFiles));
    expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
  });

  it("names every setting of a tenant", () => {
    const rows = tableUnder(readPages(), "docs/security.md", "## Tenants");
    expect(namedIn(rows).sort()).toEqual(Object.keys(settingsSchema.shape).sort());
  });
});
