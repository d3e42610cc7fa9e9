import { describe, expect, it } from "vitest";
import {
  changeContext,
  excludeItem,
  excludeTool,
  includeItem,
  includeTool,
  isToolExcluded,
  sessionContextSchema,
} from "../../src/chat/context.js";
import { effectiveContext } from "../../src/chat/effective-context.js";

const agent = { rules: ["polite"], references: ["prices"], tools: [{ server: "shop", tool: "lookup" }] };
const pins = [
  { kind: "rules", name: "polite", version: 2 },
  { kind: "rules", name: "house", version: 1 },
  { kind: "references", name: "prices", version: 4 },
  { kind: "tools", name: "lookup", version: 3 },
];
const auto = [{ kind: "references", name: "returns", version: 1 }];
const mentioned = { rules: [], references: [] };
const nothing = sessionContextSchema.parse({ rules: [], references: [], tools: [] });

describe("what is in force in a session", () => {
  it("says by its nearest cause why, and in which version", () => {
    const context = includeItem(nothing, "rules", "polite");
    expect(effectiveContext({ context, agent, pins, auto, mentioned })).toEqual([
      { kind: "rules", name: "polite", version: 2, because: "session" },
      { kind: "rules", name: "house", version: 1, because: "always" },
      { kind: "references", name: "returns", version: 1, because: "auto" },
      { kind: "references", name: "prices", version: 4, because: "agent" },
      { kind: "tools", name: "shop/lookup", version: 3, because: "agent" },
    ]);
  });

  it("lists what the newest message mentions, in its version, as long as it is stored", () => {
    const named = { rules: [], references: ["faq", "gone"] };
    const stored = [...pins, { kind: "references", name: "faq", version: 7 }];
    const effective = effectiveContext({ context: nothing, agent, pins: stored, auto, mentioned: named });
    expect(effective.filter(({ because }) => because === "mention")).toEqual([
      { kind: "references", name: "faq", version: 7, because: "mention" },
    ]);
  });

  it("leaves out what the session excludes, whoever names it", () => {
    const excluded = excludeTool(excludeItem(nothing, "rules", "house"), { server: "shop", tool: "*" });
    const names = effectiveContext({ context: excluded, agent, pins, auto, mentioned }).map(({ name }) => name);
    expect(names).toEqual(["polite", "returns", "prices"]);
  });

  it("lists what is named and isn't stored without a version", () => {
    const context = includeItem(nothing, "references", "gone");
    expect(effectiveContext({ context, agent, pins: [], auto: [], mentioned })).toContainEqual({
      kind: "references",
      name: "gone",
      because: "session",
    });
  });

  it("keeps a tool that was excluded by name out, though its server is excluded and included after it", () => {
    const refund = { server: "shop", tool: "refund" };
    const server = { server: "shop", tool: "*" };
    const reopened = includeTool(excludeTool(excludeTool(nothing, refund), server), server);
    expect(isToolExcluded(reopened, refund)).toBe(true);
    expect(isToolExcluded(reopened, { server: "shop", tool: "lookup" })).toBe(false);
    const none = { rules: [], references: [] };
    const change = { remove: { ...none, tools: [refund] }, add: { ...none, tools: [server] } };
    expect(isToolExcluded(changeContext(nothing, change), refund)).toBe(true);
    expect(isToolExcluded(includeTool(reopened, refund), refund)).toBe(false);
  });
});
