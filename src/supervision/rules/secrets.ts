import type { Detector, Finding } from "./detector.js";
import { expressionDetector, lazily } from "./patterns.js";

/** What redaction puts in the place of a secret. */
const SECRET_MASK = "[secret]";

/** Keys that are known by their form: the vendors' documented prefixes, as the public secret scanners list them. */
const KEYS = [
  String.raw`sk-(?:ant-|proj-|svcacct-|admin-|or-v1-)?[A-Za-z0-9_\-]{20,}`, // Anthropic, OpenAI, OpenRouter
  String.raw`(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b`, // AWS access key id
  "gh[pousr]_[A-Za-z0-9]{36,}", // GitHub tokens
  "github_pat_[A-Za-z0-9_]{22,}",
  String.raw`gl(?:pat|dt|rt)-[A-Za-z0-9_\-]{20,}`, // GitLab
  String.raw`xox[abeoprs]-[A-Za-z0-9\-]{10,}`, // Slack
  String.raw`xapp-[0-9]-[A-Za-z0-9\-]{10,}`,
  String.raw`hooks\.slack\.com/services/T[A-Z0-9]{6,}/B[A-Z0-9]{6,}/[A-Za-z0-9]{16,}`,
  "[sr]k_(?:live|test)_[A-Za-z0-9]{16,}", // Stripe
  "whsec_[A-Za-z0-9+/]{16,}",
  String.raw`AIza[A-Za-z0-9_\-]{35}`, // Google
  String.raw`GOCSPX-[A-Za-z0-9_\-]{20,}`,
  String.raw`ya29\.[A-Za-z0-9_\-]{20,}`,
  "cf(?:k|ut|at)_[A-Za-z0-9]{30,}", // Cloudflare
  String.raw`v1\.0-[a-f0-9]{24}-[a-f0-9]{100,}`,
  String.raw`cnk_[A-Za-z0-9_\-]{16,}`, // Conclave
  "hf_[A-Za-z0-9]{30,}", // Hugging Face
  "npm_[A-Za-z0-9]{36}",
  String.raw`pypi-[A-Za-z0-9_\-]{50,}`,
  String.raw`SG\.[A-Za-z0-9_\-]{16,}\.[A-Za-z0-9_\-]{32,}`, // SendGrid
  String.raw`SK[0-9a-f]{32}\b`, // Twilio
  String.raw`[0-9]{8,10}:AA[A-Za-z0-9_\-]{32,}`, // Telegram bot
  "(?:gsk_|xai-|r8_|lin_api_|dop_v1_|shp(?:at|ca|pa|ss)_)[A-Za-z0-9]{30,}", // Groq, xAI, Replicate, Linear, …
  String.raw`eyJ[A-Za-z0-9_\-]{10,}\.eyJ[A-Za-z0-9_\-]{10,}\.[A-Za-z0-9_\-]*`, // JSON Web Token (RFC 7519)
].join("|");
/** Not within a longer word ("task-…"), but after an underscore. */
const KNOWN_KEY = String.raw`(?:\b|_)(?:${KEYS})`;

/** A private key in PEM form (RFC 7468), whether or not its end is there; line breaks may be escaped, as in JSON. */
const GAP = String.raw`(?:\s|\\[nr])*`;
const PRIVATE_KEY =
  "-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----" +
  String.raw`(?:${GAP}[A-Za-z\-]{3,20}: [^\n]{0,100})*` +
  `(?:${GAP}[A-Za-z0-9+/=]{16,})*` +
  `(?:(?:${GAP}[A-Za-z0-9+/=]{1,64})?(?:${GAP}-----END [A-Z0-9 ]{0,60}-----)?)?`;

const VALUE = String.raw`[^\s"'<>,;\x60]{6,}`;
const QUOTE = String.raw`["'\x60]?`;
/** Names that announce a secret, in English and the main words of German, French and Spanish. */
const NAMES = [
  "pass(?:word|wd|phrase|wort)",
  "pwd",
  "kennwort",
  "mot de passe",
  "contrase(?:ñ|ñ|n)a",
  String.raw`secret(?:[_\- ]?(?:access[_\- ]?)?key)?`,
  String.raw`api[_\- ]?(?:key|token|secret)`,
  String.raw`(?:access|auth|bearer|private|refresh)[_\- ]?(?:key|token)`,
  "token",
  "credentials?",
].join("|");
/** What stands before the value. Common to RE2 and JavaScript syntax, since the value is found by it once more. */
const ANNOUNCED = String.raw`(?:${NAMES})${QUOTE}\s{0,4}(?:=>|:=|==?|:|\bis\b|\blautet\b|\best\b|\bes\b)\s{0,4}${QUOTE}`;
const ANNOUNCEMENT = new RegExp(`^${ANNOUNCED}`, "i");
const AUTHORIZATION = String.raw`(?i)\b(?:bearer|basic|token)\s{1,4}[A-Za-z0-9._~+/\-]{12,}=*`;
const URL_PASSWORD = String.raw`(?i)\b[a-z][a-z0-9+.\-]{1,20}://[^\s:/@]{0,64}:[^\s@/]{3,128}@`;

