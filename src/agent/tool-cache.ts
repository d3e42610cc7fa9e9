/** When a kept result of a tool counts as the result of a call: the same arguments, or arguments in nearly the same words. */
import { canonicalJson } from "../text/json.js";

/** The same text for the same arguments, whatever their order. */
export function canonicalArguments(args: Readonly<Record<string, unknown>>): string {
  return canonicalJson(args);
}

/**
 * How alike two calls' arguments are, from 0 to 1: the part of their words that both have. 0 unless they have the same names and
 * the same numbers: an order's number that differs is another order.
 */
export function likeness(a: string, b: string): number {
  if (numbersOf(a) !== numbersOf(b) || namesOf(a) !== namesOf(b)) return 0;
  const [left, right] = [wordSet(a), wordSet(b)];
  const shared = [...left].filter((word) => right.has(word)).length;
  const all = left.size + right.size - shared;
  return all === 0 ? 1 : shared / all;
}

function namesOf(canonical: string): string {
  // Every text is read to its end, those that are no names too: none is begun within another.
  const texts = canonical.matchAll(/"((?:[^"\\]|\\.)*)(?:"(:?)|\\?$)/gs);
  return [...texts].flatMap(([, name = "", colon]) => (colon === ":" ? [name] : [])).join("\n");
}

function numbersOf(canonical: string): string {
  return [...canonical.matchAll(/\d+/g)]
    .map(([number]) => number)
    .toSorted()
    .join(" ");
}

function wordSet(canonical: string): ReadonlySet<string> {
  return new Set(canonical.toLowerCase().match(/\p{L}+/gu) ?? []);
}
