/** Reads JSON that others wrote, and compares values as JSON. */

/** How deep JSON of others may be nested. Deeper, and a walk over it (to write it again, to check it) runs out of stack. */
export const maxJsonDepth = 64;
/** The most that JSON of others may have, in characters: more than any body, reply or answer that we take. */
const maxJsonCharacters = 4_000_000;

export interface ReadJson {
  readonly value: unknown;
  readonly problem?: string;
  /** It may be JSON, and is more than we read. */
  readonly isTooMuch?: true;
}

/**
 * The value, or why there is none. JSON has no `undefined`, so a value that is `undefined` always comes with a problem.
 * Everything that anybody else wrote is read here: bodies, models' arguments, answers of tools, supervisors and providers.
 * @example readJson('{"a":1}').value // { a: 1 }
 * @example readJson("{a").problem // "Expected property name or '}' in JSON at position 1 …"
 */
export function readJson(text: string): ReadJson {
  const tooMuch = tooMuchOf(text);
  if (tooMuch !== undefined) return { value: undefined, problem: tooMuch, isTooMuch: true };
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    return { value: undefined, problem: error instanceof Error ? error.message : "it can't be read" };
  }
}

function tooMuchOf(text: string): string | undefined {
  if (text.length > maxJsonCharacters) return `JSON may have at most ${maxJsonCharacters} characters`;
  return isNestedTooDeep(text) ? `JSON may be nested at most ${maxJsonDepth} deep` : undefined;
}

/** Told from the text, before anything is made of it; brackets within texts don't count. */
export function isNestedTooDeep(text: string): boolean {
  let depth = 0;
  let isInText = false;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === quote) isInText = !isInText;
    else if (isInText) {
      if (unit === backslash) at++;
    } else if (unit === openBrace || unit === openBracket) {
      depth++;
      if (depth > maxJsonDepth) return true;
    } else if (unit === closeBrace || unit === closeBracket) depth--;
  }
  return false;
}

const [quote, backslash, openBrace, closeBrace, openBracket, closeBracket] = [34, 92, 123, 125, 91, 93];

/** Whether a value is an object with named members. Not by a schema: zod's records leave out a key `__proto__`, and with it what stands below. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether a value that came as one, and not as a text, is nested deeper than JSON of others may be. */
export function isTooDeep(value: unknown, left = maxJsonDepth): boolean {
  if (value === null || typeof value !== "object") return false;
  return left === 0 || Object.values(value).some((inner) => isTooDeep(inner, left - 1));
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
