/** Whether a result is what was expected of an item: deterministic checks alone. */
import type { Result } from "./evaluation.js";
import type { Expected } from "./item.js";

/**
 * @param before the text that was judged; nothing where the result is an answer, of which more can be expected
 * @param fits whether a text, read as JSON, fits a JSON Schema
 * @returns nothing where nothing was expected, or the result is a failure or ended at a call that isn't on record
 * @example isCorrect({ action: "block" }, { action: "block", latencyMs: 1 }, "…") // true
 */
export function isCorrect(
  expected: Expected | undefined,
  result: Result,
  before: string | undefined,
  fits: (schema: Readonly<Record<string, unknown>>, text: string) => boolean = () => false,
): boolean | undefined {
  if (expected === undefined || result.failed !== undefined || result.diverged !== undefined) return undefined;
  const { action, text, contains = [], absent = [], tool, worker, stance, schema } = expected;
  const made = result.text ?? before ?? "";
  const within = (part: string): boolean => made.toLowerCase().includes(part.toLowerCase());
  const checks = [
    ...(action === undefined ? [] : [result.action === action]),
    ...(text === undefined ? [] : [made === text]),
    ...contains.map(within),
    ...absent.map((part) => !within(part)),
    ...(before === undefined ? answerChecks() : []),
  ];
  return checks.length === 0 ? undefined : checks.every((isMet) => isMet);

  function answerChecks(): boolean[] {
    const wasCalled = (called: string): boolean => called === tool || called.endsWith(`/${tool}`);
    return [
      ...(tool === undefined ? [] : [(result.tools ?? []).some(wasCalled)]),
      ...(worker === undefined ? [] : [(result.workers ?? []).includes(worker)]),
      ...(stance === undefined ? [] : [result.stance === stance]),
      ...(schema === undefined ? [] : [fits(schema, made)]),
    ];
  }
}
