import { expect, it } from "vitest";
import { agentSchema } from "../../src/agent/definition.js";
import { namedIn, readPages, tableUnder } from "./pages.js";

it("docs/sessions.md names every field of an agent, of whatever kind", () => {
  const fields = new Set(agentSchema.options.flatMap(({ shape }) => Object.keys(shape)));
  // Which team or panel answers is said with the kind.
  const rows = tableUnder(readPages(), "docs/sessions.md", "### Agents");
  expect(namedIn(rows).sort()).toEqual([...fields].filter((name) => !["team", "panel"].includes(name)).sort());
});
