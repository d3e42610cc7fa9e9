/** The system's own tools: one table says which there are. */
import { describe, expect, it } from "vitest";
import { buildBuiltInTools, unknownBuiltIn } from "../../src/agent/built-in-tools.js";
import { builtInServer } from "../../src/agent/tools.js";

const lookUps = {
  searchMemory: async () => undefined,
  writeMemory: async () => ({ ok: true }) as const,
  listWorkers: async () => undefined,
};
const tools = buildBuiltInTools({ lookUps, memoryIds: [] });

describe("the built-in tools", () => {
  it("are known by the names under which they are built", () => {
    expect(tools.length).toBeGreaterThan(0);
    for (const { ref, name } of tools) {
      expect(ref).toEqual({ server: builtInServer, tool: name });
      expect(unknownBuiltIn(ref), name).toBeUndefined();
    }
    expect(unknownBuiltIn({ server: builtInServer, tool: "*" })).toBeUndefined();
  });

  it("are named where a name is none of them", () => {
    const problem = unknownBuiltIn({ server: builtInServer, tool: "ask_humans" });
    expect(problem).toContain('there is no built-in tool "ask_humans"');
    for (const { name } of tools) expect(problem).toContain(name);
  });

  it("don't concern the tools of other servers", () => {
    expect(unknownBuiltIn({ server: "shop", tool: "ask_humans" })).toBeUndefined();
  });
});
