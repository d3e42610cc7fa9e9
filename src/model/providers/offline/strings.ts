/** Texts for a schema: taken from the conversation by the property's name, then made to fit format, pattern and length. */

import { RE2JS } from "re2js";
import { trimEndOf } from "../../../text/edges.js";
import { answer, keywords, summary } from "./answer.js";
import type { Conversation } from "./conversation.js";
import { numberOf, type Schema, textOf } from "./schema-reading.js";
import { contentWords, identifierWords, sentences, shorten, stem } from "./words.js";

/** What the texts are for: the arguments of a tool, or the answer itself. */
export type Purpose = "arguments" | "output";

const longestText = 2_000;
const longestPadding = 100_000;
/** Formats, patterns and codes are looked for in so much of the conversation. */
const searchedCharacters = 20_000;
const mostKeywords = 50;

/** Finds texts in a conversation by the name of the property that wants them. */
export class TextFinder {
  /** Where formats, patterns, and codes are looked for. */
  readonly searched: string;
  /** How many values there were to choose from when nothing spoke for any of them; 0 while that didn't happen. */
  guessedAmong = 0;
  private readonly found = new Map<string, readonly string[]>();

  constructor(
    readonly conversation: Conversation,
    readonly purpose: Purpose,
  ) {
    this.searched = `${conversation.question.slice(0, searchedCharacters)}\n${conversation.material.slice(0, searchedCharacters)}`;
  }

  /** Different texts for a property, the best first; at least one. */
  textsFor(name: string, description: string): readonly string[] {
    const key = JSON.stringify([name, description]);
    const texts = this.found.get(key) ?? this.search(name, description);
    this.found.set(key, texts);
    return texts;
  }

  private search(name: string, description: string): readonly string[] {
    for (const words of [identifierWords(name), description]) {
      const rule = sourceRules.find(([pattern]) => pattern.test(words.toLowerCase()))?.[1];
      const texts = (rule?.(this) ?? []).filter((text) => text.trim() !== "");
      if (texts.length > 0) return [...new Set(texts)];
    }
    const texts = quoted(this.searched);
    return texts.length > 0 ? [...new Set(texts)] : [main(this)];
  }
}

/** The first rule that a property's name, or else its description, falls under says where its texts come from. */
const sourceRules: readonly (readonly [RegExp, (finder: TextFinder) => readonly string[]])[] = [
  [/\b(reason|reasons|reasoning|rationale|justification|explanation|why)\b/, (finder) => [reasoning(finder)]],
  [/\b(summary|abstract|gist|recap|synopsis)\b/, ({ conversation }) => [summary(conversation.material)]],
  [/\b(title|headline|heading|topic|subject)\b/, ({ conversation }) => titles(conversation.material)],
  [/\b(tags?|keywords?|labels?)\b/, ({ conversation }) => keywords(conversation.material, mostKeywords)],
  [/\b(id|ids|number|code|sku|ticket|ref)\b/, ({ searched }) => tokens(searched).filter((token) => /\d/.test(token))],
  [
    /\b(query|question|search|prompt|task|instructions?|request|brief|goal)\b/,
    (finder) => [requestText(finder.conversation)],
  ],
  [/\b(text|content|message|body|input)\b/, (finder) => [main(finder)]],
  [
    /\b(answer|response|reply|position|opinion|argument|conclusion|synthesis|statement|claim|view|recommendation|verdict)\b/,
    ({ conversation }) => [answerText(conversation)],
  ],
  [
    /\b(city|town|country|location|place|address|destination|origin|region|name|person|customer|company|product)\b/,
    names,
  ],
];

/** What a text in a format looks like. */
const formats: ReadonlyMap<string, RegExp> = new Map([
  ["date", /\b\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])\b/g],
  ["date-time", /\b\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,3})?Z/g],
  ["email", /(?<![A-Za-z0-9+_.-])[A-Za-z0-9][A-Za-z0-9+_.-]{0,60}@[A-Za-z0-9-]{1,60}(?:\.[A-Za-z]{2,20}){1,3}\b/g],
  ["uri", /\bhttps?:\/\/[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*(?:\/[A-Za-z0-9_~/-]*)?/g],
]);

/**
 * A text for the property `name`; `ordinal` asks for a different one for each element of a list. Where the conversation has none in
 * the format or of the pattern that is asked for, none is invented: then it is some text, and its check says what is wrong.
 */
