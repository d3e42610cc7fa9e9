/** Finds secrets: by their form, by what announces them, in addresses, and private keys. */
import { lazily } from "../../text/lazily.js";
import type { Detector, Finding } from "./detector.js";
import { expressionDetector } from "./patterns.js";
import { leftOf } from "./personal/context.js";
import { CharacterClass, runDetector } from "./run-scanner.js";
import { AnnouncedValues, minValue } from "./secret/announced-values.js";
import { wordsFor } from "./secret/announcing-words.js";
import { KeyFinder, secretMask } from "./secret/known-keys.js";

/** A private key in PEM form (RFC 7468), whether or not its end is there; line breaks may be escaped, as in JSON. */
const gap = String.raw`(?:\s|\\[nr])*`;
const privateKey =
  "-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----" +
  String.raw`(?:${gap}[A-Za-z\-]{3,20}: [^\n]{0,100})*` +
  `(?:${gap}[A-Za-z0-9+/=]{16,})*` +
  `(?:(?:${gap}[A-Za-z0-9+/=]{1,64})?(?:${gap}-----END [A-Z0-9 ]{0,60}-----)?)?`;

const urlPassword = String.raw`(?i)\b[a-z][a-z0-9+.\-]{1,20}://[^\s:/@]{0,64}:[^\s@/]{3,128}@`;
/** Whether a text has a candidate; starting at its literal part is quickest. */
const hasUrlPassword = /:\/\/[^\s:/@]{0,64}:[^\s@/]{3,128}@/;
const urlPlaceholder = /^[$%{<([]|^(?:pass(?:word)?|pwd|secret|your|xxx+|\*+|\.{3,})/i;

/**
 * A candidate: text without white space, quotes and letters of scripts without spaces: what a secret is made of. It is looked at
 * when it is complete, so that no secret can go on after it was judged.
 */
const candidateClass =
  /[^\s"'<>,;`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Arabic}\p{Script=Devanagari}\u3000-\u303f\u30fc]/u;

/** A plain word, which most candidates are: no secret, and no name with its value. */
const mayHoldSecret = /[\d!#$%^&*+~?@]|[a-z][A-Z]/;

/** Six characters without white space, one of which no plain word has: texts without are not scanned. */
const beside = Array.from({ length: minValue }, (_, before) => {
  return String.raw`(?<=\S{${before + 1}})(?=\S{${minValue - 1 - before}})`;
});
const hasCandidate = new RegExp(String.raw`(?:[\d!#$%^&*+~?@]|[a-z](?=[A-Z]))(?:${beside.join("|")})`);

function secretsIn(
  keys: KeyFinder,
  announced: AnnouncedValues,
): (text: string, start: number, end: number) => Finding[] {
  return (text, start, end) => {
    const candidate = text.slice(start, end);
    if (!mayHoldSecret.test(candidate)) return [];
    const found = keys.find(candidate);
    if (found.length === 0) {
      const value = announced.find(candidate, leftOf(text, start));
      if (value !== undefined) found.push({ ...value, mask: secretMask });
    }
    return found.map((key) => ({ ...key, start: key.start + start, end: key.end + start }));
  };
}

function findUrlPassword(text: string, start: number, end: number): Finding[] {
  const valueStart = text.indexOf(":", text.indexOf("://", start) + 3) + 1;
  return urlPlaceholder.test(text.slice(valueStart, end - 1))
    ? []
    : [{ start: valueStart, end: end - 1, mask: secretMask }];
}

/** `CREATE USER bob IDENTIFIED BY '…'`, `ALTER ROLE bob PASSWORD '…'`, `SET PASSWORD FOR bob = PASSWORD('…')`. */
const sqlPassword =
  String.raw`(?i)\b(?:identified\s{1,4}by|(?:create|alter)\s{1,4}(?:user|role|login)\b[^;'\n]{1,120}\bpassword|` +
  String.raw`set\s{1,4}password\b[^;\n]{0,80}=)\s{0,4}(?:=\s{0,4}|password\s{0,2}\(\s{0,2})?'[^'\n]{1,128}'`;
const hasSqlPassword = /identified|password/i;
/** `curl -u bob:…`. */
const curlPassword = String.raw`\bcurl\b[^\n;|]{0,300}\s(?:-u|--user)[ =]{0,2}["']?[^\s:"'$]{1,64}:[^\s"']{3,128}`;
const hasCurlUser = /\s-(?:u|-user)/;

/** The password at the end of a candidate, from its last delimiter on. */
function passwordAfter(delimiter: string, closing: string) {
  return (text: string, start: number, end: number): Finding[] => {
    const last = end - closing.length;
    const valueStart = text.lastIndexOf(delimiter, last - 1) + delimiter.length;
    const value = text.slice(valueStart, last);
    return valueStart <= start || urlPlaceholder.test(value) || /^[:?@]/.test(value)
      ? []
      : [{ start: valueStart, end: last, mask: secretMask }];
  };
}

/** A password may have colons itself: it begins behind the first one after the switch. */
function findCurlPassword(text: string, start: number, end: number): Finding[] {
  const credentials = /\s(?:-u|--user)[ =]{0,2}["']?[^\s:"'$]{1,64}:([^\s"']{3,128})$/.exec(text.slice(start, end));
  const value = credentials?.[1] ?? "";
  return value === "" || urlPlaceholder.test(value) ? [] : [{ start: end - value.length, end, mask: secretMask }];
}

const longCandidate = /[\w+/.:|%~=@$-]{16}/;

/** Detectors for secrets of every kind; built once, and shared by every configuration. */
export const secretDetectors: () => readonly Detector[] = lazily(() => {
  // A word that every announcement has; texts without one, and without a long candidate, are not scanned.
  const names = (["secret", "weak", "vendor", "account"] as const).flatMap(wordsFor);
  const nameHint = new RegExp(names.join("|"), "iu");
  return [
    runDetector(
      new CharacterClass(candidateClass),
      minValue,
      ({ normal }) => hasCandidate.test(normal) && (longCandidate.test(normal) || nameHint.test(normal)),
      secretsIn(new KeyFinder(), new AnnouncedValues()),
    ),
    expressionDetector(privateKey, ({ normal }) => normal.includes("-----BEGIN "), {
      refine: (_text, start, end) => [{ start, end, mask: secretMask }],
      retry: "after",
    }),
    expressionDetector(urlPassword, ({ normal }) => hasUrlPassword.test(normal), {
      refine: findUrlPassword,
      retry: "next",
    }),
    expressionDetector(sqlPassword, ({ normal }) => hasSqlPassword.test(normal), {
      refine: passwordAfter("'", "'"),
      retry: "after",
    }),
    expressionDetector(curlPassword, ({ normal }) => normal.includes("curl") && hasCurlUser.test(normal), {
      refine: findCurlPassword,
      retry: "after",
    }),
  ];
});
