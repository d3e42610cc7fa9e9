/**
 * Tells which of several labels a text belongs to, by examples of each, without a model: a centroid a label over words, pairs of
 * words and letter triples, weighed by rarity (idf), compared by the cosine, and then sharpened: an example that lies nearer to
 * another label's centroid pulls its own nearer and pushes the other away (logistic regression that begins at the centroids).
 * What a text has that no example has counts in its length, so that a text about something else is like no label.
 */
import { plainWords, wordTerm } from "./tokenizer.js";

export interface LabelledExample {
  readonly label: string;
  readonly text: string;
}

/** One label, as it fits a text. */
export interface LabelMatch {
  readonly label: string;
  /** Cosine of text and label, before (`similarity`) and after sharpening: 0 for nothing in common, about 1 for an example itself. */
  readonly similarity: number;
  readonly score: number;
  /** How likely it is that the text belongs to this label, rather than to another or to none: 0–1. */
  readonly confidence: number;
}

export interface ExampleClassifier {
  /** All labels, the likeliest first; ties in the order of the examples. */
  classify(text: string): readonly LabelMatch[];
}

/** What a word, a pair and a triple of letters are worth. A wide plateau: half or twice as much changes little. */
const featureWeights = { word: 1, pair: 0.7, triple: 0.6 };
/** What no example has counts so many times as much: the surest sign that a text is about something else. */
const unknownWeight = 1.5;
/** Words of a text that are read: who it is for shows in its beginning. */
const maxWords = 400;
/** Letters of a word whose triples are read. */
const maxLetters = 40;
/** Passes over the examples, and the additions that all of them together may cost: large teams are sharpened by a part of theirs. */
const maxPasses = 4;
const maxAdditions = 15_000_000;
const learningRate = 0.5;
/** How sharply likeness tells labels apart. */
const sharpness = 10;
/** Errors below this move nothing. */
const leastError = 0.02;
/** Likeness, and lead over the other labels → probability: logistic regression on held-out sentences and foreign intents. */
const calibration = { constant: -3, score: 5.5, lead: 3.5 };

const unspacedLetters =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u;

/** The words of a text; in scripts without spaces, its letters. */
function wordsOf(text: string): string[] {
  return plainWords(text.slice(0, 20 * maxWords).normalize("NFKC"))
    .slice(0, maxWords)
    .flatMap((word) => (unspacedLetters.test(word) ? [...word] : [word]))
    .slice(0, maxWords);
}

/** @param terms the terms of words that were read before */
function featuresOf(text: string, terms: Map<string, string>): ReadonlyMap<string, number> {
  const features = new Map<string, number>();
  const add = (feature: string, weight: number): void => {
    features.set(feature, (features.get(feature) ?? 0) + weight);
  };
  const words = wordsOf(text);
  let before = "^";
  for (const word of words) {
    const term = terms.get(word) ?? wordTerm(word);
    terms.set(word, term);
    add(`word ${term}`, featureWeights.word);
    add(`pair ${before} ${term}`, featureWeights.pair);
    before = term;
    const letters = `_${word.slice(0, maxLetters)}_`;
    for (let at = 0; at + 3 <= letters.length; at += 1) add(letters.slice(at, at + 3), featureWeights.triple);
  }
  if (words.length > 0) add(`pair ${before} $`, featureWeights.pair);
  return features;
}

/** A text of unit length; features that no example has are only in that length. */
interface Direction {
  readonly features: Int32Array;
  readonly values: Float64Array;
}

/** Prepares examples; a few milliseconds for ten labels of twenty, below a second for 200 of 100. The same examples always give the same. */
export function prepareExamples(examples: readonly LabelledExample[]): ExampleClassifier {
  const labels = [...new Set(examples.map(({ label }) => label))];
  const targets = examples.map(({ label }) => labels.indexOf(label));
  const terms = new Map<string, string>();
  const read = examples.map(({ text }) => featuresOf(text, terms));
  const ids = new Map<string, number>();
  const counts: number[] = [];
  for (const features of read) {
    for (const feature of features.keys()) {
      const id = ids.get(feature) ?? ids.size;
      ids.set(feature, id);
      counts[id] = (counts[id] ?? 0) + 1;
    }
  }
  const rarity = (count: number): number => Math.log((examples.length + 1) / (count + 1));

  const directionOf = (features: ReadonlyMap<string, number>): Direction => {
    const found: number[] = [];
    const values: number[] = [];
    let square = 0;
    for (const [feature, weight] of features) {
      const id = ids.get(feature);
      const value = weight * (id === undefined ? unknownWeight * rarity(0) : rarity(counts[id] ?? 0));
      square += value * value;
      if (id === undefined || value === 0) continue;
      found.push(id);
      values.push(value);
    }
    const length = Math.sqrt(square) || 1;
    return { features: Int32Array.from(found), values: Float64Array.from(values, (value) => value / length) };
  };
  const directions = read.map(directionOf);
  const centroids = LabelWeights.centroids(ids.size, labels.length, directions, targets);
  const sharpened = centroids.copy();
  sharpen(sharpened, directions, targets);

  return {
    classify(text) {
      const direction = directionOf(featuresOf(text, new Map()));
      const similarities = centroids.scores(direction);
      const scores = sharpened.scores(direction);
      const shares = softmax(scores);
      return labels
        .map((label, index): LabelMatch => {
          const similarity = similarities[index] ?? 0;
          const score = scores[index] ?? 0;
          return { label, similarity, score, confidence: calibrated(similarity, score, shares[index] ?? 0) };
        })
        .sort((a, b) => b.score - a.score);
    },
  };
}

