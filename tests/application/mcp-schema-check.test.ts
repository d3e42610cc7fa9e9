import { expect, it } from "vitest";
import { boundedSchemaCheck } from "../../src/application/mcp-schema-check.js";

it("says what a value that a schema of others doesn't allow has wrong, in bounded time whatever its pattern", () => {
  // What looks back and tries anew, as most engines do, needs hours for it.
  const schema = { type: "object" as const, properties: { text: { type: "string" as const, pattern: "^(a+)+$" } } };
  const check = boundedSchemaCheck.getValidator(schema);
  const kept = { text: "aaa" };
  expect(check(kept)).toEqual({ valid: true, data: kept, errorMessage: undefined });
  for (const text of [`${"a".repeat(100_000)}!`, 7]) {
    expect(check({ text })).toMatchObject({ valid: false, errorMessage: expect.stringContaining("#/text: ") });
  }
});
