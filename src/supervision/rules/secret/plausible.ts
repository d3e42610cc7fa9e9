/** Tells values that look made up from words, paths, dates, names of variables and what stands for a secret in documentation. */

import { trimEndOf } from "../../../text/edges.js";

/** What stands for a secret in documentation, or is a variable, a call or a word about the secret. */
const placeholder =
  /^[$%{<([@]|^(?:your|my|the|some|insert|enter|change|replace|example|sample|dummy|test[_-]?(?:key|token|pass)|process\.|os\.|env[.[(]|config\.|settings\.|self\.|this\.|null|undefined|none|true|false|string|todo)|example|placeholder|redacted|x{4,}|\*{3,}|\.{3,}|…|\(\)?|\[secret\]|\[redacted\]|_here\b/i;

/** A place rather than a value: a path, an address, a mail address, a file. */
const place =
  /^[a-z][\w-]*-\d{1,4}:\d{2,5}$|^[\w-]{1,60}(?:\.[\w-]{1,60}){1,8}:\d{2,5}$|^(?:\.{0,2}|~|[a-z]:)[\\/]|:\/\/|^www\.|^[\w.+-]+@[\w-]+\.[a-z]{2,}$|\.(?:txt|md|pdf|js|ts|py|rb|go|java|json|ya?ml|toml|ini|cfg|conf|env|csv|html?|php|pem|key|pub|crt|log|docx?|xlsx?|png|jpe?g|zip|com|org|net|io|dev)$/i;
/** Slashes between plain words. */
const wordsWithSlashes = /^[a-z._-]+(?:[/\\][a-z._-]+)+$/i;

/** Times, dates, versions, sizes, names of algorithms and standards: letters or signs with digits, and no secret. */
const measure =
  /^(?:\+?0x[\da-f]{1,8}|\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?(?:\.\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?|v?\d+(?:[.:/-]\d+)+[a-z]?|\d+(?:[-.,]\d*)?[- ]?(?:s|secs?|seconds?|min|mins|minutes?|m|h|hrs?|hours?|d|days?|weeks?|months?|years?|ms|bits?|bytes?|chars?|characters?|digits?|x|st|nd|rd|th|%|times|k|kb|mb|gb|usd|eur|stellig\w*|zeichen|caract\w*|символ\w*|(?:€|\$|£))|(?:sha|md|aes|rsa|rs|hs|es|ps|oauth|base|utf|http|tls|ssl|ipv|pbkdf|ed|p|des|chacha|curve|blake|argon|level|step|chapter|section|page|part|version|windows|win|office|iso|rfc|cve|gpt|claude|python|node|php|html|web|ios|android|mp|usb|wpa|x|fido|nist|sp|q|h)[-_]?v?\d+(?:[-._]{1,2}[a-z0-9]{1,6})*)$/i;

/** An assignment of its own, such as `user=jane`; or a number with the next name of a record, such as `12.50|to:`. */
const assignment = /^[A-Za-z_][\w.-]*=[^=]|^\d[\d.,]*\|/;

/** The punctuation of the sentence in which a value stands. */
export const closing = /[.:!?)\]}…]/;

/** Characters beyond which a value is no word. */
const longValue = 200;

/** Shannon's entropy of a text's characters, in bits a character. */
export function entropyOf(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  let entropy = 0;
  for (const count of counts.values()) entropy -= (count / text.length) * Math.log2(count / text.length);
  return entropy;
}

/** Whether what follows a name that announces a secret looks like one: two classes of characters, or much variety. */
export function isPlausible(value: string): boolean {
  const bare = value.length > longValue ? value : trimEndOf(value, closing);
  if (bare.length < 6 || placeholder.test(bare) || assignment.test(bare) || entropyOf(bare) < 1.9) return false;
  // What is longer than any word, path or date is none; asking would take more than linear time.
  if (bare.length > longValue) return true;
  if (measure.test(bare) || place.test(bare) || wordsWithSlashes.test(bare)) return false;
  const hasLetter = /\p{L}/u.test(bare);
  if (/\d/.test(bare)) return hasLetter ? !isName(bare) : /^\d{8,}$/.test(bare) || /[!#$%^&*+~@]/.test(bare);
  if (!hasLetter) return false;
  // Signs inside a word are no punctuation; many changes of case are no name.
  if (bare.length >= 8 && /[!#$%^&*+~?@][^\s]/.test(bare)) return !/^[\p{L}]+[&+/][\p{L}]+$/u.test(bare);
  return bare.length >= 20 && (bare.match(/[a-z][A-Z]|[A-Z]{2}[a-z]/g)?.length ?? 0) >= 5 && entropyOf(bare) > 3.8;
}

/** Whether a value mixes capitals, small letters and digits as no word does. */
export function isMixed(value: string): boolean {
  return (
    /[A-Z]/.test(value) && /[a-z]{2}/.test(value) && /\d{2}/.test(value) && value.length >= 8 && isPlausible(value)
  );
}

/** Whether a value has three of capitals, small letters, digits and signs: a password, where the name before it says little. */
export function hasThreeClasses(value: string): boolean {
  const classes = [/\p{Lu}/u, /\p{Ll}/u, /\d/, /[!#$%^&*+~?@]/].filter((one) => one.test(value)).length;
  // A name with a number, such as Room204, has three too.
  return classes >= 3 && !/^\p{Lu}\p{Ll}+\d{0,4}[.:?)\]}…]*$/u.test(value) && isPlausible(value);
}

/** Whether a value is long and without any word: enough where the name before it says little. */
export function isStrong(value: string): boolean {
  const bare = value.length > longValue ? value : trimEndOf(value, closing);
  if (!/^[A-Za-z0-9_\-=+/~.:]{15,}$/.test(bare) || !isPlausible(bare)) return false;
  return (
    /\d/.test(bare) &&
    /[A-Za-z]/.test(bare) &&
    entropyOf(bare) >= 3 &&
    !/[a-z]{7,}/i.test(bare.replace(/[a-f0-9]{16,}/gi, ""))
  );
}

/** Names with a number in them: variables, hosts, words joined by dashes or underscores, a title and a year. */
function isName(text: string): boolean {
  const isStandard = /^[A-Z]{2,6}-\d{1,5}$/.test(text);
  const isJoined = /^(?:[a-z]+[_.-]){2,}[a-z]*\d{0,2}$/i.test(text);
  return isStandard || isJoined || (/^[a-z]+(?:\.[a-z0-9]+)+$/i.test(text) && entropyOf(text) < 3);
}
