/**
 * The baseline: BM25 over the raw turns (k1 1.2, b 0.75), words lower-cased, nothing stemmed, nothing left out,
 * no knowledge of speakers, dates or neighbours.
 */
import type { EvaluationTurn } from "./dataset.js";

const k1 = 1.2;
const b = 0.75;

function words(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
}

/** Indexes turns; the result ranks all of them for a query, as ids, the best first (ties in the order of the turns). */
export function plainBm25(turns: readonly EvaluationTurn[]): (query: string) => string[] {
  const frequencies = new Map<string, number>();
  const documents = turns.map(({ id, text }) => {
    const counts = new Map<string, number>();
    const all = words(text);
    for (const word of all) counts.set(word, (counts.get(word) ?? 0) + 1);
    for (const word of counts.keys()) frequencies.set(word, (frequencies.get(word) ?? 0) + 1);
    return { id, counts, length: all.length };
  });
  const average = documents.reduce((total, { length }) => total + length, 0) / Math.max(1, documents.length);
  return (query) => {
    const asked = words(query);
    const scored = documents.map(({ id, counts, length }) => {
      let score = 0;
      for (const word of asked) {
        const count = counts.get(word) ?? 0;
        const frequency = frequencies.get(word) ?? 0;
        const idf = Math.log(1 + (documents.length - frequency + 0.5) / (frequency + 0.5));
        score += (idf * count * (k1 + 1)) / (count + k1 * (1 - b + (b * length) / average));
      }
      return { id, score };
    });
    return scored.sort((a, b) => b.score - a.score).map(({ id }) => id);
  };
}
