/**
 * Measures retrieval as it is in production (plan, limits, seeds, ranking) against plain BM25, on the same questions
 * in the same run. Pure: the caller reads the file and, where times are wanted, lends a clock.
 */

import { type SearchOptions, search } from "../../src/memory/retrieval/search.js";
import { type EvaluationConversation, turnEntry } from "./dataset.js";
import { inMemorySource } from "./in-memory-source.js";
import { type Figures, meanFigures, percentile, questionFigures } from "./metrics.js";
import { plainBm25 } from "./plain-bm25.js";

export type { EvaluationConversation } from "./dataset.js";
export { inMemorySource, type SourceEntry } from "./in-memory-source.js";
export { readLocomo } from "./locomo.js";
export { readLongMemEval } from "./long-mem-eval.js";
export { type Figures, meanFigures, ndcgAt, percentile, recallAt } from "./metrics.js";
export { plainBm25 } from "./plain-bm25.js";

/** How to measure. */
export interface EvaluationOptions {
  search?: SearchOptions;
  /** Whether captions of pictures belong to an entry's text, for both sides; plain text only, if left out. */
  captions?: boolean;
  /** Milliseconds from any fixed moment; without it no times are reported. */
  clock?: () => number;
}

/** What one side reached. */
export interface SideReport {
  all: Figures;
  byCategory: Record<string, Figures>;
  byConversation: Record<string, Figures>;
  /** Milliseconds a query. */
  latency?: { p50: number; p95: number };
}

/** Both sides, on the same questions. */
export interface EvaluationReport {
  baseline: SideReport;
  ours: SideReport;
}

interface Measured {
  conversation: string;
  category: string;
  figures: Figures;
  milliseconds: number;
}

/** Results asked for: as many as the deepest measure looks at. */
const depth = 25;

function grouped(measured: readonly Measured[], key: "conversation" | "category"): Record<string, Figures> {
  const names = [...new Set(measured.map((one) => one[key]))].sort();
  return Object.fromEntries(
    names.map((name) => [name, meanFigures(measured.filter((one) => one[key] === name).map(({ figures }) => figures))]),
  );
}

function report(measured: readonly Measured[], timed: boolean): SideReport {
  const times = measured.map(({ milliseconds }) => milliseconds);
  return {
    all: meanFigures(measured.map(({ figures }) => figures)),
    byCategory: grouped(measured, "category"),
    byConversation: grouped(measured, "conversation"),
    ...(timed ? { latency: { p50: percentile(times, 0.5), p95: percentile(times, 0.95) } } : {}),
  };
}

type Finder = (question: string, askedAt: string | undefined) => Promise<string[]> | string[];

async function measure(
  conversation: EvaluationConversation,
  find: Finder,
  clock: (() => number) | undefined,
): Promise<Measured[]> {
  const measured: Measured[] = [];
  for (const { question, category, evidence, askedAt } of conversation.questions) {
    const start = clock?.() ?? 0;
    const found = await find(question, askedAt);
    const milliseconds = (clock?.() ?? 0) - start;
    measured.push({ conversation: conversation.id, category, figures: questionFigures(found, evidence), milliseconds });
  }
  return measured;
}

/** Our search over one conversation, as ids of turns. */
function ourFinder(conversation: EvaluationConversation, options: EvaluationOptions): Finder {
  const source = inMemorySource(
    conversation.turns.map((turn, seq) => ({
      ...turnEntry(turn, options.captions),
      entryId: turn.id,
      threadId: conversation.id,
      seq,
      sessionKey: turn.session,
    })),
  );
  return async (question, askedAt) => {
    const now = askedAt === undefined ? {} : { now: askedAt };
    const ranked = await search(source, question, { limit: depth, ...now, ...options.search });
    return ranked.map(({ entryId }) => entryId);
  };
}

/** Measures plain BM25 and our search on conversations. */
export async function evaluate(
  conversations: readonly EvaluationConversation[],
  options: EvaluationOptions = {},
): Promise<EvaluationReport> {
  const baseline: Measured[] = [];
  const ours: Measured[] = [];
  for (const conversation of conversations) {
    const texts = conversation.turns.map((turn) => ({ ...turn, text: turnEntry(turn, options.captions).rawText }));
    baseline.push(...(await measure(conversation, plainBm25(texts), options.clock)));
    ours.push(...(await measure(conversation, ourFinder(conversation, options), options.clock)));
  }
  const timed = options.clock !== undefined;
  return { baseline: report(baseline, timed), ours: report(ours, timed) };
}
