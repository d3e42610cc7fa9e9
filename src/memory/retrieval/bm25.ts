/**
 * BM25F: BM25 over an entry with several fields, after Robertson & Zaragoza, "The Probabilistic Relevance Framework"
 * (2009), section 3.6. The counts of a word in all fields, each discounted by the field's length and weighed, are
 * added before saturation, so that a word in the raw text and in its summary isn't counted as two findings.
 */
import { type Candidate, FIELDS, type Field, type MemoryStatistics } from "./candidate.js";
import { splitTerms, topicMark } from "./entry-terms.js";
import type { WeightedTerm } from "./query.js";
import { topicsAsked } from "./topics.js";
import type { RankingWeights } from "./weights.js";

/** The part of a candidate that the words of one query touch. */
export interface TermCounts {
  /** Discounted, weighed count per query term, in the order of the terms. */
  counts: readonly number[];
  /** Number of terms of its raw text. */
  length: number;
}

function lengthDiscount(length: number, field: Field, statistics: MemoryStatistics, b: number): number {
  const average = statistics.averageLength[field];
  return average > 0 ? 1 - b + (b * length) / average : 1;
}

/** Where in the list of a query's terms each of them stands, and each mark of a topic that one of them asks for. */
export interface AskedTerms {
  terms: ReadonlyMap<string, number>;
  topics: readonly (readonly [mark: string, index: number])[];
}

/** Prepares a query's terms for counting. */
export function askedTerms(terms: readonly WeightedTerm[]): AskedTerms {
  return {
    terms: new Map(terms.map(({ term }, index) => [term, index])),
    topics: terms.flatMap(({ term }, index) =>
      topicsAsked(term).map((topic): [string, number] => [topicMark(topic), index]),
    ),
  };
}

/** Counts the query's terms in a candidate's fields; a word of the same topic counts as a part of one. */
export function countTerms(
  candidate: Candidate,
  marks: ReadonlySet<string>,
  asked: AskedTerms,
  statistics: MemoryStatistics,
  weights: RankingWeights,
): TermCounts {
  const counts = new Array<number>(asked.terms.size).fill(0);
  let rawLength = 0;
  for (const field of FIELDS) {
    const terms = splitTerms(candidate.terms[field]);
    if (field === "raw") rawLength = terms.length;
    const each = weights.fields[field] / lengthDiscount(terms.length, field, statistics, weights.b);
    for (const term of terms) {
      const index = asked.terms.get(term);
      if (index !== undefined) counts[index] = (counts[index] ?? 0) + each;
    }
  }
  const each = weights.topic / lengthDiscount(rawLength, "raw", statistics, weights.b);
  for (const [mark, index] of asked.topics) if (marks.has(mark)) counts[index] = (counts[index] ?? 0) + each;
  return { counts, length: rawLength };
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
