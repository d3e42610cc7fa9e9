/**
 * Looks for orders in a text that should only inform: signs of data-signs.ts that stand in one sentence count whole, those that
 * stand in neighbouring sentences half. The time it takes grows with the text's length and with nothing else.
 */
import { type Finding, Scanner } from "../detector.js";
import { bitOf, type DataSign, dataSigns, lookedUpConcepts, signsAmong } from "./data-signs.js";
import { personBehindAssistant } from "./data-terms.js";
import { type FoldedText, foldText } from "./fold.js";
import { KnownSentences } from "./known-sentences.js";
import { sentenceEnd } from "./sentences.js";
import type { Hit, Lexicon } from "./terms.js";

/** Sentences that are read together, and the UTF-16 units that they may have at most. */
const together = { sentences: 3, units: 500 } as const;
/** What a sign counts whose words stand in neighbouring sentences. */
const apart = 0.5;
/** From this sum on a text gives orders. */
export const dataThreshold = 1;
/** Within so many characters the words for setting aside what was said before have to stand. */
const asideWithin = 60;

/** What `called` looks for, at a tenth of its cost: most sentences name no machine. */
const namesMachine = /AI|KI|IA|ИИ|LLM|odel|ssist|gent|bot|GPT|Claude|Gemini|Copilot|ссистент/;
const isCalled = (sentence: string): boolean => namesMachine.test(sentence) && called.test(sentence);

export interface DataLook {
  /** The highest sum of a run of sentences. */
  readonly score: number;
  /** The signs of that run. */
  readonly signs: readonly DataSign[];
  /** The sentences of all runs that reach the threshold, as offsets of the text. */
  readonly places: readonly Finding[];
}

interface Sentence {
  readonly start: number;
  readonly end: number;
  readonly concepts: number;
  readonly signs: readonly number[];
}

