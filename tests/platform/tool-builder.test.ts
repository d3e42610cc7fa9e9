import { describe, expect, it } from "vitest";
import { askHumanTool } from "../../src/agent/built-in-tools.js";
import { validateArguments } from "../../src/platform/tool-builder.js";

describe("The arguments of a tool whose schema is broken", () => {
  it.each([
    ["a pattern that is none", { a: { type: "string", pattern: "(" } }],
    ["a reference to nothing", { a: { $ref: "#/definitions/nowhere" } }],
  ])("are refused with the reason, and nothing is thrown: %s", (_what, properties) => {
    const parameters = { type: "object", properties };
    const problems = validateArguments({ ...askHumanTool, parameters }, { a: "x" });
    expect(problems).toEqual([expect.stringMatching(/^they can't be checked, because its schema is broken/)]);
  });
});
