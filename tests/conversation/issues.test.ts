/** What is wrong with an input, in words for who wrote it. */
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { issuesOf } from "../../src/conversation/issues.js";

const order = z.strictObject({
  item: z.string().min(1).max(5),
  code: z.string().length(3).optional(),
  count: z.int().min(1).max(9).optional(),
  weight: z.coerce.number<string>().optional(),
  share: z.number().gt(0).lt(5).optional(),
  gift: z.boolean().optional(),
  tags: z.array(z.string()).min(1).max(2).optional(),
  notes: z.record(z.string(), z.string()).optional(),
  size: z.enum(["small", "large"]).optional(),
  from: z.iso.datetime().optional(),
  by: z
    .discriminatedUnion("kind", [z.object({ kind: z.literal("car") }), z.object({ kind: z.literal("ship") })])
    .optional(),
  name: z.string("a name is a text").min(2, "a name has two letters").optional(),
});

function said(input: unknown): Record<string, string> {
  const parsed = order.safeParse(input);
  return Object.fromEntries(issuesOf(parsed.error ?? { issues: [] }).map(({ path, message }) => [path, message]));
}

describe("an issue", () => {
  it.each([
    [{}, { item: "it is missing: a string" }],
    [{ item: 7 }, { item: "it has to be a string, and is a number" }],
    [null, { "": "it has to be an object, and is null" }],
    [[], { "": "it has to be an object, and is a list" }],
    [{ item: "" }, { item: "it has to have at least 1 character" }],
    [{ item: "too long" }, { item: "it has to have at most 5 characters" }],
    [{ item: "x", code: "12" }, { code: "it has to have exactly 3 characters" }],
    [{ item: "x", count: 0 }, { count: "it has to be at least 1" }],
    [{ item: "x", count: 10 }, { count: "it has to be at most 9" }],
    [{ item: "x", share: 0 }, { share: "it has to be more than 0" }],
    [{ item: "x", share: 5 }, { share: "it has to be less than 5" }],
    [{ item: "x", count: 1.5 }, { count: "it has to be a whole number" }],
    [{ item: "x", weight: "heavy" }, { weight: "it has to be a number" }],
    [{ item: "x", gift: "yes" }, { gift: "it has to be true or false, and is a string" }],
    [{ item: "x", tags: [] }, { tags: "it has to have at least 1 item" }],
    [{ item: "x", tags: ["a", "b", "c"] }, { tags: "it has to have at most 2 items" }],
    [{ item: "x", notes: "none" }, { notes: "it has to be an object, and is a string" }],
    [{ item: "x", size: "huge" }, { size: "it has to be one of small, large" }],
    [{ item: "x", from: "yesterday" }, { from: "it has to be a time, such as 2026-11-22T09:30:00Z" }],
    [{ item: "x", by: { kind: "plane" } }, { "by.kind": "it has to be one of car, ship" }],
    [{ item: "x", colour: "red" }, { colour: "there is no such field" }],
  ])("of %j says what would be right", (input, issues) => {
    expect(said(input)).toEqual(issues);
  });

  it("keeps the words that a schema has for it", () => {
    expect(said({ item: "x", name: 7 })).toEqual({ name: "a name is a text" });
    expect(said({ item: "x", name: "A" })).toEqual({ name: "a name has two letters" });
  });
});
