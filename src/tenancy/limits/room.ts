/** Whether there is room in a limit, and what its counter says after an act. */
import type { Demand } from "./demand.js";

/** What is counted for one limit, one scope and one window. */
export interface Counter {
  readonly used: number;
  /** Held for work that goes on. */
  readonly reserved: number;
  /** The highest percent that somebody was warned of in this window. */
  readonly warned: number;
  /** Somebody was told that it was reached in this window. */
  readonly reached: boolean;
}

export const emptyCounter: Counter = { used: 0, reserved: 0, warned: 0, reached: false };

/** What is left of a limit; never below nothing. */
export function remainingOf({ used, reserved }: Pick<Counter, "used" | "reserved">, max: number): number {
  return Math.max(0, max - used - reserved);
}

export function hasRoom(demand: Pick<Demand, "amount" | "max">, counter: Counter): boolean {
  return counter.used + counter.reserved + demand.amount <= demand.max;
}

/** The counter after an act has taken its amount, or after its use was settled. */
export function taken(counter: Counter, amount: number, isReserved: boolean): Counter {
  return isReserved ? { ...counter, reserved: counter.reserved + amount } : { ...counter, used: counter.used + amount };
}

/** What somebody is told of a counter now, once in its window. */
export type LimitNews =
  | { readonly type: "limit.warned"; readonly percent: number }
  | { readonly type: "limit.reached" };

/**
 * What is new of a limit, and the counter that knows it was told.
 * @param isRefused whether an act found no room just now
 */
export function newsOf(
  counter: Counter,
  { max, warnAt }: Pick<Demand, "max" | "warnAt">,
  isRefused: boolean,
): { readonly counter: Counter; readonly news: readonly LimitNews[] } {
  const percent = max === 0 ? 100 : ((counter.used + counter.reserved) / max) * 100;
  const passed = Math.max(0, ...warnAt.filter((at) => percent >= at));
  const isWarned = passed > counter.warned;
  const isReached = isRefused && !counter.reached;
  const news: LimitNews[] = [];
  if (isWarned) news.push({ type: "limit.warned", percent: passed });
  if (isReached) news.push({ type: "limit.reached" });
  return {
    counter: { ...counter, warned: Math.max(passed, counter.warned), reached: counter.reached || isReached },
    news,
  };
}
