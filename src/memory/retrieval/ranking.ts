/**
 * Ranking: candidates → hits with scores that explain themselves. Pure arithmetic over the candidates and the
 * statistics of their memory; every contribution is named in `why`, and they add up to the score.
 */
import { countTerms, indexQueryTerms, type TermCounts, termScores } from "./bm25.js";
import type { Candidate, MemoryStatistics } from "./candidate.js";
import { ConversationLines, isAssistant } from "./conversation-lines.js";
import { dateMatch, rangesOfQuery } from "./date-match.js";
import { questionMark, speakerMark, splitTerms, timedMark, topicMark } from "./entry-terms.js";
import { withoutDuplicates } from "./near-duplicates.js";
import { type ParsedQuery, type WeightedTerm, weighTerms } from "./query.js";
import { topicsOfQuery } from "./topics.js";
import { defaultWeights, type RankingWeights } from "./weights.js";

/** Why an entry is a hit. All numbers but `total` are contributions to the score; `total` is their sum. */
export interface Why {
  /** Words of the query that the entry itself holds, or speaks of by words of the same topic, with what each contributes. */
  readonly terms: { term: string; word: string; weight: number; topics?: string[] }[];
  /** Words in the entries around it, and how well these match themselves. */
  neighbours: number;
  /** How well the best entries of its session match. */
  readonly session: number;
  /** Said by someone the query names, or by the user where the query is about the user. */
  readonly speaker: number;
  /** Happened when the query says, or names a time where the query asks for one. */
  readonly date: number;
  /** Likeness of meaning, where vectors are configured. */
  readonly vector: number;
  /** Taken off questions and very short texts: they tell less. Never positive. */
  readonly form: number;
  total: number;
}

/** A hit. */
export interface Ranked {
  readonly entryId: string;
  score: number;
  readonly why: Why;
  /** Entries that say the same in (almost) the same words and are left out for this one, in the order of rank. */
  readonly duplicates: string[];
}

/** What may be set for a ranking. */
export interface RankOptions {
  readonly weights?: RankingWeights;
  /** Most hits returned. */
  readonly limit?: number;
  /** Likeness of an entry's vector to the query's (any scale, greater is nearer), by entry id. */
  readonly similarities?: ReadonlyMap<string, number>;
  /** Entries that may be hits; the others only count as neighbours. All, if left out. */
  readonly accepts?: (candidate: Candidate) => boolean;
}

/** A candidate with all that is computed once for it. */
interface Scored extends TermCounts {
  readonly candidate: Candidate;
  readonly marks: ReadonlySet<string>;
  /** It is a line of a conversation, and doesn't stand alone. */
  readonly isLine: boolean;
  readonly ownTerms: readonly number[];
  readonly ownScore: number;
  /** What its form takes off; never positive. */
  readonly form: number;
}

/** What is the same for all candidates of one ranking. */
interface Context {
  readonly terms: readonly WeightedTerm[];
  total: number;
  readonly weights: RankingWeights;
  readonly lines: ConversationLines;
  readonly scored: ReadonlyMap<string, Scored>;
  readonly sessions: ReadonlyMap<string, number>;
}

/** Best entries of a session that make its score. */
const sessionBest = 3;

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** Scores each candidate's own text and form. */
function scoreCandidates(
  query: ParsedQuery,
  candidates: readonly Candidate[],
  { terms, total, weights, lines }: Pick<Context, "terms" | "total" | "weights" | "lines">,
  statistics: MemoryStatistics,
): Scored[] {
  const queryTerms = indexQueryTerms(terms);
  const alone = candidates.filter((candidate) => !lines.isLine(candidate));
  // Beside lines, which are short, the memory's own mean says nothing of documents.
  const averageAlone =
    alone.length === candidates.length
      ? statistics.averageLength.raw
      : sum(alone.map(({ length }) => length)) / Math.max(1, alone.length);
  return candidates.map((candidate) => {
    const marks = new Set(splitTerms(candidate.terms.marks));
    const isLine = lines.isLine(candidate);
    const norm = { averageAlone: isLine ? undefined : averageAlone };
    const counted = countTerms(candidate, marks, queryTerms, statistics, weights, norm);
    const ownTerms = termScores(terms, counted.counts, total, weights.k1);
    const form = formScore(candidate, marks, isLine, query, statistics, weights);
    return { candidate, marks, isLine, ...counted, ownTerms, ownScore: sum(ownTerms), form };
  });
}

