/** Measures of ranked results against the turns that should be found. */

/** Share of the evidence among the first `k` results, 0–1. */
export function recallAt(ranked: readonly string[], evidence: readonly string[], k: number): number {
  if (evidence.length === 0) return 0;
  const top = new Set(ranked.slice(0, k));
  return evidence.filter((id) => top.has(id)).length / evidence.length;
}

/**
 * Normalised discounted cumulative gain of the first `k` results with binary relevance (Järvelin & Kekäläinen 2002):
 * a find at rank r gains 1 / log2(r + 1), divided by what the best possible order would gain.
 */
export function ndcgAt(ranked: readonly string[], evidence: readonly string[], k: number): number {
  const wanted = new Set(evidence);
  const gain = (rank: number): number => 1 / Math.log2(rank + 1);
  const found = ranked.slice(0, k).reduce((total, id, index) => total + (wanted.has(id) ? gain(index + 1) : 0), 0);
  let ideal = 0;
  for (let rank = 1; rank <= Math.min(k, wanted.size); rank += 1) ideal += gain(rank);
  return ideal > 0 ? found / ideal : 0;
}

/** The value below or at which that share of the values lies (nearest rank); 0 without values. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
}

/** Means over questions. */
export interface Figures {
  questions: number;
  recall5: number;
  recall10: number;
  recall25: number;
  ndcg10: number;
}

/** The figures of one question. */
export function questionFigures(ranked: readonly string[], evidence: readonly string[]): Figures {
  return {
    questions: 1,
    recall5: recallAt(ranked, evidence, 5),
    recall10: recallAt(ranked, evidence, 10),
    recall25: recallAt(ranked, evidence, 25),
    ndcg10: ndcgAt(ranked, evidence, 10),
  };
}

/** The mean of figures, each counting as many times as it has questions. */
export function meanFigures(figures: readonly Figures[]): Figures {
  const questions = figures.reduce((total, one) => total + one.questions, 0);
  const mean = (key: "recall5" | "recall10" | "recall25" | "ndcg10"): number =>
    questions === 0 ? 0 : figures.reduce((total, one) => total + one[key] * one.questions, 0) / questions;
  return {
    questions,
    recall5: mean("recall5"),
    recall10: mean("recall10"),
    recall25: mean("recall25"),
    ndcg10: mean("ndcg10"),
  };
}
