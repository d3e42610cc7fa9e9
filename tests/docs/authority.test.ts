import { describe, expect, it } from "vitest";
import { acts } from "../../src/tenancy/acts.js";
import { settingsSchema } from "../../src/tenancy/tenant.js";
import { namedIn, readPages, tableUnder } from "./pages.js";

describe("docs/security.md", () => {
  it("shows the table of acts as it is in the code, row by row", () => {
    const mark = (is: boolean): string => (is ? "yes" : "");
    expect(tableUnder(readPages(), "docs/security.md", "### Every act")).toEqual(
      Object.entries(acts).map(
        ([act, definition]) =>
          `| \`${act}\` | ${definition.role} | ${mark("clientMay" in definition)} | ${mark("ofSubject" in definition)} |`,
      ),
    );
  });

  it("names every setting of a tenant", () => {
    const rows = tableUnder(readPages(), "docs/security.md", "## Tenants");
    expect(namedIn(rows).sort()).toEqual(Object.keys(settingsSchema.shape).sort());
  });
});
