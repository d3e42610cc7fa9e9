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

/** How many of an agent's last turns say what one usually comes to. */
export const recentTurns = 15;
/** Beyond the worst case of a first call no reservation takes more than this part of what is left: others want to begin, too. */
const usualShare = 8;

/**
 * What is reserved for a turn: the worst case of its first call, or twice the agent's median turn, whichever is more. So most turns ask once.
 * @param recent what the agent's last turns came to
 * @param left what there is room for, beside this turn's own first call
 * @example
 * sliceOf(5_000, [4_000, 9_000, 20_000], 1_000_000); // 18_000
 */
export function sliceOf(worst: number, recent: readonly number[], left: number): number {
  const median = recent.toSorted((a, b) => a - b)[Math.floor((recent.length - 1) / 2)] ?? 0;
  return Math.max(worst, Math.min(2 * median, Math.floor(left / usualShare)));
}

/** A place that somebody has is given back after so long without a word, in milliseconds: whoever had it is gone. */
export const placeLeaseMs = { sockets: 30 * 60_000, concurrentTurns: 24 * 3_600_000 } as const;
/** How often it is said of an open socket that it is still there. */
export const placeRenewalMs = 10 * 60_000;

/** What some work has taken so far, of all that was reserved for it up to a step; what else was reserved is given back. */
export interface Settlement {
  readonly work: string;
  readonly upTo: number;
  readonly tokens: number;
  /** In millionths of a unit of the currency. */
  readonly money: number;
  /** Nothing is settled: whoever has a place still has it. */
  readonly renews?: boolean | undefined;
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
