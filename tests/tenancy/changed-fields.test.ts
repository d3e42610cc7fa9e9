import { describe, expect, it } from "vitest";
import { changedFields } from "../../src/tenancy/changed-fields.js";

describe("what is different of something stored", () => {
  it.each([
    ["nothing of what is the same, in whatever order", { a: 1, b: { c: [1, 2] } }, { b: { c: [1, 2] }, a: 1 }, []],
    ["a value", { url: "https://a.example" }, { url: "https://b.example" }, ["url"]],
    ["what came and what went", { a: 1 }, { b: 1 }, ["a", "b"]],
    ["a field of a field", { to: { x: 1, y: 1 } }, { to: { x: 1, y: 2, z: 3 } }, ["to.y", "to.z"]],
    ["a list as one", { events: ["a", "b"] }, { events: ["b", "a"] }, ["events"]],
    ["a group that came", {}, { memory: { vaultId: "v" } }, ["memory"]],
    ["nothing of what isn't there and is undefined", { filter: {} }, { filter: { agent: undefined } }, []],
    ["a name that objects have by themselves", { ["__proto__"]: 1 }, { ["__proto__"]: 2 }, ["__proto__"]],
  ])("is told by its path: %s", (_what, before, after, changes) => {
    expect(changedFields(before, after)).toEqual(changes);
  });
});
