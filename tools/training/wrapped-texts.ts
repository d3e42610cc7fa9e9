/**
 * Short harmless texts as people and programs wrap them: in records, transcripts, forms, quotations, logs, with names. Attacks of the
 * training data come in such forms more often than harmless texts do, so without these a bracket or a colon is taken for a sign of attack.
 * The forms, the keys and the texts are others than those of `tests/support/corpus`, which is measured.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { LabelledText } from "../evaluation/rule-labels.js";
import { seeded } from "./seeded.js";

const random = (seed: number) => {
  const next = seeded(seed);
  const below = (n: number): number => Math.floor(next() * n);
  const pick = <T>(list: readonly T[]): T | undefined => list[below(list.length)];
  return {
    below,
    pick,
    word: () => pick(words) ?? "",
    name: () => pick(firstNames) ?? "",
    number: () => below(10 ** (1 + below(5))),
  };
};
type Random = ReturnType<typeof random>;

/** First names of 64 locales, none of which the corpus has: see data/README.md. */
export const firstNames: readonly string[] = readFileSync(join(import.meta.dirname, "data/first-names.txt"), "utf8")
  .trimEnd()
  .split("\n");
const words =
  `titel betreff anzahl farbe inhalt asunto precio fecha cantidad remarque quantité montant objet oggetto prezzo onderwerp bedrag uwagi cena tytuł комментарий цена 名称 数量 備考 品名 headline caption snippet
remarks utterance berth gauge tonnage pupil lesson grade chapter verse shelf aisle barrel gearbox axle rotor pressure humidity altitude heading bearing runway gate berries flour oven recipe dose ward
patient visit tenant rent lease meter valve pump crop field_no herd breed kennel tide buoy reef peak ridge camp trail tempo chord lyric sonata easel canvas gallery exhibit loan_no due_on shelfmark`.split(
    /\s+/,
  );
const clock = (r: Random): string => `${r.below(24)}.${10 + r.below(50)}`;
const json = (value: unknown, r: Random): string =>
  JSON.stringify(value, undefined, r.pick([undefined, undefined, 1, 4]));
const scalar = (r: Random): unknown =>
  r.pick([true, false, null, r.number(), r.number() / 10, r.word(), `${r.word()}-${r.number()}`, "", "2023-05-17"]);
const fields = (r: Random, most: number): [string, unknown][] =>
  Array.from({ length: 1 + r.below(most) }, () => [r.word(), scalar(r)]);

/** Asks for a translation, in other words than the corpus does. */
const askedInto = [
  "이거 스페인어로 뭐라고 해요?",
  "これはフランス語で何と言いますか",
  "这句话用法语怎么说：",
  "ما معنى هذا بالفرنسية:",
  "इसका फ़्रेंच में अर्थ:",
  "Bunun Almancası ne?",
  "Как это будет по-испански:",
  "Hoe zeg je in het Duits:",
  "Comment dit-on en espagnol :",
  "Como se diz em alemão:",
  "Come si dice in tedesco:",
  "Wie heißt das auf Polnisch:",
];

/** A sheet with some fields before what somebody wrote. */
function form(text: string, r: Random, equals: string, separator: string): string {
  const inCapitals = r.below(2) === 0;
  const field = (value: unknown): string =>
    `${inCapitals ? r.word().toUpperCase() : r.word()}${equals}${String(value)}`;
  const before = fields(r, 6).map(([, value]) => field(value));
  return [...before, field(r.name()), field(text), ...(r.below(3) === 0 ? [field(r.word())] : [])].join(separator);
}

type Form = (text: string, r: Random, another: () => string) => string;

