/** In which order concepts stand in a sentence: which follows which, and which comes first. */
import { allConcepts, type Hit } from "./terms.js";

const count = allConcepts.length;
export const orderFeatureCount = count * count + 2 * count;

/** The features of the order of words of a sentence, each once. Of words that overlap the longest of the first counts. */
export function orderFeatures(hits: readonly Hit[]): number[] {
  const features = new Set<number>();
  let last: Hit | undefined;
  for (const hit of inOrder(hits)) {
    if (last === undefined) {
      features.add(count * count + hit.concept);
      if (hit.start < atStart) features.add(count * count + count + hit.concept);
    } else if (hit.start < last.end) continue;
    else features.add(last.concept * count + hit.concept);
    last = hit;
  }
  return [...features];
}

/** Hits come by their start; of those with the same start the longest goes first. */
function inOrder(hits: readonly Hit[]): readonly Hit[] {
  for (let at = 1; at < hits.length; at++) {
    if (hits[at]?.start === hits[at - 1]?.start) return hits.toSorted((a, b) => a.start - b.start || b.end - a.end);
  }
  return hits;
}

/** A word that begins before it stands at the start of its sentence: a quote or a bracket may come first. */
const atStart = 3;