function sessionScores(scored: readonly Scored[]): Map<string, number> {
  const bySession = new Map<string, number[]>();
  for (const { candidate, ownScore: own, isLine } of scored) {
    if (!isLine) continue;
    const scores = bySession.get(candidate.sessionKey);
    if (scores === undefined) bySession.set(candidate.sessionKey, [own]);
    else scores.push(own);
  }
  const meanOfBest = (scores: number[]): number =>
    sum(scores.sort((a, b) => b - a).slice(0, sessionBest)) / sessionBest;
  return new Map([...bySession].map(([key, scores]) => [key, meanOfBest(scores)]));
}

/**
 * What a word in the text just before is worth: between people, a question says what its answer is about, and a statement less.
 * What an assistant ends with is often a question only in form.
 */
function weightBefore(entry: Scored, before: Scored, each: number, { before: between }: RankingWeights): number {
  if (isAssistant(entry.candidate) || isAssistant(before.candidate)) return each;
  return before.marks.has(questionMark) ? between.question : between.statement;
}

/**
 * What the entries around it add: their words at a low weight, as if they were its own, and a share of their scores. None passes on
 * more than it scores itself after its form: what repeats a question, or asks it back, tells its neighbours no more than it tells.
 */
function neighbourScore(entry: Scored, { terms, total, weights, lines, scored }: Context): number {
  const counts = [...entry.counts];
  let score = entry.ownScore;
  let added = 0;
  for (const { offset, text, score: share } of weights.neighbours) {
    const place = lines.neighbour(entry.candidate, offset);
    const other = place === undefined ? undefined : scored.get(place.entryId);
    if (other === undefined || other.ownScore === 0) continue;
    const weight = offset === -1 ? weightBefore(entry, other, text, weights) : text;
    other.counts.forEach((count, index) => {
      counts[index] = (counts[index] ?? 0) + weight * count;
    });
    const withOther = sum(termScores(terms, counts, total, weights.k1));
    const most = Math.max(0, other.ownScore + other.form);
    added += Math.min(most, withOther - score + share * most);
    score = withOther;
  }
  return added;
}

function speakerScore(entry: Scored, query: ParsedQuery, context: Context): number {
  const { weights } = context;
  const named = context.terms.filter(({ isSpeaker }) => isSpeaker);
  const matched = named.filter(({ term }) => entry.marks.has(speakerMark(term)));
  if (named.length > 0) return (weights.speaker * matched.length) / named.length;
  return query.firstPerson && entry.candidate.role === "user" ? weights.firstPerson : 0;
}

function formScore(
  candidate: Candidate,
  marks: ReadonlySet<string>,
  isLine: boolean,
  query: ParsedQuery,
  statistics: MemoryStatistics,
  weights: RankingWeights,
): number {
  const average = Math.min(statistics.averageLength.raw, fullLength);
  const missing = average > 0 && isLine ? Math.max(0, 1 - candidate.length / average) : 0;
  const repeats = isAssistant(candidate) && !query.asksAssistant;
  return (
    0 - weights.brevity * missing - (marks.has(questionMark) ? weights.question : 0) - (repeats ? weights.assistant : 0)
  );
}

/** Terms from which on no turn is short, however long the others are. */
const fullLength = 60;

/** Whether an entry without any word of the query is a hit for what stands around it: an assistant's never is. */
function isHitByNeighbours(entry: Scored, neighbours: number, weights: RankingWeights): boolean {
  return neighbours >= weights.leastNeighbours && !isAssistant(entry.candidate);
}

/** Likeness scaled to 0 (the farthest of the candidates that have one) … 1 (the nearest). */
function scaleSimilarities(similarities: ReadonlyMap<string, number>): (entryId: string) => number {
  const values = [...similarities.values()];
  const least = Math.min(...values);
  const range = Math.max(...values) - least;
  return (entryId) => {
    const value = similarities.get(entryId);
    if (value === undefined) return 0;
    return range > 0 ? (value - least) / range : 1;
  };
}

/**
 * A hit for what stands around it alone scores no more than any that holds a term of the query: so the order is that of the scores.
 * @param ranked those that hold a term first
 */
function settleScores(ranked: readonly { readonly hit: Ranked; readonly holdsTerm: boolean }[]): void {
  const least = Math.min(...ranked.flatMap(({ hit, holdsTerm }) => (holdsTerm ? [hit.score] : [])));
  for (const { hit, holdsTerm } of ranked) {
    if (holdsTerm || hit.score <= least) continue;
    hit.why.neighbours -= hit.score - least;
    hit.why.total = least;
    hit.score = least;
  }
}