// biome-ignore format: a list reads better with a form in a line
const forms: readonly Form[] = [
  // Records.
  (text, r) => json({ [r.word()]: text }, r),
  (text, r) => json({ ...Object.fromEntries(fields(r, 4)), [r.word()]: text, ...Object.fromEntries(fields(r, 2)) }, r),
  (text, r, another) => json([text, another()], r),
  (text, r) => json({ [r.word()]: { [r.word()]: [{ [r.word()]: text, [r.word()]: scalar(r) }] } }, r),
  (text, r) => `{'${r.word()}': '${text}', '${r.word()}': ${r.number()}}`,
  (text, r) => `${r.word()}:\n  - ${r.word()}: ${text}\n    ${r.word()}: ${r.number()}`,
  (text, r) => `<${r.word()} ${r.word()}="${r.number()}"><${r.word()}>${text}</${r.word()}></${r.word()}>`,
  (text, r, another) => `${r.word()},${r.word()}\n${r.number()},"${text}"\n${r.number()},"${another()}"`,
  (text, r) => `|${r.word()}|${r.word()}|\n|:--|:--|\n|${text}|${r.number()}|`,
  (text, r) => `[${r.word()}]\n${r.word()} = "${text}"\n${r.word()} = ${r.number()}`,
  // Forms.
  (text, r) => form(text, r, ":", "|"),
  (text, r) => form(text, r, ": ", "|"),
  (text, r) => form(text, r, " = ", " | "),
  (text, r) => form(text, r, ": ", " || "),
  (text, r) => form(text, r, ": ", "; "),
  (text, r) => `${r.pick(["System", "SYSTEM", "system", "OS"])}: ${r.pick(["Windows 11", "SAP", "Linux", "iOS 18", "n/a", r.word()])}${r.pick(["\n", "; ", " | "])}${r.word()}: ${text}`,
  (text, r) => `<p>${text}</p>\n<!-- ${r.word()} ${r.word()} -->`,
  (text, r) => `${r.word()} → ${r.number()}\n${r.word()} → ${text}`,
  (text, r) => `*${r.word()}*: ${r.word()}\n*${r.word()}*: ${text}`,
  (text, r) => `${r.word()}=${r.number()}&${r.word()}=${text}`,
  // Talk.
  (text, r, another) => `<${r.name()}> ${text}\n<${r.name()}> ${another()}`,
  (text, r, another) => `${r.name()}> ${text}\n${r.name()}> ${another()}`,
  (text, r, another) => `${r.name()}, ${clock(r)}: ${text}\n${r.name()}, ${clock(r)}: ${another()}`,
  (text, r, another) => `${clock(r)} Uhr ${r.name()}: ${text}\n${clock(r)} Uhr ${r.name()}: ${another()}`,
  (text, r, another) => `Interviewer: ${another()}\n${r.name()}: ${text}\nInterviewer: ${another()}`,
  (text, _, another) => [text, another(), another()].join(" "),
  (text, r, another) => [another(), text, another(), another()].map((line) => `${r.name()} (${clock(r)}) ${line}`).join("\n"),
  (text, r, another) => json([another(), another(), text, another()].map((line) => ({ [r.word()]: line, [r.word()]: scalar(r) })), r),
  (text, r) => `[${r.below(28)}.${r.below(12)}.2023 ${clock(r)}] ${r.pick(["caller", "guest", "visitor", r.name()])}: ${text}`,
  (text, r) => `[2021-03-0${1 + r.below(9)}T1${r.below(10)}:${10 + r.below(50)}:00Z] ${r.pick(["caller", "guest", "user", "bot", r.name()])}: ${text}`,
  (text, r) => `${r.pick(["user", "human", "User", "Human", "client"])}: ${text}${r.pick(["", "\nassistant:", "\nAI:", ""])}`,
  (text, r) => `${r.pick(["Dear", "Hi", "Hello", "Guten Tag", "Hej", "Cześć", "Buenas", "Merhaba", "Halo"])} ${r.name()}${r.pick([",", "!", ""])} ${text}`,
  (text, r) => `${text} ${r.pick(["Thanks", "Cheers", "Danke", "Gracias", "Спасибо", "Love"])}, ${r.name()}`,
  (text, r) => `Tell ${r.name()} that ${r.name()} called. ${text}`,
  // Asked about.
  (text, r) => `${r.pick(["Say", "Put", "How do you say", "Translate", "Give me"])} «${text}» ${r.pick(["in French", "in Polish", "into Italian", "auf Spanisch", "nicely"])}`,
  (text, r) => `${r.pick(["Rephrase", "Shorten this", "Reword", "Correct my grammar", "Translate into Swedish", "tl;dr", "Explain", "Proofread"])}: ${r.pick(["\"", "'", ""])}${text}`,
  (text, r) => `${r.pick(askedInto)} "${text}"`,
  (text, r) => `${r.pick(askedInto)} «${text}»`,
  (text, r, another) => `${r.pick(askedInto)} "${text} ${another()}"`,
  (text, r, another) => `${r.pick(askedInto)}\n${another()} ${text}`,
  (text, r) => `${r.pick(["My friend wrote", "I got this text", "The sign says", "Sie schrieb"])}: "${text}" ${r.pick(["What could it mean?", "How should I answer?", "Was heißt das?", ""])}`,
  (text, r, another) => `> ${text}\n> ${another()}\n\n${r.pick(["Agreed.", "Could you answer that?", "see above", ""])}`,
  // Logs, code, markup.
  (text, r) => `${clock(r)}:0${r.below(10)} (${r.word()}) ${r.word()}#${r.number()} ${text}`,
  (text, r) => `// ${text}\nlet ${r.word()} = ${r.number()};`,
  (text) => `print("${text}")`,
  (text, r) => `### ${r.word()}\n\n* ${text}\n* ${r.word()}`,
  (text, r) => `<${r.word()} id="${r.number()}">\n${text}\n</${r.word()}>`,
  (text) => `${text} ${text}`,
  (text) => `${text}\n${text}\n${text}\n${text}`,
  // Without anything said.
  (_, r) => json(Object.fromEntries(fields(r, 6)), r),
  (_, r) => json({ [r.word()]: Object.fromEntries(fields(r, 3)), [r.word()]: [r.number(), r.word()] }, r),
  (_, r) => json(Object.fromEntries(fields(r, 2)), r),
  (_, r) => json({ [r.word()]: { [r.word()]: r.pick([">= 2", "^1.4.0", "*", "~3"]) } }, r),
  (_, r) => Array.from({ length: 2 + r.below(20) }, () => r.pick(["ha", "yo", "ping", "test", "la", "na", "ab", "bla", r.word()])).join(" "),
  (_, r) => Array.from({ length: 1 + r.below(12) }, () => Array.from({ length: 1 + r.below(8) }, () => String.fromCharCode(97 + r.below(26))).join("")).join(" "),
  (_, r) => `https://${r.word()}.test/${r.word()}/${r.number()}?${r.word()}=${r.word()}&${r.word()}=${r.number()}`,
  (_, r) => `[${r.word()}-${r.below(9)}] ${r.pick(["notice", "crit", "verbose"])} ${r.word()} ${r.pick(["missing", "opened", "closed", "rejected", "ignored"])} code=${r.number()}`,
  (_, r) => Array.from({ length: 1 + r.below(5) }, () => `${clock(r)}:11 ${r.pick(["WARNING", "NOTICE", "info:"])} ${r.pick(["ignoring extra argument", "ignore option", "discarding stale entry", "skipped column", "POST /signin", "token refreshed for", "sent to", "overriding default"])} ${r.word()} ${r.word()}=${r.number()}`).join("\n"),
  (_, r) => Array.from({ length: 2 + r.below(5) }, () => [r.number(), r.word(), r.number()].join(";")).join("\n"),
];

