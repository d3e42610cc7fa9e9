/**
 * What models cost, as `@pydantic/genai-prices` knows it, in the form of our table. It says itself that it isn't exact: what a provider
 * bills beside tokens and calls (searches, hours of audio) isn't in it, and of prices that depend on the hour the dearest counts.
 */
import { calcPrice, findProvider, type ModelInfo, type ModelPrice } from "@pydantic/genai-prices";
import { defined } from "../../src/conversation/defined.js";
import type { NewPriceTable } from "../../src/model/prices.js";

type Models = NewPriceTable["models"];
type Prices = Models[string];

/** By what stands before the slash of our models' names: what the list calls that provider. */
export type Sources = Readonly<Record<string, string>>;

/** Those that a deployment has for every tenant. */
export const deploymentSources: Sources = { openai: "openai", "workers-ai": "cloudflare" };

/**
 * The prices of all models of these providers, by our names of them, and of names that are used and mean one of them.
 * @param used `openai/gpt-5-nano-2025-08-07`, which the list has by its beginning alone
 * @throws where the list has no such provider
 */
export function pricesFrom(sources: Sources, used: readonly string[], at: Date): Models {
  const listed = Object.entries(sources).flatMap(([ours, theirs]) => {
    const provider = findProvider({ providerId: theirs });
    if (provider === undefined) throw new Error(`@pydantic/genai-prices has no provider "${theirs}"`);
    return provider.models.flatMap((model) => namesOf(model).map((name) => [`${ours}/${name}`, model] as const));
  });
  const meant = used.flatMap((name) => {
    const [ours = "", ...rest] = name.split("/");
    const providerId = sources[ours];
    const found = providerId && calcPrice({ input_tokens: 1, output_tokens: 1 }, rest.join("/"), { providerId });
    return found ? [[name, found.model] as const] : [];
  });
  const priced = [...listed, ...meant].flatMap(([name, { prices }]) => {
    const stated = pricesOf(prices, at);
    return stated === undefined ? [] : [[name, stated] as const];
  });
  return Object.fromEntries(priced.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** Its id, and what else it is called in one word. */
function namesOf({ id, match }: ModelInfo): string[] {
  const alternatives = "or" in match ? match.or : [match];
  return [...new Set([id, ...alternatives.flatMap((one) => ("equals" in one ? [one.equals] : []))])];
}

/** Undefined of a model that isn't paid by the token. */
function pricesOf(prices: ModelInfo["prices"], at: Date): Prices | undefined {
  if (!Array.isArray(prices)) return stated(prices);
  const counting = prices.filter(
    ({ constraint }) => constraint?.type !== "start_date" || new Date(constraint.start_date) <= at,
  );
  const hourly = counting.filter(({ constraint }) => constraint?.type === "time_of_date");
  const latest = counting.filter((one) => !hourly.includes(one)).at(-1);
  const offered = [...(latest === undefined ? [] : [latest]), ...hourly].flatMap(({ prices }) => stated(prices) ?? []);
  const rate = ({ input, output }: Prices): number => input + output;
  return offered.toSorted((a, b) => rate(b) - rate(a))[0];
}

function stated(price: ModelPrice): Prices | undefined {
  const calls = at(price.requests_kcount, 0);
  const of = (tokens: number) =>
    defined({
      input: at(price.input_mtok, tokens),
      cachedInput: at(price.cache_read_mtok, tokens),
      cacheWrite: at(price.cache_write_mtok, tokens),
      output: at(price.output_mtok, tokens),
      reasoning: at(price.output_reasoning_mtok, tokens),
    });
  const { input, output, ...more } = of(0);
  if (input === undefined || output === undefined) return undefined;
  const starts = Object.values(price).flatMap((one) =>
    typeof one === "object" ? one.tiers.map(({ start }) => start) : [],
  );
  const above = [...new Set(starts)].sort((a, b) => a - b).map((tokens) => ({ tokens, ...of(tokens) }));
  const perCall = calls === undefined ? undefined : calls / 1_000;
  return { input, output, ...more, ...defined({ perCall }), ...(above.length > 0 && { above }) };
}

/** What counts of calls with more input than so many tokens. */
function at(price: ModelPrice[string], tokens: number): number | undefined {
  if (typeof price !== "object") return price;
  const reached = price.tiers.filter(({ start }) => start <= tokens && tokens > 0);
  return reached.toSorted((a, b) => b.start - a.start)[0]?.price ?? price.base;
}