export function fillString(schema: Schema, name: string, finder: TextFinder, ordinal: number): string {
  const texts = finder.textsFor(name, textOf(schema, "description") ?? "");
  const given = texts[ordinal] ?? texts[0] ?? "";
  // Numbered only where there is nothing else to tell the elements of a list apart.
  const suffix = ordinal < texts.length || ordinal === 0 ? "" : ` (${ordinal + 1})`;
  const fitted = fitLength(given, schema, suffix);
  const format = formats.get(textOf(schema, "format") ?? "");
  const pattern = textOf(schema, "pattern");
  const candidates =
    format !== undefined
      ? (finder.searched.match(format) ?? [])
      : pattern !== undefined
        ? [fitted, given, ...tokens(finder.searched)].filter(patternCheck(pattern))
        : [];
  return candidates.filter((text) => hasLength(text, schema))[ordinal] ?? fitted;
}

/** In linear time, since patterns come from tenants; what can't be checked so matches nothing. */
function patternCheck(pattern: string): (text: string) => boolean {
  try {
    const compiled = RE2JS.compile(RE2JS.translateRegExp(pattern));
    return (text) => compiled.matcher(text).find();
  } catch {
    return () => false;
  }
}

function main({ conversation, purpose }: TextFinder): string {
  return purpose === "output" ? answerText(conversation) : requestText(conversation);
}

function requestText({ question, material }: Conversation): string {
  return (question || material).slice(0, longestText).toWellFormed();
}

function answerText(conversation: Conversation): string {
  return conversation.question === "" && conversation.results.length === 0
    ? summary(conversation.material)
    : answer(conversation);
}

function reasoning({ guessedAmong, conversation: { question, material } }: TextFinder): string {
  if (guessedAmong > 0) return "The offline model goes by shared words only; there are none, and this is a guess.";
  const topic = contentWords(question || material)
    .slice(0, 5)
    .join(", ");
  return `The offline model goes by shared words only${topic === "" ? "" : `; here: ${topic}`}.`;
}

function titles(text: string): string[] {
  return sentences(text)
    .slice(0, mostKeywords)
    .map((sentence) => shorten(sentence, 80));
}

function quoted(text: string): string[] {
  return [...text.matchAll(/"([^"\n]{1,200})"|“([^“”\n]{1,200})”|«([^«»\n]{1,200})»/g)]
    .map(([, straight, curly, angled]) => straight ?? curly ?? angled ?? "")
    .filter((passage) => passage.trim() !== "");
}

function tokens(text: string): string[] {
  const found = text.match(/[\p{L}\p{N}][\p{L}\p{N}_./@-]*/gu) ?? [];
  return [...new Set(found.map((token) => trimEndOf(token, /[./@_-]/)))];
}

/** Proper names: quoted ones, then capitalised words, those after "in", "to", "for" … before those that begin a sentence. */
function names({ searched }: TextFinder): string[] {
  const runs = [...searched.matchAll(/(?:\p{Lu}[\p{L}\p{N}'’-]*)(?: \p{Lu}[\p{L}\p{N}'’-]*)*/gu)].map((match) => {
    const before = searched.slice(Math.max(0, match.index - 12), match.index);
    const follows = /\b(?:in|at|to|from|for|near|of|called|named)\s+$/i.test(before);
    return { name: match[0], rank: follows ? 0 : /(?:^|[.!?\n])\s{0,12}$/.test(before) ? 2 : 1 };
  });
  // A sentence's first word is a name only if it is no ordinary word.
  const named = runs.filter(({ name, rank }) => rank < 2 || contentWords(name).length > 0);
  const ranked = [0, 1, 2].flatMap((rank) => named.filter((run) => run.rank === rank));
  return [...quoted(searched), ...ranked.map((run) => run.name)];
}

function hasLength(text: string, schema: Schema): boolean {
  const length = [...text].length;
  return length >= (numberOf(schema, "minLength") ?? 0) && length <= (numberOf(schema, "maxLength") ?? length);
}

/** Cuts or pads, and appends the suffix. Lengths count code points, as JSON Schema has it. */
export function fitLength(text: string, schema: Schema, suffix = ""): string {
  const most = numberOf(schema, "maxLength") ?? Number.POSITIVE_INFINITY;
  const least = Math.min(numberOf(schema, "minLength") ?? 0, longestPadding);
  const room = Math.max(0, most - suffix.length);
  const characters = [...text.toWellFormed()];
  const cut = characters.length > room ? characters.slice(0, room).join("").trimEnd() : characters.join("");
  const whole = [...`${cut}${suffix}`].slice(0, most).join("");
  const missing = least - [...whole].length;
  return missing > 0 ? whole + ".".repeat(missing) : whole;
}

/** Whether a text is about what a property is called, and doesn't deny it. */
export function affirms(text: string, name: string): boolean {
  const nameStems = contentWords(identifierWords(name)).map(stem);
  return (
    nameStems.length > 0 &&
    sentences(text).some((sentence) => {
      const found = new Set(contentWords(sentence).map(stem));
      return (
        nameStems.every((word) => found.has(word)) && !/\b(?:no|not|never|without|don|doesn|isn)\b/i.test(sentence)
      );
    })
  );
}
