/** Whether a result is what was expected of an item: deterministic checks alone. */
import type { Result } from "./evaluation.js";
import type { Expected } from "./item.js";

/**
 * @param before the text that was judged
 * @returns nothing where nothing that a supervisor does was expected, or the result is a failure
 * @example isCorrect({ action: "block" }, { action: "block", latencyMs: 1 }, "…") // true
 */
export function isCorrect(expected: Expected | undefined, result: Result, before: string): boolean | undefined {
  if (expected === undefined || result.failed !== undefined) return undefined;
  const { action, text, contains = [], absent = [] } = expected;
  const made = result.text ?? before;
  const within = (part: string): boolean => made.toLowerCase().includes(part.toLowerCase());
  const checks = [
    ...(action === undefined ? [] : [result.action === action]),
    ...(text === undefined ? [] : [made === text]),
    ...contains.map(within),
    ...absent.map((part) => !within(part)),
  ];
  return checks.length === 0 ? undefined : checks.every((isMet) => isMet);
}
