/** Which fields of what is stored differ from those before, by their paths: what the audit says of a change, without any value. */
import { isRecord } from "../text/json.js";

/**
 * Both as JSON holds them. What is in a list isn't told apart.
 * @example changedFields({ agent: "a", filter: {} }, { agent: "b", filter: { subject: "ada" } }) // ["agent", "filter.subject"]
 */
export function changedFields(before: object, after: object, under = ""): string[] {
  const [from, to] = [new Map(Object.entries(before)), new Map(Object.entries(after))];
  return [...new Set([...from.keys(), ...to.keys()])].sort().flatMap((name) => {
    const [old, given]: readonly unknown[] = [from.get(name), to.get(name)];
    const path = `${under}${name}`;
    if (isRecord(old) && isRecord(given)) return changedFields(old, given, `${path}.`);
    return JSON.stringify(old) === JSON.stringify(given) ? [] : [path];
  });
}
