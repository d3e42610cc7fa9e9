/**
 * What becomes of what was reserved: open until somebody says what the work came to; after a while without that it counts as spent, all
 * of it, and a settlement that comes late corrects it. So nothing stays reserved, and nothing that was spent is forgotten.
 */

/** A reservation of some work under one limit, in one window. */
export interface Grant {
  /** Which of the work's reservations, in order. */
  readonly step: number;
  readonly amount: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly state: "open" | "settled" | "unsettled";
  /** What counts as used of it; more than the amount where the work took more. */
  readonly spent: number;
}

/** After so long without settlement a reservation counts as spent, in milliseconds. */
export const unsettledAfterMs = 15 * 60_000;

/** What some work has taken so far, of all that was reserved for it up to a step; what else was held is given back. */
export interface Settlement {
  readonly work: string;
  readonly upTo: number;
  readonly tokens: number;
  /** In millionths of a unit of the currency. */
  readonly money: number;
}

/** How the counter of a grant's window changes. */
export interface CounterChange {
  readonly reserved: number;
  readonly used: number;
}

/** A reservation that nobody has settled in time. */
export function expire(grant: Grant, now: number): Grant {
  if (grant.state !== "open" || grant.at + unsettledAfterMs > now) return grant;
  return { ...grant, state: "unsettled", spent: grant.amount };
}

/**
 * Settles the reservations of some work under one limit by what it has spent so far, all together: each takes up to its amount, in
 * order, and the last what is more.
 * @param upTo the last reservation that this is about: later ones stay open
 * @returns the grants with their new states, in their order
 */
export function settle(grants: readonly Grant[], upTo: number, spent: number): Grant[] {
  const isMeant = ({ step }: Grant): boolean => step <= upTo;
  const last = grants.findLast(isMeant);
  let left = spent;
  return grants.map((grant) => {
    if (!isMeant(grant)) return grant;
    const share = grant === last ? left : Math.min(left, grant.amount);
    left -= share;
    return { ...grant, state: "settled", spent: share };
  });
}

/** How a grant's counter changes where the grant did. */
export function changeOf(before: Grant, after: Grant): CounterChange {
  const reservedOf = ({ state, amount }: Grant): number => (state === "open" ? amount : 0);
  const usedOf = ({ state, spent }: Grant): number => (state === "open" ? 0 : spent);
  return { reserved: reservedOf(after) - reservedOf(before), used: usedOf(after) - usedOf(before) };
}
