/**
 * The linear scorer of the injection guard: what signs, form and n-grams of a run of sentences add up to. Its weights are trained
 * by tools/training; they are unpacked when a rule first uses them.
 */
import type { SentenceFeatures } from "./features.js";
import { eachNgram } from "./ngrams.js";
import { denseFeatures, featureLayout } from "./run-features.js";
import { allSigns, type SignGroup, signGroups } from "./signs.js";

/** What the trainer writes. */
export interface PackedWeights {
  /** One for each feature but n-grams, in the order of `featureLayout`. */
  readonly dense: readonly number[];
  /** One character for each bucket of n-grams: its code less {@link packedZero}, times `scale`, is the weight. */
  readonly ngrams: string;
  readonly scale: number;
}

/** The character code that stands for 0, and the most that a packed weight differs from it: no quote and no backslash. */
export const packing = { zero: 63, most: 28 } as const;

/** A sentence with what its n-grams add. */
export interface ScoredSentence {
  readonly features: SentenceFeatures;
  /** Sum of the weights of its n-grams, and how many there are. */
  readonly ngrams: { readonly sum: number; readonly count: number };
}

export class InjectionScorer {
  private readonly dense: Float64Array;
  private readonly ngrams: Int8Array;
  private readonly scale: number;

  constructor(packed: PackedWeights) {
    this.dense = Float64Array.from(packed.dense);
    this.ngrams = Int8Array.from(packed.ngrams, (character) => character.charCodeAt(0) - packing.zero);
    this.scale = packed.scale;
  }

  /** What the score of each run that a sentence stands in is made of. */
  weigh(features: SentenceFeatures): ScoredSentence {
    return { features, ngrams: this.ngramsOf(features) };
  }

  /** The score of a run of sentences: above 0 rather an injection; the thresholds are in the weights' file. */
  score(sentences: readonly ScoredSentence[]): number {
    let total = 0;
    for (const feature of denseFeatures(sentences.map(({ features }) => features))) total += this.dense[feature] ?? 0;
    let [sum, count] = [0, 0];
    for (const { ngrams } of sentences) {
      sum += ngrams.sum;
      count += ngrams.count;
    }
    return count === 0 ? total : total + (sum * this.scale) / Math.sqrt(count);
  }

  private ngramsOf({ folded }: SentenceFeatures): { sum: number; count: number } {
    let [sum, count] = [0, 0];
    eachNgram(folded, (bucket) => {
      sum += this.ngrams[bucket] ?? 0;
      count += 1;
    });
    return { sum, count };
  }

  /** The groups of signs that weigh most in sentences, the heaviest first: the reason for operators, which quotes nothing. */
  heaviestGroups(sentences: readonly ScoredSentence[]): SignGroup[] {
    const weights = new Map<SignGroup, number>();
    const signs = new Set(sentences.flatMap(({ features }) => features.signs));
    for (const sign of signs) {
      const group = allSigns[sign]?.group;
      if (group === undefined) continue;
      const weight =
        (this.dense[featureLayout.signs + sign] ?? 0) +
        (this.dense[featureLayout.groups + signGroups.indexOf(group)] ?? 0);
      weights.set(group, Math.max(weights.get(group) ?? 0, weight));
    }
    return [...weights]
      .filter(([, weight]) => weight > 0)
      .sort(([, a], [, b]) => b - a)
      .map(([group]) => group);
  }
}