function calibrated(similarity: number, score: number, lead: number): number {
  if (similarity <= 0) return 0;
  const { constant, score: perScore, lead: perLead } = calibration;
  return 1 / (1 + Math.exp(-(constant + (perScore * (similarity + score)) / 2 + perLead * lead)));
}

function softmax(scores: Float64Array): Float64Array {
  const top = scores.reduce((most, score) => Math.max(most, score), Number.NEGATIVE_INFINITY);
  const parts = scores.map((score) => Math.exp((score - top) * sharpness));
  const total = parts.reduce((sum, part) => sum + part, 0);
  return parts.map((part) => part / total);
}

/** Moves the weights until each example is nearest to its own label, as far as it can be done in a few passes. */
function sharpen(weights: LabelWeights, directions: readonly Direction[], targets: readonly number[]): void {
  const additions = directions.reduce((sum, direction) => sum + weights.additions(direction), 1);
  const visits = Math.floor(directions.length * Math.min(maxPasses, maxAdditions / additions));
  const order = spreadOrder(directions.length);
  for (let visit = 0; visit < visits; visit += 1) {
    const index = order[visit % order.length] ?? 0;
    const direction = directions[index];
    const target = targets[index];
    if (direction === undefined || target === undefined) continue;
    const errors = softmax(weights.scores(direction)).map((share, label) => (label === target ? 1 : 0) - share);
    weights.move(direction, errors, learningRate);
  }
}

/** All numbers below `count`, neighbours far apart: examples of one label stand together in a team. */
function spreadOrder(count: number): number[] {
  const gcd = (a: number, b: number): number => (b === 0 ? a : gcd(b, a % b));
  let step = Math.max(1, Math.round(count * 0.618));
  while (gcd(step, count) !== 1) step += 1;
  return Array.from({ length: count }, (_, index) => (index * step) % count);
}

/** A weight for each pair of a feature and a label that some example has; no others, so that large teams stay small. */
class LabelWeights {
  private constructor(
    private readonly labelCount: number,
    /** The weights of feature `f` stand from `starts[f]` to `starts[f + 1]`, each with its label. */
    private readonly starts: Int32Array,
    private readonly labels: Int32Array,
    private readonly weights: Float64Array,
  ) {}

  /** The mean directions of the labels' examples. */
  static centroids(
    features: number,
    labelCount: number,
    directions: readonly Direction[],
    targets: readonly number[],
  ): LabelWeights {
    const sums = Array.from({ length: labelCount }, () => new Map<number, number>());
    for (const [index, { features: ids, values }] of directions.entries()) {
      const sum = sums[targets[index] ?? 0];
      for (const [at, id] of ids.entries()) sum?.set(id, (sum.get(id) ?? 0) + (values[at] ?? 0));
    }
    const starts = new Int32Array(features + 1);
    for (const sum of sums) for (const id of sum.keys()) starts[id + 1] = (starts[id + 1] ?? 0) + 1;
    for (let id = 0; id < features; id += 1) starts[id + 1] = (starts[id + 1] ?? 0) + (starts[id] ?? 0);
    const next = starts.slice();
    const labels = new Int32Array(starts[features] ?? 0);
    const weights = new Float64Array(labels.length);
    for (const [label, sum] of sums.entries()) {
      let square = 0;
      for (const value of sum.values()) square += value * value;
      const length = Math.sqrt(square) || 1;
      for (const [id, value] of sum) {
        const place = next[id] ?? 0;
        next[id] = place + 1;
        labels[place] = label;
        weights[place] = value / length;
      }
    }
    return new LabelWeights(labelCount, starts, labels, weights);
  }

  copy(): LabelWeights {
    return new LabelWeights(this.labelCount, this.starts, this.labels, this.weights.slice());
  }

  /** How many additions scoring takes. */
  additions({ features }: Direction): number {
    let additions = 0;
    for (const id of features) additions += (this.starts[id + 1] ?? 0) - (this.starts[id] ?? 0);
    return additions;
  }

  scores({ features, values }: Direction): Float64Array {
    const scores = new Float64Array(this.labelCount);
    for (let at = 0; at < features.length; at += 1) {
      const id = features[at] ?? 0;
      const value = values[at] ?? 0;
      const end = this.starts[id + 1] ?? 0;
      for (let place = this.starts[id] ?? 0; place < end; place += 1) {
        const label = this.labels[place] ?? 0;
        scores[label] = (scores[label] ?? 0) + value * (this.weights[place] ?? 0);
      }
    }
    return scores;
  }

  move({ features, values }: Direction, errors: Float64Array, rate: number): void {
    for (let at = 0; at < features.length; at += 1) {
      const id = features[at] ?? 0;
      const value = values[at] ?? 0;
      const end = this.starts[id + 1] ?? 0;
      for (let place = this.starts[id] ?? 0; place < end; place += 1) {
        const error = errors[this.labels[place] ?? 0] ?? 0;
        if (Math.abs(error) > leastError) this.weights[place] = (this.weights[place] ?? 0) + rate * error * value;
      }
    }
  }
}
