/** Finds secrets: by their form, by what announces them, in addresses, and private keys. */
import type { Detector, Finding } from "./detector.js";
import { expressionDetector, lazily } from "./patterns.js";
import { leftOf } from "./personal/context.js";
import { harmlessNames, links, secretNames, vendors, weakNames } from "./secret/announcing-words.js";
import { keyForms } from "./secret/key-forms.js";
import { entropyOf, isMixed, isPlausible, isStrong } from "./secret/plausible.js";

/** What redaction puts in the place of a secret. */
const secretMask = "[secret]";

/** A private key in PEM form (RFC 7468), whether or not its end is there; line breaks may be escaped, as in JSON. */
const gap = String.raw`(?:\s|\\[nr])*`;
const privateKey =
  "-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----" +
  String.raw`(?:${gap}[A-Za-z\-]{3,20}: [^\n]{0,100})*` +
  `(?:${gap}[A-Za-z0-9+/=]{16,})*` +
  `(?:(?:${gap}[A-Za-z0-9+/=]{1,64})?(?:${gap}-----END [A-Z0-9 ]{0,60}-----)?)?`;

const urlPassword = String.raw`(?i)\b[a-z][a-z0-9+.\-]{1,20}://[^\s:/@]{0,64}:[^\s@/]{3,128}@`;
const urlPlaceholder = /^[$%{<([]|^(?:pass(?:word)?|pwd|secret|your|xxx+|\*+|\.{3,})/i;

/**
 * A stretch without white space, quotes and letters of scripts without spaces: what a secret is made of. It is looked at
 * when it is complete, so that no secret can go on after it was judged.
 */
const stretch = String.raw`[^\s"'<>,;\x60\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Arabic}\p{Devanagari}\x{3000}-\x{303f}\x{30fc}]{6,}`;

const known = lazily(() => {
  return new RegExp(`(?<![A-Za-z0-9])(?:${keyForms.map(({ form }) => form).join("|")})[A-Za-z0-9_-]*`, "g");
});

const quote = String.raw`["'\x60*]{0,2}`;
const nameEnd = String.raw`[\w.\[\]-]{0,16}${quote}\)?`;
/** Further words between a name and its value: "password for the database is". */
const aside = String.raw`(?:\s{1,2}\(?[\p{L}\p{N}'’._-]{1,20}\)?){0,4}?`;

interface Announcement {
  /** Before a stretch: name, aside, link. */
  before: RegExp;
  /** Before a stretch, without a link. */
  bare: RegExp;
  /** Within a stretch: a name at its end. */
  within: RegExp;
}

function announcement(names: readonly string[]): Announcement {
  const name = `(?:${names.join("|")})`;
  return {
    before: new RegExp(String.raw`${name}${nameEnd}${aside}\s{0,4}(?:${links.join("|")})\s{0,4}${quote}$`, "iu"),
    bare: new RegExp(String.raw`${name}\s{0,2}${quote}$`, "iu"),
    within: new RegExp(String.raw`${name}[\w.\[\]-]{0,16}$`, "iu"),
  };
}

const strongly = lazily(() => announcement(Object.values(secretNames).flat()));
const weakly = lazily(() => announcement([...weakNames, ...vendors]));
const harmless = lazily(() => new RegExp(harmlessNames.join("|"), "iu"));
const scheme = /\b(?:bearer|basic|token|apikey)\s{1,4}$/i;

function findSecrets(text: string, start: number, end: number): Finding[] {
  const candidate = text.slice(start, end);
  const keys = candidate.length < minKey ? [] : findKeys(candidate);
  if (keys.length > 0) return keys.map((key) => ({ ...key, start: key.start + start, end: key.end + start }));
  if (!/[\d!#$%^&*+~?@]|[a-z][A-Z]/.test(candidate)) return [];
  const left = leftOf(text, start);
  const valueStart = announcedWithin(candidate, left) ?? (isAnnounced(candidate, left) ? 0 : undefined);
  if (valueStart === undefined) return [];
  return [{ start: start + valueStart, end: start + endOfValue(candidate, valueStart), mask: secretMask }];
}

/** Fewest characters of a key that is known by its form. */
const minKey = 16;

function findKeys(candidate: string): Finding[] {
  const found: Finding[] = [];
  for (const { 0: key, index } of candidate.matchAll(known())) {
    if (isKey(key)) found.push({ start: index, end: index + key.length, mask: secretMask });
  }
  return found;
}

/** Placeholders such as sk-your-key-here-xxxxxxxx, and long names that share a prefix, are no keys. */
function isKey(key: string): boolean {
  if (/x{8,}|your|EXAMPLE$|\*{3}|\.{3}/i.test(key) || entropyOf(key) < 2.5) return false;
  return /\d/.test(key.slice(3)) || /^(?:A[KSBC][IC]A|API-)[A-Z]+$/.test(key) || /[a-z][A-Z].*[a-z][A-Z]/.test(key);
}

/** Where the value starts in a stretch such as `DB_PASSWORD=hunter22`. */
function announcedWithin(candidate: string, left: string): number | undefined {
  for (const match of candidate.matchAll(/[=:]{1,3}>?|\|\|/g)) {
    const name = (left.slice(-nameWithin) + candidate.slice(0, match.index)).slice(-nameWithin);
    const valueStart = match.index + match[0].length;
    const value = candidate.slice(valueStart, endOfValue(candidate, valueStart));
    if (strongly().within.test(name) && !harmless().test(name) && isPlausible(value)) return valueStart;
    if (weakly().within.test(name) && !harmless().test(name) && isStrong(value)) return valueStart;
  }
  return undefined;
}

/** Most characters of a name. */
const nameWithin = 40;

/** In an address a value ends at the next parameter. */
function endOfValue(candidate: string, start: number): number {
  const isParameter = /[?&][\w.-]{1,40}=$/.test(candidate.slice(0, start));
  const next = isParameter ? candidate.slice(start).search(/[&#]/) : -1;
  return next < 0 ? candidate.length : start + next;
}

/** Whether what stands before a stretch announces it. */
function isAnnounced(candidate: string, left: string): boolean {
  if (scheme.test(left) && candidate.length >= 12 && /\d/.test(candidate) && isPlausible(candidate)) {
    return /^[A-Za-z0-9._~+/-]{12,}=*[.:!?)\]}]*$/.test(candidate);
  }
  const plausible = isPlausible(candidate);
  if (!plausible) return false;
  const named = strongly().before.exec(left);
  if (named !== null && !harmless().test(named[0])) return true;
  const isStrongValue = isStrong(candidate);
  if (!isStrongValue && !isMixed(candidate)) return false;
  const weak = strongly().bare.exec(left) ?? (isStrongValue ? weakly().before.exec(left) : null);
  return weak !== null && !harmless().test(weak[0]);
}

function findUrlPassword(text: string, start: number, end: number): Finding[] {
  const valueStart = text.indexOf(":", text.indexOf("://", start) + 3) + 1;
  return urlPlaceholder.test(text.slice(valueStart, end - 1))
    ? []
    : [{ start: valueStart, end: end - 1, mask: secretMask }];
}

const longStretch = /[\w+/.:|%~=@$-]{16}/;

/** A word that every announcement has; texts without one, and without a long stretch, are not scanned. */
const nameHint = lazily(() => {
  return new RegExp([...Object.values(secretNames).flat(), ...weakNames, ...vendors].join("|"), "iu");
});

/** Detectors for secrets of every kind; built once, and shared by every configuration. */
export const secretDetectors: () => readonly Detector[] = lazily(() => [
  expressionDetector(stretch, ({ normal }) => longStretch.test(normal) || nameHint().test(normal), {
    refine: findSecrets,
    retry: "after",
  }),
  expressionDetector(privateKey, ({ normal }) => normal.includes("-----BEGIN "), {
    refine: (_text, start, end) => [{ start, end, mask: secretMask }],
    retry: "after",
  }),
  expressionDetector(urlPassword, ({ normal }) => normal.includes("://"), { refine: findUrlPassword, retry: "next" }),
]);
