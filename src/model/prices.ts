/**
 * What calls of models cost: the deployment's table of prices, and the price of a call by it. Prices are per million tokens, in units of
 * the table's currency; money is whole millionths of a unit.
 */
import { z } from "zod";
import { ownValue } from "../conversation/own-value.js";
import { lazily } from "../text/lazily.js";
import type { TokenUsage } from "./port.js";

/** Makes the schemas when somebody comes with a table. */
const schemas = lazily(() => {
  const price = z.number().min(0).max(1_000_000);
  const prices = z.strictObject({
    input: price,
    /** What was read from the provider's cache; as `input`, if nothing is said. */
    cachedInput: price.optional(),
    /** What was written to the provider's cache; as `input`, if nothing is said. */
    cacheWrite: price.optional(),
    output: price,
    /** What was thought and isn't shown; as `output`, if nothing is said. */
    reasoning: price.optional(),
    /** For each call, in units of the currency. */
    perCall: price.optional(),
  });
  const model = prices.extend({
    /** Other prices for the whole of a call whose input has more than so many tokens; the highest that it is over counts. */
    above: z
      .array(prices.partial().extend({ tokens: z.int().min(1) }))
      .max(8)
      .optional(),
  });
  const table = z.strictObject({
    /** From this time on: work that ends later is priced by it. Now, if nothing is said. */
    from: z.iso.datetime().optional(),
    /** ISO 4217. One deployment counts in one currency. */
    currency: z.string().regex(/^[A-Z]{3}$/),
    /** By the name under which agents name them, such as `openai/gpt-5-mini`. */
    models: z.record(z.string().min(1).max(200), model).refine((models) => Object.keys(models).length <= maxPrices, {
      message: `has more than ${maxPrices} models`,
    }),
  });
  return { table, models: table.shape.models };
});

/** Models that a table holds at most: it is kept in memory, and is one row. */
const maxPrices = 3_000;

/** As an operator states it. */
export const priceTableSchema = () => schemas().table;
export type NewPriceTable = z.infer<ReturnType<typeof priceTableSchema>>;

/** A table that holds from a time on. */
export interface PriceTable {
  readonly version: number;
  /** Milliseconds since the epoch. */
  readonly from: number;
  readonly currency: string;
  readonly models: NewPriceTable["models"];
}

type Step = NonNullable<PriceTable["models"][string]["above"]>[number];

export interface Price {
  /** Millionths of a unit of the table's currency, a whole number. */
  readonly money: number;
  /** Of the table. */
  readonly version: number;
}

/** What works without a provider costs nothing, whatever a table says. */
const free = "offline";

/**
 * What one call costs; `undefined` where nobody has said what its model costs.
 * @param model as agents name it; the meaning of `default`, not that word
 * @example
 * const table = { version: 3, from: 0, currency: "USD", models: { "openai/x": { input: 2, cachedInput: 0.5, output: 8 } } };
 * priceOf("openai/x", { inputTokens: 1_000, cachedInputTokens: 600, outputTokens: 100 }, table);
 * // { money: 1_900, version: 3 }: 400 × 2 + 600 × 0.5 + 100 × 8 millionths, or 0.0019 dollars
 */
export function priceOf(model: string, usage: TokenUsage, table: PriceTable): Price | undefined {
  const { version, models } = table;
  if (model === free) return { money: 0, version };
  const stated = ownValue(models, model);
  if (stated === undefined) return undefined;
  const { inputTokens, outputTokens, cachedInputTokens = 0, cacheWriteTokens = 0, reasoningTokens = 0 } = usage;
  const step = (stated.above ?? [])
    .filter(({ tokens }) => inputTokens > tokens)
    .reduce<Step>((highest, next) => (next.tokens > highest.tokens ? next : highest), { tokens: 0 });
  const { input = stated.input, output = stated.output, perCall = stated.perCall ?? 0 } = step;
  const { cachedInput = stated.cachedInput ?? input, cacheWrite = stated.cacheWrite ?? input } = step;
  const { reasoning = stated.reasoning ?? output } = step;
  const money =
    (inputTokens - cachedInputTokens - cacheWriteTokens) * input +
    cachedInputTokens * cachedInput +
    cacheWriteTokens * cacheWrite +
    (outputTokens - reasoningTokens) * output +
    reasoningTokens * reasoning +
    perCall * 1_000_000;
  return { money: Math.round(money), version };
}

/** What several calls of one model cost together; `undefined` where nobody has said what it costs. */
export function priceOfCalls(model: string, calls: readonly TokenUsage[], table: PriceTable): Price | undefined {
  const prices = calls.flatMap((usage) => priceOf(model, usage, table) ?? []);
  if (prices.length < calls.length) return undefined;
  return { money: prices.reduce((sum, { money }) => sum + money, 0), version: table.version };
}

/** The table that holds at a time: of those that hold from the same time on, the last one stored. */
export function tableAt<T extends Pick<PriceTable, "from" | "version">>(
  tables: readonly T[],
  at: number,
): T | undefined {
  return tables
    .filter(({ from }) => from <= at)
    .reduce<T | undefined>(
      (last, next) =>
        last === undefined || next.from > last.from || (next.from === last.from && next.version > last.version)
          ? next
          : last,
      undefined,
    );
}
