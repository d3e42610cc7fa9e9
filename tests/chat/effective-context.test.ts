import { describe, expect, it } from "vitest";
import { excludeItem, excludeTool, includeItem, sessionContextSchema } from "../../src/chat/context.js";
import { effectiveContext } from "../../src/chat/effective-context.js";

const agent = { rules: ["polite"], references: ["prices"], tools: [{ server: "shop", tool: "lookup" }] };
const pins = [
  { kind: "rules", name: "polite", version: 2 },
  { kind: "rules", name: "house", version: 1 },
  { kind: "references", name: "prices", version: 4 },
  { kind: "tools", name: "lookup", version: 3 },
];
const auto = [{ kind: "references", name: "returns", version: 1 }];
const nothing = sessionContextSchema.parse({ rules: [], references: [], tools: [] });

describe("what is in force in a session", () => {
  it("says by its nearest cause why, and in which version", () => {
    const context = includeItem(nothing, "rules", "polite");
    expect(effectiveContext({ context, agent, pins, auto })).toEqual([
      { kind: "rules", name: "polite", version: 2, because: "session" },
      { kind: "rules", name: "house", version: 1, because: "always" },
      { kind: "references", name: "returns", version: 1, because: "auto" },
      { kind: "references", name: "prices", version: 4, because: "agent" },
      { kind: "tools", name: "shop/lookup", version: 3, because: "agent" },
    ]);
  });

  it("leaves out what the session excludes, whoever names it", () => {
    const excluded = excludeTool(excludeItem(nothing, "rules", "house"), { server: "shop", tool: "*" });
    const names = effectiveContext({ context: excluded, agent, pins, auto }).map(({ name }) => name);
    expect(names).toEqual(["polite", "returns", "prices"]);
  });

  it("lists what is named and isn't stored without a version", () => {
    const context = includeItem(nothing, "references", "gone");
    expect(effectiveContext({ context, agent, pins: [], auto: [] })).toContainEqual({
      kind: "references",
      name: "gone",
      because: "session",
    });
  });
});
