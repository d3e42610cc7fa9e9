/** Reads JSON that others wrote, and compares values as JSON. */

/**
 * The value, or why there is none. JSON has no `undefined`, so a value that is `undefined` always comes with a problem.
 * @example readJson('{"a":1}').value // { a: 1 }
 * @example readJson("{a").problem // "Expected property name or '}' in JSON at position 1 …"
 */
export function readJson(text: string): { readonly value: unknown; readonly problem?: string } {
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    return { value: undefined, problem: error instanceof Error ? error.message : "it can't be read" };
  }
}

/** Whether a value is nested deeper than `left` levels. */
export function depthExceeds(value: unknown, left: number): boolean {
  if (value === null || typeof value !== "object") return false;
  return left === 0 || Object.values(value).some((inner) => depthExceeds(inner, left - 1));
}

/** The same text for values that say the same, whatever the order of their fields. What is `undefined` isn't there, as in JSON: its text is empty. */
export function canonicalJson(value: unknown): string {
  const text: string | undefined = JSON.stringify(value, (_name, inner: unknown) =>
    inner === null || typeof inner !== "object" || Array.isArray(inner)
      ? inner
      : Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1))),
  );
  return text ?? "";
}
