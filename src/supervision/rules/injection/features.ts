/**
 * What the injection scorer sees of a sentence: signs and concepts, which are the same in every language, the form, the marks of
 * structure, and the folded text that n-grams are taken from. The trainer and the guard use these same functions.
 */

import { withoutFence } from "../fence.js";
import { orderFeatures } from "./concept-order.js";
import type { FoldedText } from "./fold.js";
import { foldText } from "./fold.js";
import { allForms, binaryForm, formsOf, isRepeated } from "./forms.js";
import { countMarks, shareOfDifferent } from "./marks.js";
import { allSigns } from "./signs.js";
import { allConcepts, type Concept, type Hit, type Lexicon } from "./terms.js";
import { withoutTopics } from "./topics.js";

/** One sentence as the scorer sees it. */
export interface SentenceFeatures {
  /** UTF-16 units. */
  readonly length: number;
  /** A bit for each of {@link allConcepts}. */
  readonly concepts: number;
  /** Indices in {@link allSigns}. */
  readonly signs: readonly number[];
  /** It holds a sign that says something by itself, or text that is hidden: without one wording alone raises a score. */
  readonly hasSign: boolean;
  /** From the first character of a sign to the last, as offsets in the sentence. */
  readonly span: { readonly start: number; readonly end: number } | undefined;
  /** Which concepts stand in it together: places among the pairs of {@link allConcepts}. */
  readonly together: readonly number[];
  /** In which order they stand: see {@link orderFeatures}. */
  readonly order: readonly number[];
  /** How often marks of structure stand in it. */
  readonly marks: Uint8Array;
  /** The share of its runs of characters that are different: little of a sentence that repeats itself. */
  readonly different: number;
  /** A bit for each of {@link allForms}. */
  readonly forms: number;
  readonly folded: FoldedText;
}

interface SignPattern {
  readonly mask: number;
  readonly concepts: readonly number[];
  readonly within: number;
}
const signPatterns: readonly SignPattern[] = allSigns.map(({ of, within }) => {
  const concepts = of.map((concept) => allConcepts.indexOf(concept));
  return { concepts, within, mask: concepts.reduce((mask, concept) => mask | (1 << concept), 0) };
});

/**
 * Concepts whose words are in every other text. What is held back of a stream, and what is redacted, begins with a word of
 * another concept, or with the last word of the sign where there is none.
 */
const commonConcepts: readonly Concept[] = [
  ...(["secret", "request", "reveal", "orders", "prior", "obey", "machine"] as const),
  ...(["material", "begin", "disguise", "fiction", "pressure", "send"] as const),
  ...(["authority", "youAre", "harm", "personal", "newTask", "mine"] as const),
];
const commonMask = maskOf(commonConcepts);
const isCue = ({ concept }: Hit): boolean => (commonMask & (1 << concept)) === 0;

/** Looks at one sentence. */
export function analyseSentence(given: string, lexicon: Lexicon): SentenceFeatures {
  const sentence = withoutFence(given);
  const folded = foldText(sentence);
  const hits = withoutTopics(wordsOf(lexicon.find(folded), folded), folded);
  let concepts = 0;
  for (const { concept } of hits) concepts |= 1 << concept;
  if ((concepts & mineBit) !== 0 && !ownsSomething(hits)) concepts &= ~mineBit;
  const signs: number[] = [];
  let [start, end] = [Number.POSITIVE_INFINITY, 0];
  if (concepts !== 0) {
    for (let index = 0; index < signPatterns.length; index++) {
      const pattern = signPatterns[index];
      if (pattern === undefined || (pattern.mask & concepts) !== pattern.mask) continue;
      const span = spanOf(pattern, hits);
      if (span === undefined) continue;
      signs.push(index);
      start = Math.min(start, span.cue);
      end = Math.max(end, span.end);
    }
  }
  const { offsets } = folded;
  const span =
    signs.length === 0 ? undefined : { start: offsets?.[start] ?? start, end: (offsets?.[end - 1] ?? end - 1) + 1 };
  const forms = formsOf(sentence, folded);
  const hasSign = (forms & hiddenMask) !== 0 || signs.some((sign) => (allSigns[sign]?.weight ?? 0) >= leastSign);
  return {
    length: sentence.length,
    concepts,
    signs,
    span,
    folded,
    hasSign,
    together: pairsOf(concepts),
    order: orderFeatures(hits),
    forms,
    marks: countMarks(sentence),
    different: shareOfDifferent(folded.text),
  };
}

const hiddenMask = 1 << allForms.indexOf("hidden");
/** From this weight on a sign is one by itself: whoever asks for a translation, or speaks of rules, has given none. */
const leastSign = 0.3;

/** The words of the lexicon that are said, without those that only name a field: `"mode":`, `login_email`. */
function wordsOf(hits: Hit[], { text }: FoldedText): Hit[] {
  return hits.every((hit) => !namesField(hit, text)) ? hits : hits.filter((hit) => !namesField(hit, text));
}

function namesField({ start, end }: Hit, text: string): boolean {
  const [before, behind] = [text.charCodeAt(start - 1), text.charCodeAt(end)];
  if (before !== underscore && behind !== underscore && !isQuote(before) && !isIdentifier(behind) && !isQuote(behind))
    return false;
  let [from, to] = [start, end];
  while (from > 0 && start - from < longestField && isIdentifier(text.charCodeAt(from - 1))) from -= 1;
  while (to < text.length && to - end < longestField && isIdentifier(text.charCodeAt(to))) to += 1;
  const name = text.slice(from, to);
  if (!plainWord.test(text.slice(start, end))) return false;
  const isKey = isQuote(text.charCodeAt(from - 1)) && keyEnd.test(text.slice(to, to + 4));
  // `ignore_all_previous_instructions` is a sentence.
  return isKey || (name.length > end - start && name.includes("_") && name.split("_").length <= longestCompound);
}