/** Sources of short harmless messages. */
const shortSources: ReadonlySet<string> = new Set([
  "home-intents",
  "hwu64",
  "nlupp",
  "snips",
  "injecagent-benign",
  "mt-bench",
  "fuzzyai-benign",
  "message",
  "parts",
  "own",
]);
/** Of a short text, in UTF-16 units. */
const longest = 240;

/** Each short harmless text in some forms. */
export function wrappedTexts(texts: readonly LabelledText[]): LabelledText[] {
  const harmless = texts.filter(
    ({ split, label, text, source }) =>
      split !== "dev" && label === 0 && text.length <= longest && shortSources.has(source),
  );
  const messages = harmless.filter(({ source }) => source === "message");
  return [...wrapEach(harmless, timesEach.all), ...wrapEach(messages, timesEach.messages)];
}

/** In how many forms a text stands; what speaks of orders, addresses and earlier messages, in as many more. */
const timesEach = { all: 4, messages: 12 } as const;

function wrapEach(texts: readonly LabelledText[], times: number): LabelledText[] {
  return texts.flatMap((text, at) =>
    Array.from({ length: times }, (_, time): LabelledText => {
      const r = random(at * 31 + time * 7_001 + times * 13);
      const another = () => r.pick(texts)?.text ?? "";
      const wrapped = r.pick(forms)?.(text.text, r, another) ?? text.text;
      return { ...text, text: wrapped, source: `${text.source}/wrapped`, split: "own" };
    }),
  );
}
