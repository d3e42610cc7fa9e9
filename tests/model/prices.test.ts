import { describe, expect, test } from "vitest";
import { addTokens, noTokens } from "../../src/model/port.js";
import { type PriceTable, priceOf, priceTableSchema, tableAt } from "../../src/model/prices.js";

const table: PriceTable = {
  version: 3,
  from: 0,
  currency: "USD",
  models: {
    "openai/x": { input: 2, cachedInput: 0.5, cacheWrite: 2.5, output: 8 },
    "openai/thinks": { input: 1, output: 4, reasoning: 6 },
    "acme/search": { input: 0, output: 0, perCall: 0.01 },
    "acme/long": {
      input: 1,
      output: 10,
      above: [
        { tokens: 500_000, input: 4, output: 40 },
        { tokens: 200_000, input: 2 },
      ],
    },
  },
};

describe("the price of a call", () => {
  test("is of its tokens, in millionths of a unit", () => {
    expect(priceOf("openai/x", { inputTokens: 1_000, outputTokens: 100 }, table)).toEqual({ money: 2_800, version: 3 });
  });

  test("of what was cached is another", () => {
    const usage = { inputTokens: 1_000, cachedInputTokens: 600, cacheWriteTokens: 100, outputTokens: 100 };
    expect(priceOf("openai/x", usage, table)?.money).toBe(300 * 2 + 600 * 0.5 + 100 * 2.5 + 800);
  });

  test("of what was thought is that of what was written, where nothing else is said", () => {
    const usage = { inputTokens: 0, outputTokens: 100, reasoningTokens: 40 };
    expect(priceOf("openai/x", usage, table)?.money).toBe(800);
    expect(priceOf("openai/thinks", usage, table)?.money).toBe(60 * 4 + 40 * 6);
  });

  test("may be of the call itself", () => {
    expect(priceOf("acme/search", { inputTokens: 7, outputTokens: 7 }, table)?.money).toBe(10_000);
  });

  test("of a long call is that of its length, for all of it; what isn't said there stays", () => {
    const money = (inputTokens: number) => priceOf("acme/long", { inputTokens, outputTokens: 10 }, table)?.money;
    expect(money(200_000)).toBe(200_000 + 100);
    expect(money(200_001)).toBe(400_002 + 100);
    expect(money(600_000)).toBe(2_400_000 + 400);
  });

  test("is a whole number, whatever the fractions", () => {
    const models = { "a/b": { input: 0.1, output: 0.2 } };
    expect(priceOf("a/b", { inputTokens: 3, outputTokens: 3 }, { ...table, models })?.money).toBe(1);
  });

  test("is unknown of a model that the table doesn't name, and nothing of the offline one", () => {
    const usage = { inputTokens: 1, outputTokens: 1 };
    for (const model of ["openai/y", "x", "", "constructor", "__proto__"])
      expect(priceOf(model, usage, table)).toBeUndefined();
    expect(priceOf("offline", usage, table)).toEqual({ money: 0, version: 3 });
  });
});

describe("the table", () => {
  const at = (version: number, from: number): PriceTable => ({ ...table, version, from });

  test("that holds is the last one from which time is over; of the same time, the one stored later", () => {
    const tables = [at(1, 100), at(2, 300), at(3, 200), at(4, 100)];
    expect([99, 100, 250, 400].map((now) => tableAt(tables, now)?.version)).toEqual([undefined, 4, 3, 2]);
  });

  test("as it is stated has known fields and no negative price", () => {
    const read = (models: unknown) => priceTableSchema().safeParse({ currency: "USD", models }).success;
    expect(read(table.models)).toBe(true);
    expect(read({ "a/b": { input: 1 } })).toBe(false);
    expect(read({ "a/b": { input: -1, output: 1 } })).toBe(false);
    expect(read({ "a/b": { input: 1, output: 1, cached: 1 } })).toBe(false);
    expect(priceTableSchema().safeParse({ currency: "dollars", models: {} }).success).toBe(false);
  });
});

test("tokens add up; a part that nobody has counted stays away", () => {
  const one = { inputTokens: 10, outputTokens: 5, cachedInputTokens: 4 };
  expect(addTokens(one, { inputTokens: 1, outputTokens: 1, reasoningTokens: 1 })).toEqual({
    inputTokens: 11,
    outputTokens: 6,
    cachedInputTokens: 4,
    reasoningTokens: 1,
  });
  expect(addTokens(noTokens, { ...noTokens, cachedInputTokens: 0 })).toEqual(noTokens);
});