const asideBits = { aside: bitOf("aside"), prior: bitOf("prior"), orders: bitOf("orders") };
const asideAll = asideBits.aside | asideBits.prior | asideBits.orders;
const place = /[\w.+-]@[\w-]+\.\w|https?:\/\/|www\.\w/;
/** A machine that is called upon: at the start, of a line, of a quotation, of a cell; a few words before it. `model:` alone is code. */
const called =
  /(?:^|[\n"'>(|;*]|\\n)[ \t]{0,4}(?!(?:model|agent|llm) ?:)(?:(?:[\p{L}.-]{1,20} ){0,5}(?:AI|KI|IA|ИИ|LLM|[Mm]odel|[Aa]ssistants?|[Aa]gent|[Bb]ot|[Cc]hatbot|ChatGPT|GPT|Claude|Gemini|Copilot|(?:KI-|AI-|ИИ-)?[Aa]ssistent(?:en)?|[Aa]sistente|[Aa]ssistente|[Aa]sistan|[Аа]ссистенту?)(?: (?:agents?|assistants?|models?|(?:that|who) [a-z]{2,20} (?:this|it)(?: [a-z]{2,12})?|qui lit ce [a-z]{2,12}))? ?:|(?:[\p{L}.-]{1,20} )?(?:AI|KI|IA|LLM|[Aa]ssistants?|[Cc]hatbot|ChatGPT|Claude|Gemini|Copilot|AI (?:agents?|assistants?)),)(?:\s|$)/u;

/** The concepts of sentences, a bit for each. */
export const dataConcepts = (lexicon: Lexicon): KnownSentences<number> =>
  new KnownSentences((sentence) => conceptsOf(sentence, lexicon));

/**
 * Data as it reads, and not as it is written: `\\n` of JSON is a line's end, `&#73;` a letter. Each character stands where its escape
 * began, and what is left of the escape is filled with characters that folding drops, so that places stay as they are.
 */
function unescaped(text: string): string {
  if (!mayBeEscaped.test(text)) return text;
  return text.replace(
    escapes,
    (whole: string, short?: string, hex?: string, percent?: string, entity?: string, code?: string) => {
      const read = characterOf(short, hex ?? percent, entity, code);
      return read === undefined ? whole : read + dropped.repeat(Math.max(0, whole.length - read.length));
    },
  );
}

const mayBeEscaped = /[\\&%]/;
/** `\\n`, escaped once or several times; `\\u0041`, `\\x41`, `%41`; `&quot;`; `&#65;`, `&#x41;`. */
const escapes =
  /\\{1,8}(?:([nrtbf"'/])|(?:u00|x)([\da-f]{2}))|%([\da-f]{2})|&(?:(amp|lt|gt|quot|apos|nbsp|newline)|#(x[\da-f]{1,5}|\d{1,6}));/gi;
const dropped = "\u0301";
const shortEscapes = new Map([..."nrtbf"].map((letter, at) => [letter, "\n\r\t  "[at]]));
const entities = new Map(
  Object.entries({ amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " ", newline: "\n" }),
);

function characterOf(short?: string, hex?: string, entity?: string, code?: string): string | undefined {
  if (short !== undefined) return shortEscapes.get(short) ?? short;
  if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
  if (entity !== undefined) return entities.get(entity.toLowerCase());
  if (code === undefined) return undefined;
  const point = /^x/i.test(code) ? Number.parseInt(code.slice(1), 16) : Number(code);
  return point > 0x10ffff || (point >= 0xd800 && point < 0xe000) ? undefined : String.fromCodePoint(point);
}

/** Looks at a whole text, normalised as rules read it. */
export function lookForOrders(given: string, sentences: KnownSentences<number>): DataLook {
  const text = unescaped(given);
  const hiddenUntil = hiddenPlaces(text);
  // Who speaks in a talk is named at each line: that calls upon nobody.
  const counted = isTalk(text) ? ~bitOf("called") : -1;
  const run: Sentence[] = [];
  const places: Finding[] = [];
  let best = { score: 0, signs: [] as readonly number[] };
  for (let start = 0; start < text.length; ) {
    const end = sentenceEnd(text, start) ?? text.length;
    const concepts = (sentences.of(text.slice(start, end)) & counted) | (hiddenUntil(start, end) ? bitOf("hidden") : 0);
    run.push({ start, end, concepts, signs: signsAmong(concepts) });
    while (run.length > together.sentences || end - (run[0]?.start ?? end) > Math.max(together.units, end - start))
      run.shift();
    const look = scoreOf(run);
    if (look.score > best.score) best = look;
    if (look.score >= dataThreshold) {
      const first = run.find(({ signs, concepts: own }) => signs.length > 0 || own !== 0)?.start ?? start;
      const last = places.at(-1);
      if (last !== undefined && first <= last.end) last.end = end;
      else places.push({ start: first, end });
    }
    start = end;
  }
  return { score: best.score, signs: best.signs.flatMap((index) => dataSigns[index] ?? []), places };
}

/** Whether a text is a record of a talk: two lines or more, most of them with a speaker before them. */
function isTalk(text: string): boolean {
  let [lines, spoken] = [0, 0];
  for (const line of text.split("\n")) {
    if (line.trim() === "") continue;
    lines += 1;
    if (speaker.test(line)) spoken += 1;
  }
  return spoken >= 2 && spoken * 2 > lines;
}

const speaker = /^\s{0,4}\p{L}[\p{L}\p{M} .'-]{0,30}:(?:\s|$)/u;

function scoreOf(run: readonly Sentence[]): { score: number; signs: readonly number[] } {
  const near = new Set(run.flatMap(({ signs }) => signs));
  const all = signsAmong(run.reduce((concepts, sentence) => concepts | sentence.concepts, 0));
  const score = all.reduce((sum, sign) => sum + (dataSigns[sign]?.weight ?? 0) * (near.has(sign) ? 1 : apart), 0);
  // Sums of tenths: 0.7 + 0.3 has to reach 1.
  return { score: Math.round(score * 100) / 100, signs: all };
}

function conceptsOf(sentence: string, lexicon: Lexicon): number {
  const folded = foldText(sentence);
  const hits = lexicon.find(folded).filter((hit) => !isPerson(hit, folded));
  let concepts = (place.test(sentence) ? bitOf("place") : 0) | (isCalled(sentence) ? bitOf("called") : 0);
  for (const { concept } of hits) {
    const name = lookedUpConcepts[concept];
    if (name !== undefined) concepts |= bitOf(name);
  }
  // "Ignore the page … rules …" says nothing: what is set aside has to stand beside it.
  if ((concepts & asideAll) === asideAll && !setsAside(hits)) concepts &= ~asideBits.prior;
  return concepts;
}

/** A word that ends as a machine's name does, where what follows makes it a person's: "note to the assistant manager". */
function isPerson({ start, end }: Hit, { text }: FoldedText): boolean {
  return (
    assistantAtEnd.test(text.slice(start, end)) &&
    personBehindAssistant.test(text.slice(end, end + longestPersonBehind))
  );
}

const assistantAtEnd = /ass?ist[ae]n\w{0,3}$/;
const longestPersonBehind = 30;

function setsAside(hits: readonly Hit[]): boolean {
  const at = (bit: number): Hit[] => hits.filter(({ concept }) => bitOf(lookedUpConcepts[concept] ?? "hidden") === bit);
  const [aside, prior, orders] = [at(asideBits.aside), at(asideBits.prior), at(asideBits.orders)];
  // Few words of a bounded sentence: their pairs are few, too.
  return aside.some((first) =>
    [prior, orders].every((others) => others.some((other) => Math.abs(other.start - first.start) <= asideWithin)),
  );
}

/** So much of a sentence has to be hidden: `<!-- prettier-ignore -->` is no order. */
const hiddenLeast = 25;
const tagWithAttributes = /<[a-z][\da-z-]{0,19}(\s[^<>]{1,600})>/gi;
const hiding = /display\s?:\s?none|visibility\s?:\s?hidden|font-size\s?:\s?0|opacity\s?:\s?0|\shidden\b/i;

/** Whether a part of the text lies in a comment of markup or in an element that isn't shown. */
function hiddenPlaces(text: string): (start: number, end: number) => boolean {
  if (!text.includes("<")) return () => false;
  const ranges: { start: number; end: number }[] = [];
  for (let from = text.indexOf("<!--"); from >= 0; from = text.indexOf("<!--", ranges.at(-1)?.end ?? 0)) {
    const close = text.indexOf("-->", from + 4);
    ranges.push({ start: from, end: close < 0 ? text.length : close + 3 });
  }
  let close = 0;
  for (const found of text.matchAll(tagWithAttributes)) {
    if (!hiding.test(found[1] ?? "")) continue;
    const from = found.index + found[0].length;
    // Looked for once, however many elements it is the next one for.
    if (close < from) close = text.indexOf("</", from);
    ranges.push({ start: from, end: close < 0 ? text.length : close });
    if (close < 0) break;
  }
  ranges.sort((a, b) => a.start - b.start);
  let next = 0;
  return (start, end) => {
    while ((ranges[next]?.end ?? Number.POSITIVE_INFINITY) <= start) next += 1;
    const range = ranges[next];
    return range !== undefined && Math.min(end, range.end) - Math.max(start, range.start) >= hiddenLeast;
  };
}

/** Reads the whole of a text before it says anything: what a text is for shows at its end. A stream is held until then. */
export class DataOrdersScanner extends Scanner {
  private text = "";
  private isOver = false;

  constructor(private readonly sentences: KnownSentences<number>) {
    super();
  }

  get hold(): number {
    return this.isOver ? this.text.length : 0;
  }

  feed(chunk: string): void {
    this.text += chunk;
  }

  finish(): void {
    this.isOver = true;
    this.found = [...lookForOrders(this.text, this.sentences).places];
  }
}
