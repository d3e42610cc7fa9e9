/** Positions for tests of the roundtable's rules. */
import type { Position } from "../../src/roundtable/position.js";

export function position(seat: string, text: string, more: Partial<Position> = {}): Position {
  return {
    seat,
    round: 1,
    position: text,
    reasoning: `${text} That follows.`,
    confidence: 0.7,
    citations: [],
    citedContext: [],
    ...more,
  };
}

/** The list in another order. */
export function shuffled<T>(items: readonly T[], random: () => number): T[] {
  return items
    .map((item) => ({ item, at: random() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ item }) => item);
}
