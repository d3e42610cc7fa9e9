import { expect, it } from "vitest";
import { priceOf, priceTableSchema } from "../../src/model/prices.js";
import { deploymentSources, pricesFrom } from "../../tools/prices/from-genai-prices.js";

const at = new Date("2026-11-01T12:00:00Z");
const models = pricesFrom(deploymentSources, [], at);

it("is a table that the deployment takes, of OpenAI's and Cloudflare's models by our names", () => {
  expect(priceTableSchema().parse({ currency: "USD", models }).models).toEqual(models);
  expect(JSON.stringify(models).length).toBeLessThan(900_000);
  expect(models["openai/gpt-5-mini"]).toEqual({ input: 0.25, cachedInput: 0.025, output: 2 });
  expect(models["openai/gpt-5-mini-2025-08-07"]).toEqual(models["openai/gpt-5-mini"]);
  expect(models["workers-ai/@cf/meta/llama-3.3-70b-instruct-fp8-fast"]).toEqual({ input: 0.293, output: 2.253 });
});

it("has what a long call costs: from the very token on from which the provider says so", () => {
  const table = { version: 1, from: 0, currency: "USD", models };
  const money = (inputTokens: number) => priceOf("openai/gpt-5.4", { inputTokens, outputTokens: 1_000 }, table)?.money;
  expect(money(271_999)).toBe(Math.round(271_999 * 2.5) + 15_000);
  expect(money(272_000)).toBe(272_000 * 5 + 22_500);
});

it("has the price of today where prices have changed, and the dearest of a day's", () => {
  const of = (when: string) => pricesFrom({ openai: "openai" }, [], new Date(when))["openai/o3"]?.input;
  expect([of("2025-06-09T00:00:00Z"), of("2025-06-11T00:00:00Z")]).toEqual([10, 2]);
  expect(pricesFrom({ deep: "deepseek" }, [], at)["deep/deepseek-reasoner"]).toMatchObject({
    input: 0.55,
    output: 2.19,
  });
});

it("has names that are used and that the list knows by their beginning alone", () => {
  const used = ["openai/gpt-5-nano-2025-08-07", "openai/never-heard-of", "acme/gpt-5", "offline", ""];
  const found = pricesFrom(deploymentSources, used, at);
  expect(found["openai/gpt-5-nano-2025-08-07"]).toEqual(models["openai/gpt-5-nano"]);
  expect(Object.keys(found).length).toBe(Object.keys(models).length + 1);
  expect(() => pricesFrom({ acme: "nobody" }, [], at)).toThrow('no provider "nobody"');
});
