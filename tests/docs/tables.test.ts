/** What follows from the tables of kinds: pages and types say what the tables do, and each kind stands on its page. */
import { describe, expect, it } from "vitest";
import { compared, derivedTexts } from "../../scripts/tables.js";
import { builtInToolNames } from "../../src/agent/built-in-tools.js";
import { channelKinds } from "../../src/channels/connection.js";
import { deploymentProviders } from "../../src/model/provider-table.js";
import { supervisorSchema } from "../../src/supervision/kinds/table.js";
import { matchSchema } from "../../src/supervision/rules/matches/table.js";
import { readPages } from "./pages.js";

const derived = await derivedTexts();

describe("what follows from the tables", () => {
  it.each(derived.map((one) => [one.path, one.after.split("\n")[0], one] as const))(
    "stands in %s, after %s: `npm run tables` writes it",
    (_path, _after, one) => {
      expect(compared(one).now).toEqual(one.lines);
    },
  );
});

describe("every kind stands on its page", () => {
  const pages = new Map(readPages("docs").map(({ path, text }) => [path, text]));
  const kinds = [
    [
      "kind of supervisor",
      "docs/supervision.md",
      supervisorSchema.options.map(({ shape }) => shape.kind.value),
      (name: string) => `## Kind \`${name}\``,
    ],
    [
      "rule match",
      "docs/supervision.md",
      matchSchema.options.map(({ shape }) => shape.type.value),
      (name: string) => `\`${name}\``,
    ],
    ["built-in tool", "docs/routing.md", builtInToolNames, (name: string) => `- \`${name}`],
    [
      "provider",
      "docs/models.md",
      deploymentProviders.map(({ name }) => name),
      (name: string) => `| \`${name}/<model>\` |`,
    ],
    ["chat platform", "docs/channels.md", channelKinds, (name: string) => `"kind": "${name}", "agent"`],
  ] as const;
  const wanted = kinds.flatMap(([what, page, names, form]) =>
    names.map((name) => [what, name, page, form(name)] as const),
  );

  it.each(wanted)("%s %s: %s says %s", (_what, _name, page, text) => {
    expect(pages.get(page)?.includes(text), `${page} has to say ${text}`).toBe(true);
  });
});