/** What stands for a secret in documentation, or is a variable, a call or a word about the secret, is none. */
const PLACEHOLDER =
  /^[$%{<([]|^(?:your|my|the|some|insert|enter|change|replace|example|sample|dummy|test|process\.|os\.|env[.[(])|example|placeholder|redacted|x{4,}|\*{3,}|\.{3,}|…|\(\)|\[secret\]/i;

/** The punctuation of the sentence in which a value may stand. */
const CLOSING = /[).:!?\]}]+$/;

/** A value that looks made up rather than written: letters with digits or signs, and no placeholder. */
function isPlausible(value: string): boolean {
  const bare = value.replace(CLOSING, "");
  if (PLACEHOLDER.test(bare) || bare.length < 6) return false;
  const hasLetter = /[a-z]/i.test(bare);
  const hasDigit = /\d/.test(bare);
  const hasSign = /[!#$%^&*+~?]/.test(bare);
  return (hasDigit && (hasLetter || bare.length >= 8)) || (hasLetter && hasSign && bare.length >= 8);
}

const secret = (start: number, end: number): Finding[] => [{ start, end, mask: SECRET_MASK }];

/** Only the value is secret; what announces it may stay. */
function refineAssignment(text: string, start: number, end: number): Finding[] {
  const valueStart = start + (ANNOUNCEMENT.exec(text.slice(start, end))?.[0].length ?? 0);
  return isPlausible(text.slice(valueStart, end)) ? secret(valueStart, end) : [];
}

/** Opaque tokens: a word after "bearer" counts if it has a digit, which prose has not. */
function refineAuthorization(text: string, start: number, end: number): Finding[] {
  const valueStart = start + text.slice(start, end).search(/\s\S/) + 1;
  const value = text.slice(valueStart, end);
  return /\d/.test(value) && isPlausible(value) ? secret(valueStart, end) : [];
}

function refineUrl(text: string, start: number, end: number): Finding[] {
  const valueStart = text.indexOf(":", text.indexOf("://", start) + 3) + 1;
  return PLACEHOLDER.test(text.slice(valueStart, end - 1)) ? [] : secret(valueStart, end - 1);
}

/** Placeholders such as sk-your-key-here-xxxxxxxx, and long lower-case names that share a prefix, are no keys. */
function refineKey(text: string, start: number, end: number): Finding[] {
  const key = text.slice(start, end);
  return /x{8,}|your/i.test(key) || !/[0-9A-Z]/.test(key.slice(4)) ? [] : secret(start, end);
}

const KEY_HINT =
  /sk-|AKIA|ASIA|ABIA|ACCA|gh[pousr]_|github_pat_|gl(?:pat|dt|rt)-|xox|xapp-|hooks\.|[sr]k_|whsec_|AIza|GOCSPX|ya29|cf(?:k|ut|at)_|v1\.0-|cnk_|hf_|npm_|pypi-|SG\.|SK|:AA|gsk_|xai-|r8_|lin_api_|dop_v1_|shp|eyJ/;
const NAME_HINT = /pass|pwd|kennw|contras|secret|key|token|cred/;

/** Detectors for secrets of every kind; built once, and shared by every configuration. */
export const secretDetectors: () => readonly Detector[] = lazily(() => [
  expressionDetector(KNOWN_KEY, ({ normal }) => KEY_HINT.test(normal), { refine: refineKey, retry: "next" }),
  expressionDetector(PRIVATE_KEY, ({ normal }) => normal.includes("-----BEGIN "), {
    refine: (_text, start, end) => secret(start, end),
    retry: "after",
  }),
  expressionDetector(`(?i)${ANNOUNCED}${VALUE}`, ({ lower }) => NAME_HINT.test(lower), {
    refine: refineAssignment,
    retry: "next",
  }),
  expressionDetector(AUTHORIZATION, ({ lower }) => /bearer|basic|token/.test(lower), {
    refine: refineAuthorization,
    retry: "next",
  }),
  expressionDetector(URL_PASSWORD, ({ normal }) => normal.includes("://"), { refine: refineUrl, retry: "next" }),
]);