/**
 * Ranks candidates, the best first; ties go to the later entry, then by id. Candidates that match in no way are left
 * out. One that is a hit for what stands around it alone comes after all that hold a term of the query themselves, its dates and
 * the names of speakers among them. The order of `candidates` doesn't matter.
 * @param candidates entries of one memory, each once, with the entries around the likely ones among them.
 */
export function rank(
  query: ParsedQuery,
  candidates: readonly Candidate[],
  statistics: MemoryStatistics,
  options: RankOptions = {},
): Ranked[] {
  const { weights = defaultWeights, limit = 10, similarities = new Map<string, number>() } = options;
  const terms = weighTerms(query, statistics, weights.speakerNameAsWord);
  const total = sum(terms.map(({ weight }) => weight));
  const lines = new ConversationLines(candidates);
  const scored = scoreCandidates(query, candidates, { terms, total, weights, lines }, statistics);
  const byId = new Map(scored.map((entry) => [entry.candidate.entryId, entry]));
  const context: Context = { terms, total, weights, lines, scored: byId, sessions: sessionScores(scored) };
  const dateRanges = rangesOfQuery(query, statistics);
  const similarity = scaleSimilarities(similarities);
  // a query of names alone asks for what they said
  const namesOnly = terms.every(({ isSpeaker, frequency }) => isSpeaker || frequency === 0);

  const hits = scored
    .filter(({ candidate }) => options.accepts?.(candidate) ?? true)
    .map((entry) => {
      const { candidate } = entry;
      const timed = query.asksWhen && entry.marks.has(timedMark) ? weights.asksWhen : 0;
      const dated = weights.date * dateMatch(candidate, dateRanges, weights);
      const why: Why = {
        terms: terms.flatMap(({ term, surface }, index) => {
          const weight = entry.ownTerms[index] ?? 0;
          const topics = topicsOfQuery(term).filter((topic) => entry.marks.has(topicMark(topic)));
          return weight > 0 ? [{ term, word: surface, weight, ...(topics.length > 0 && { topics }) }] : [];
        }),
        neighbours: neighbourScore(entry, context),
        session: entry.isLine ? weights.session * (context.sessions.get(candidate.sessionKey) ?? 0) : 0,
        speaker: speakerScore(entry, query, context),
        date: dated + timed,
        vector: weights.vector * similarity(candidate.entryId),
        form: entry.form,
        total: 0,
      };
      why.total = entry.ownScore + why.neighbours + why.session + why.speaker + why.date + why.vector + why.form;
      const isNamed = terms.some(({ term, isSpeaker }) => isSpeaker && entry.marks.has(speakerMark(term)));
      const holdsTerm = entry.ownScore + dated > 0 || isNamed || similarities.has(candidate.entryId);
      const matches =
        entry.ownScore + dated > 0 ||
        isHitByNeighbours(entry, why.neighbours, weights) ||
        similarities.has(candidate.entryId) ||
        (namesOnly && why.speaker > 0);
      const hit = { entryId: candidate.entryId, score: why.total, why, duplicates: [] };
      return { candidate, matches, holdsTerm, hit };
    })
    .filter(({ matches }) => matches)
    .sort(
      (a, b) =>
        Number(b.holdsTerm) - Number(a.holdsTerm) ||
        b.hit.score - a.hit.score ||
        b.candidate.occurredAt.localeCompare(a.candidate.occurredAt) ||
        a.candidate.entryId.localeCompare(b.candidate.entryId),
    );
  settleScores(hits);
  return withoutDuplicates(hits, limit);
}

/**
 * The candidates whose neighbours are worth fetching: the best by their own text, speaker and date. Those that may
 * not be hits themselves count too: the entry next to them may be one.
 * @param limit how many; the cost of fetching grows with it.
 */
export function chooseSeeds(
  query: ParsedQuery,
  candidates: readonly Candidate[],
  statistics: MemoryStatistics,
  limit: number,
  options: RankOptions = {},
): Candidate[] {
  const { similarities = new Map<string, number>(), weights: given = defaultWeights } = options;
  const weights = { ...given, neighbours: [], session: 0 };
  const ranked = rank(query, candidates, statistics, { weights, limit, similarities });
  const byId = new Map(candidates.map((candidate) => [candidate.entryId, candidate]));
  return ranked.flatMap(({ entryId }) => byId.get(entryId) ?? []);
}
