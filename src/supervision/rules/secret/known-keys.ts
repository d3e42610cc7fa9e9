/** Finds keys that are known by their form (key-forms.ts). */
import type { Finding } from "../detector.js";
import { keyForms } from "./key-forms.js";
import { entropyOf } from "./plausible.js";

/** What redaction puts in the place of a secret. */
export const secretMask = "[secret]";

/** Fewest characters of a key that is known by its form. */
const minKey = 16;
/** Where a key may start: not after a letter or digit. */
const starts = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_~.+/";
const keyStart = /(?<![A-Za-z0-9])[A-Za-z0-9_~.+/]/g;

/** Looks for keys in a candidate; forms are tried only where a character stands that they can start with. */
export class KeyFinder {
  private readonly byFirst = new Map<string, RegExp>();

  constructor() {
    const firsts = keyForms().map(({ form }) => ({ form, first: firstOf(form) }));
    for (const character of starts) {
      const forms = firsts.filter(({ first }) => first.test(character)).map(({ form }) => form);
      if (forms.length === 0) continue;
      this.byFirst.set(character, new RegExp(`(?:${forms.join("|")})[A-Za-z0-9_-]*`, "y"));
    }
  }

  find(candidate: string): Finding[] {
    const found: Finding[] = [];
    if (candidate.length < minKey) return found;
    let end = 0;
    for (const { 0: character, index } of candidate.matchAll(keyStart)) {
      const forms = index < end || index + minKey > candidate.length ? undefined : this.byFirst.get(character);
      if (forms === undefined) continue;
      forms.lastIndex = index;
      const key = forms.exec(candidate)?.[0];
      if (key === undefined) continue;
      end = index + key.length;
      if (isKey(key)) found.push({ start: index, end, mask: secretMask });
    }
    return found;
  }
}

/** The characters that a form can start with: of each way to begin the first one, a letter, a digit or a class; else any. */
function firstOf(form: string): RegExp {
  if (form.replace(/\(\?:[^()]*\)|\[[^\][]*\]/g, "").includes("|")) return /./;
  const beginnings = /^\(\?:([^()]*)\)(?!\?)/.exec(form)?.[1]?.split("|");
  const optional = /^\(\?:([^()]*)\)\?(.*)$/s.exec(form);
  const ways = beginnings ?? (optional === null ? [form] : [...(optional[1] ?? "").split("|"), optional[2] ?? ""]);
  return new RegExp(`^(?:${ways.map((way) => /^(?:\[[^\]]*\]|[A-Za-z0-9])/.exec(way)?.[0] ?? ".").join("|")})$`);
}

/** Placeholders such as sk-your-key-here-xxxxxxxx, and long names that share a prefix, are no keys. */
function isKey(key: string): boolean {
  if (/x{8,}|your|EXAMPLE$|\*{3}|\.{3}/i.test(key) || entropyOf(key) < 2.5) return false;
  return /\d/.test(key.slice(3)) || /^(?:A[KSBC][IC]A|API-)[A-Z]+$/.test(key) || /[a-z][A-Z].*[a-z][A-Z]/.test(key);
}