const plainWord = /^[a-z]+$/;
const keyEnd = /^["'] ?:/;
const longestField = 40;
const longestCompound = 3;
const underscore = 95;
const isQuote = (unit: number): boolean => unit === 34 || unit === 39;
const isIdentifier = (unit: number): boolean =>
  unit === underscore || unit === 45 || (unit >= 97 && unit <= 122) || (unit >= 48 && unit <= 57);

export const conceptPairCount = (allConcepts.length * (allConcepts.length - 1)) / 2;

/** The places of all pairs of concepts that are there. */
function pairsOf(concepts: number): number[] {
  const pairs: number[] = [];
  for (let high = 1; high < allConcepts.length; high++) {
    if ((concepts & (1 << high)) === 0) continue;
    for (let low = 0; low < high; low++) if (concepts & (1 << low)) pairs.push((high * (high - 1)) / 2 + low);
  }
  return pairs;
}

const mineIndex = allConcepts.indexOf("mine");
const mineBit = 1 << mineIndex;
/** A bit for each of some concepts. */
export function maskOf(concepts: readonly Concept[]): number {
  return concepts.reduce((mask, concept) => mask | (1 << allConcepts.indexOf(concept)), 0);
}
/** What counts as one's own, and so many characters at most from the word that says so: "my old password", not "my boss wants it". */
const ownedMask = maskOf(["secret", "share", "personal", "prompt"]);
const ownedWithin = 16;

function ownsSomething(hits: readonly Hit[]): boolean {
  return hits.some(
    (mine) =>
      mine.concept === mineIndex &&
      hits.some(
        ({ concept, start, end }) =>
          (ownedMask & (1 << concept)) !== 0 && start - mine.end <= ownedWithin && mine.start - end <= ownedWithin,
      ),
  );
}

interface Span {
  readonly start: number;
  readonly end: number;
  /** Where its first cue begins. */
  readonly cue: number;
  readonly last: number;
}

/** The first place of an unfinished sentence at which a sign may be under way; undefined if there is none. */
export function firstCue(sentence: string, lexicon: Lexicon): number | undefined {
  const folded = foldText(sentence);
  const hits = lexicon.find(folded);
  let first = lexicon.unfinished(folded);
  let before = 0;
  for (const hit of hits) {
    const bit = 1 << hit.concept;
    before |= bit;
    const endsSign = commonSigns.some((mask) => (mask & bit) !== 0 && (mask & before) === mask);
    if (isCue(hit) || endsSign) first = Math.min(first ?? hit.start, hit.start);
  }
  const place = first === undefined ? undefined : (folded.offsets?.[first] ?? first);
  if (sentence.length < shortestForm || !isCueForm(sentence, folded)) return place;
  return Math.min(place ?? sentence.length, sentence.length - 1);
}

/** Forms that are a sign by themselves. */
const cueForms = ["repeated", "spaced", "mixed", "binary"] as const;
const cueMask = cueForms.reduce((mask, form) => mask | (1 << allForms.indexOf(form)), 0);
/** The shortest sentence that has one of these forms. */
const shortestForm = 9;
const isCueForm = (sentence: string, { text, isMixed, wasSpaced }: FoldedText): boolean =>
  isMixed || wasSpaced || isRepeated(text) || binaryForm.test(sentence);
export const hasCueForm = (forms: number): boolean => (forms & cueMask) !== 0;

/** The concepts of signs that have no cue. */
const commonSigns = signPatterns.flatMap(({ mask }) => ((mask & commonMask) === mask ? [mask] : []));

/** Where the concepts of a sign stand together: around each place of the first, the nearest of the others. */
function spanOf({ concepts: [first, ...others], within }: SignPattern, hits: readonly Hit[]) {
  for (const hit of hits) {
    if (hit.concept !== first) continue;
    let span: Span | undefined = spanWith(hit);
    for (const [place, other] of others.entries()) {
      span = span === undefined ? undefined : widened(span, other, within, hits, place > 0);
    }
    if (span !== undefined) return { cue: Math.min(span.cue, span.last), end: span.end };
  }
  return undefined;
}

function spanWith(hit: Hit, span?: Span): Span {
  const cue = isCue(hit) ? hit.start : Number.POSITIVE_INFINITY;
  if (span === undefined) return { start: hit.start, end: hit.end, cue, last: hit.start };
  return {
    start: Math.min(span.start, hit.start),
    end: Math.max(span.end, hit.end),
    cue: Math.min(span.cue, cue),
    last: Math.max(span.last, hit.start),
  };
}

const isInside = (hit: Hit, span: Span): boolean => hit.start >= span.start && hit.end <= span.end;

function widened(span: Span, concept: number, within: number, hits: readonly Hit[], isThird: boolean) {
  let best: Span | undefined;
  let nearest = within + 1;
  for (const hit of hits) {
    if (hit.concept !== concept) continue;
    const gap =
      isThird && isInside(hit, span) ? 0 : hit.start >= span.end ? hit.start - span.end : span.start - hit.end;
    // A word that is part of another says nothing new.
    if (gap < 0 || gap >= nearest) continue;
    nearest = gap;
    best = spanWith(hit, span);
  }
  return best;
}
