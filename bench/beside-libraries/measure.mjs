/**
 * All rules on a text of 2,000 characters, next to two public libraries of the same purpose, in one run: redact-pii (personal data)
 * and secretlint with its recommended rules (secrets). The cases take turns, so that whatever disturbs the machine disturbs all.
 */
import { performance } from "node:perf_hooks";
import { lintSource } from "@secretlint/core";
import { creator as recommended } from "@secretlint/secretlint-rule-preset-recommend";
import { SyncRedactor } from "redact-pii";
import { compileRules } from "../../src/supervision/rules/engine.js";

const characters = 2_000;
/** Our rules know the last thousand sentences: no text comes twice, and its sentences differ. */
const towns = [
  "Turin",
  "Leeds",
  "Porto",
  "Graz",
  "Gent",
  "Lyon",
  "Bergen",
  "Aarhus",
  "Vilnius",
  "Zagreb",
  "Cork",
  "Basel",
];
const days = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday"];
const letters = (number) => String(number).replace(/[0-9]/g, (digit) => "abcdefghij"[digit]);
const ordinary = (number) =>
  Array.from({ length: 30 }, (_, at) => {
    const [town, day] = [towns[at % towns.length], days[at % days.length]];
    return `Your parcel for ${town}, ${letters(number * 30 + at)}, left the warehouse on ${day}, and 3 of its 4 items arrive within two days.`;
  }).join(" ");
/** An answer of a shop, with one of each kind in it, so that nobody is measured on a text in which there is nothing to find. */
const found =
  "Write to ada@example.com or call +44 20 7946 0958; the card 4111 1111 1111 1111 was charged. xoxb-123456789012-1234567890123-AbCdEfGhIjKlMnOpQrStUvWx ";
let told = 0;
const texts = {
  plain: () => ordinary(++told).slice(0, characters),
  found: () => (found + ordinary(++told)).slice(0, characters),
};

const rulesOf = (...matches) =>
  compileRules({ rules: matches.map((match) => ({ match, action: "redact", reason: "found" })) });
const all = rulesOf(
  { type: "personalData" },
  { type: "secrets" },
  { type: "injection" },
  { type: "phrases", phrases: ["full refund", "blue falcon"] },
  { type: "pattern", pattern: "order #[0-9]{6,9}" },
);
const personal = rulesOf({ type: "personalData" });
const secrets = rulesOf({ type: "secrets" });
const injection = rulesOf({ type: "injection" });
const orders = rulesOf({ type: "injection", signs: "data" });
const redactor = new SyncRedactor();
const lint = (text) =>
  lintSource({
    source: { content: text, filePath: "reply.txt", ext: ".txt", contentType: "text" },
    options: {
      config: { rules: [{ id: "@secretlint/secretlint-rule-preset-recommend", rule: recommended, options: {} }] },
    },
  });

if (!personal.judge(texts.found()).text.includes("[email]")) throw new Error("the rules found no address");
if (redactor.redact(texts.found()).includes("ada@example.com")) throw new Error("redact-pii found no address");
if ((await lint(texts.found())).messages.length === 0) throw new Error("secretlint found no token");
if (secrets.judge(texts.found()).text.includes("xoxb-1234")) throw new Error("the rules found no token");

const cases = {
  "all rules: personal data, secrets, injection, phrases, a pattern": (text) => all.judge(text),
  "personal data": (text) => personal.judge(text),
  "redact-pii 3.4.0": (text) => redactor.redact(text),
  secrets: (text) => secrets.judge(text),
  "secretlint 13.0.7, recommended rules": lint,
  injection: (text) => injection.judge(text),
  "orders in data": (text) => orders.judge(text),
};
const [batches, warmUp, perBatch] = [60, 15, 10];
const taken = new Map();
for (let batch = 0; batch < batches + warmUp; batch++) {
  for (const [name, run] of Object.entries(cases)) {
    for (const [kind, textOf] of Object.entries(texts)) {
      const batchOf = Array.from({ length: perBatch }, textOf);
      const started = performance.now();
      for (const text of batchOf) await run(text);
      const key = `${name}/${kind}`;
      if (batch >= warmUp) taken.set(key, [...(taken.get(key) ?? []), (performance.now() - started) / perBatch]);
    }
  }
}
const median = (name, kind) => {
  const sorted = taken.get(`${name}/${kind}`).toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
};
const names = Object.keys(cases);
const row = (what, cell) => console.log(`| ${what} | ${["plain", "found"].map(cell).join(" | ")} |`);
console.log(
  `| ${characters.toLocaleString("en-GB")} characters | nothing to find | an address, a phone, a card, a token |\n|---|---|---|`,
);
for (const name of names) row(name, (kind) => `${(median(name, kind) * 1000).toFixed(0)} µs`);
const [whole, ours, redactPii, keys, secretlint] = names;
const ratio = (a, b) => (kind) => `${(median(a, kind) / median(b, kind)).toFixed(2)} ×`;
row("personal data, next to redact-pii", ratio(ours, redactPii));
row("secrets, next to secretlint", ratio(keys, secretlint));
row("all rules, next to both libraries together", (kind) => {
  const both = median(redactPii, kind) + median(secretlint, kind);
  return `${(median(whole, kind) / both).toFixed(2)} ×`;
});
