/** The tables of fields that the pages have of what a tenant stores. */
import { expect, it } from "vitest";
import { agentSchema } from "../../src/agent/definition.js";
import { panelSchema } from "../../src/roundtable/panel.js";
import { namedIn, readPages, tableUnder } from "./pages.js";

it("docs/sessions.md names every field of an agent, of whatever kind", () => {
  const fields = new Set(agentSchema.options.flatMap(({ shape }) => Object.keys(shape)));
  // Which team or panel answers is said with the kind.
  const rows = tableUnder(readPages(), "docs/sessions.md", "### Agents");
  expect(namedIn(rows).sort()).toEqual([...fields].filter((name) => !["team", "panel"].includes(name)).sort());
});

it("docs/roundtables.md names every field of a panel", () => {
  const rows = tableUnder(readPages(), "docs/roundtables.md", "## Panels");
  expect(namedIn(rows).sort()).toEqual(Object.keys(panelSchema.shape).sort());
});
