/**
 * BM25F: BM25 over an entry with several fields, after Robertson & Zaragoza, "The Probabilistic Relevance Framework"
 * (2009), section 3.6. The counts of a word in all fields, each discounted by the field's length and weighed, are
 * added before saturation, so that a word in the raw text and in its summary isn't counted as two findings.
 */
import type { Candidate, MemoryStatistics } from "./candidate.js";
import { splitTerms, topicMark } from "./entry-terms.js";
import type { WeightedTerm } from "./query.js";
import { topicsOfQuery } from "./topics.js";
import type { RankingWeights } from "./weights.js";

/** The part of a candidate that the words of one query touch. */
export interface TermCounts {
  /** Discounted, weighed count per query term, in the order of the terms. */
  readonly counts: readonly number[];
}

/** What the length of a raw text is held against. */
export interface LengthNorm {
  /** Mean length of the entries that stand alone among the candidates, in terms; undefined for a line of a conversation. */
  readonly averageAlone: number | undefined;
}

function lengthDiscount(length: number, average: number, b: number): number {
  return average > 0 ? 1 - b + (b * length) / average : 1;
}

/** Where in the list of a query's terms each of them stands, and each mark of a topic that one of them asks for. */
export interface QueryTermIndex {
  readonly terms: ReadonlyMap<string, { readonly index: number; readonly share: number }>;
  /** What each of the query's terms is worth. */
  readonly worth: readonly number[];
  readonly topics: readonly (readonly [mark: string, index: number])[];
}

/** Prepares a query's terms for counting. */
export function indexQueryTerms(terms: readonly WeightedTerm[]): QueryTermIndex {
  return {
    terms: new Map([
      ...terms.flatMap(({ forms }, index) => forms.map(({ term, share }) => [term, { index, share }] as const)),
      ...terms.map(({ term }, index) => [term, { index, share: 1 }] as const),
    ]),
    worth: terms.map(({ weight }) => weight),
    topics: terms.flatMap(({ term }, index) =>
      topicsOfQuery(term).map((topic): [string, number] => [topicMark(topic), index]),
    ),
  };
}

/**
 * Counts the query's terms in a candidate's fields; a word of the same topic counts as a part of one. Of a long text, the passage
 * that holds most of them counts, and a share of the rest: what is asked for stands in one place of it, whatever else it says. An entry
 * that stands alone counts as a whole too, by its whole length: of two documents with the words asked for, the shorter one is about them.
 */
export function countTerms(
  candidate: Candidate,
  marks: ReadonlySet<string>,
  query: QueryTermIndex,
  statistics: MemoryStatistics,
  weights: RankingWeights,
  { averageAlone }: LengthNorm,
): TermCounts {
  const counts = new Array<number>(query.worth.length).fill(0);
  const averageRaw = Math.min(statistics.averageLength.raw, passageTerms);
  const { length } = candidate;
  const { raw, summary, tags } = candidate.terms;
  const passages = rawCounts(raw, query);
  const ofPassage = 1 / lengthDiscount(Math.min(length, passageTerms), averageRaw, weights.b);
  const beyondPassage = (terms: number): number => Math.max(terms, passageTerms);
  const ofWhole =
    averageAlone === undefined
      ? ofPassage
      : ofPassage / lengthDiscount(beyondPassage(length), beyondPassage(averageAlone), weights.alone.b);
  const passageShare = averageAlone === undefined ? 1 : passages.length > 1 ? weights.alone.passage : 0;
  const best = bestPassage(passages, query.worth);
  for (const [index, count] of best.entries()) {
    const all = passages.reduce((sum, passage) => sum + (passage[index] ?? 0), 0) / overlapOf(passages);
    const whole = Math.max(count, all);
    const inPassage = ofPassage * (count + weights.otherPassages * (whole - count));
    counts[index] = weights.fields.raw * (passageShare * inPassage + (1 - passageShare) * ofWhole * whole);
  }
  for (const [field, stored] of [
    ["summary", summary],
    ["tags", tags],
  ] as const) {
    const terms = splitTerms(stored);
    const each = weights.fields[field] / lengthDiscount(terms.length, statistics.averageLength[field], weights.b);
    for (const term of terms) {
      const found = query.terms.get(term);
      if (found !== undefined) counts[found.index] = (counts[found.index] ?? 0) + each * found.share;
    }
  }
  const each = weights.topic * ofWhole;
  for (const [mark, index] of query.topics) if (marks.has(mark)) counts[index] = (counts[index] ?? 0) + each;
  return { counts };
}

/** Terms of a passage: a few sentences. Texts up to twice as long are one. */
const passageTerms = 60;
/** Stored characters of a passage. Each begins in the middle of the one before, so that nothing is torn apart. */
const passageCharacters = 7 * passageTerms;

/** How often each asked term stands in each passage of a raw text. */
function rawCounts(raw: string, query: QueryTermIndex): number[][] {
  const empty = (): number[] => new Array<number>(query.worth.length).fill(0);
  if (raw.length <= 2 * passageCharacters) {
    const counts = empty();
    for (const term of splitTerms(raw)) {
      const found = query.terms.get(term);
      if (found !== undefined) counts[found.index] = (counts[found.index] ?? 0) + found.share;
    }
    return [counts];
  }
  // Looked for, and not cut into terms: that would cost more than all the rest of a search.
  const text = ` ${raw} `;
  const step = passageCharacters / 2;
  const passages = Array.from({ length: Math.max(1, Math.ceil(text.length / step) - 1) }, empty);
  for (const [term, { index, share }] of query.terms) {
    const sought = ` ${term} `;
    for (let at = text.indexOf(sought); at >= 0; at = text.indexOf(sought, at + sought.length - 1)) {
      const half = Math.floor(at / step);
      for (const passage of [passages[half - 1], passages[half]]) {
        if (passage !== undefined) passage[index] = (passage[index] ?? 0) + share;
      }
    }
  }
  return passages;
}

/** Long texts count each term in two passages. */
function overlapOf(passages: readonly unknown[]): number {
  return passages.length > 1 ? 2 : 1;
}

/** The passage that holds the most of what is asked for, rare terms before frequent ones. */
function bestPassage(passages: readonly number[][], worth: readonly number[]): readonly number[] {
  let best: readonly number[] = worth.map(() => 0);
  let bestScore = 0;
  for (const passage of passages) {
    const score = passage.reduce((sum, count, index) => sum + ((worth[index] ?? 0) * count) / (count + 1), 0);
    if (score > bestScore) [best, bestScore] = [passage, score];
  }
  return best;
}

/** What a discounted count of a term is worth, before its weight: 0 for none, 1 for one in an average text, below k1 + 1. */
function saturate(count: number, k1: number): number {
  return count <= 0 ? 0 : (count * (k1 + 1)) / (count + k1);
}

/** The scores of each term, scaled so that all terms once come to 1. */
export function termScores(
  terms: readonly WeightedTerm[],
  counts: readonly number[],
  total: number,
  k1: number,
): number[] {
  return terms.map(({ weight }, index) => (total > 0 ? (weight * saturate(counts[index] ?? 0, k1)) / total : 0));
}
