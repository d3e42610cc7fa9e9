/**
 * Placeholders in addresses and headers. `{name}` stands for an argument of the model's; `{{subject}}` and `{{metadata.key}}` stand
 * for what we know of the end user. They are read in one go, so that an argument that looks like a placeholder stays a text.
 */
import { ownValue } from "../conversation/own-value.js";

/** Both forms, also as URL parsing encodes them. */
const placeholder = /(?:\{\{|%7B%7B)([^{}%]+)(?:\}\}|%7D%7D)|(?:\{|%7B)([A-Za-z0-9_]+)(?:\}|%7D)/gi;
const ownPlaceholder = /(?:\{\{|%7B%7B)([^{}%]*)(?:\}\}|%7D%7D)/gi;

/** The keys that a text has filled by us, each once. */
export function templateKeys(...texts: readonly string[]): string[] {
  return [...new Set(texts.flatMap((text) => [...text.matchAll(ownPlaceholder)].map(([, key = ""]) => key.trim())))];
}

/** What is wrong with the placeholders of a text; `undefined` when nothing is. */
export function templateProblem(text: string): string | undefined {
  const wrong = templateKeys(text).find((key) => key !== "subject" && !/^metadata\.[^{}]{1,100}$/.test(key));
  return wrong === undefined
    ? undefined
    : `{{${wrong}}} is filled by nobody; there are {{subject}} and {{metadata.<key>}}`;
}

export type ContextOf = (key: string) => string | undefined;

/** @throws {TypeError} when the work has no such value: a call without it would be about somebody else, or about everybody. */
function valueFor(key: string, contextOf: ContextOf): string {
  const value = contextOf(key);
  if (value === undefined || value === "") {
    throw new TypeError(`it needs {{${key}}}, and this session or run has no ${key.replace(".", " ")}`);
  }
  return value;
}

/**
 * An address with its placeholders filled, and the arguments that it didn't take.
 * @throws {TypeError | RangeError} when a value is missing or would lead elsewhere
 * @example
 * fillUrl("https://example.com/{{subject}}/orders/{id}", { id: "47/11", full: true }, () => "ana")
 * // { url: "https://example.com/ana/orders/47%2F11", rest: { full: true } }
 */
export function fillUrl(
  template: string,
  args: Readonly<Record<string, unknown>>,
  contextOf: ContextOf,
): { readonly url: string; readonly rest: Readonly<Record<string, unknown>> } {
  const used = new Set<string>();
  const url = template.replace(placeholder, (_match, key: string | undefined, name: string | undefined) => {
    if (name !== undefined) used.add(name);
    const text = key === undefined ? argumentText(ownValue(args, name ?? "") ?? "") : valueFor(key.trim(), contextOf);
    // "." and ".." would be read as steps in the path, and lead out of where the template points.
    if (/^\.+$/.test(text))
      throw new RangeError(`${key?.trim() ?? `the argument "${name}"`} can't consist of dots alone`);
    return encodeURIComponent(text);
  });
  return { url, rest: Object.fromEntries(Object.entries(args).filter(([name]) => !used.has(name))) };
}

/** Headers with our placeholders filled; arguments have no place in them. */
export function fillHeaders(headers: Readonly<Record<string, string>>, contextOf: ContextOf): Record<string, string> {
  const filled = Object.entries(headers).map(([name, value]) => [
    name,
    value.replace(ownPlaceholder, (_match, written: string) => {
      const key = written.trim();
      const text = valueFor(key, contextOf);
      if (!/^[\x20-\x7e]*$/.test(text)) throw new RangeError(`{{${key}}} holds characters that a header can't carry`);
      return text;
    }),
  ]);
  return Object.fromEntries(filled);
}

/** An argument as it stands in an address. */
export function argumentText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
