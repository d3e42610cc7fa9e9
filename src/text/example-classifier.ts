/**
 * Tells which of several labels a text belongs to, by examples of each, without a model: a centroid a label over words, pairs of
 * words, letter runs and meanings, weighed by rarity (idf), compared by the cosine, and then sharpened: an example that lies nearer to
 * another label's centroid pulls its own nearer and pushes the other away (logistic regression that begins at the centroids).
 * What a text has that no example has counts in its length, so that a text about something else is like no label.
 */
import { type Directions, LabelWeights } from "./label-weights.js";
import { FeatureNumbers, type FeatureOptions, readFeatures } from "./text-features.js";

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
  /** What is kept in memory. */
  readonly size: { readonly features: number; readonly weights: number; readonly bytes: number };
}

/** What no example has counts so many times as much: the surest sign that a text is about something else. */
const unknownWeight = 1.5;
/** Runs of letters that are read; of many examples only those of three letters, which tell the most. */
const letterRuns = [2, 3, 4];
const letterRunsOfMany = [3];
const manyExamples = 5_000;
/** Features of a text, and of all examples together, each with its share: 18 MB at most while they are prepared. */
const maxFeaturesOfText = 8_000;
const maxFeatures = 1_500_000;
/** Weights of all labels together, the heaviest of each: 4 MB. */
const maxWeights = 400_000;
/** Passes over the examples, and the additions that all of them together may cost: large teams are sharpened by a part of theirs. */
const maxPasses = 4;
const maxAdditions = 60_000_000;
const learningRate = 0.5;
/** How sharply likeness tells labels apart, while they are sharpened and where it is said how sure a decision is. */
const sharpness = { training: 10, confidence: 5 };
/** Errors below this move nothing. */
const leastError = 0.02;
/**
 * Likeness, and lead over the other labels beyond chance → probability: logistic regression on held-out sentences, of foreign
 * intents too, for 3 to 40 labels.
 */
const calibration = { constant: -2.3, score: 1.5, lead: 9.5 };

/** Prepares examples, within bounds of memory and work whatever they are. The same examples always give the same. */
export function prepareExamples(examples: readonly LabelledExample[]): ExampleClassifier {
  const labelNumbers = new Map<string, number>();
  const targets = Int32Array.from(examples, ({ label }) => {
    const known = labelNumbers.get(label) ?? labelNumbers.size;
    labelNumbers.set(label, known);
    return known;
  });
  const labels = [...labelNumbers.keys()];
  const runs = examples.length > manyExamples ? letterRunsOfMany : letterRuns;
  const options = (): FeatureOptions => ({
    runs,
    most: Math.min(maxFeaturesOfText, Math.floor(maxFeatures / Math.max(1, examples.length))),
    words: new Map(),
  });
  const numbers = new FeatureNumbers();
  const read = readAll(examples, numbers, options());
  const rarity = rarities(read, numbers.size, examples.length);
  const directions = weighAll(read, rarity);
  const centroids = LabelWeights.centroids(numbers.size, labels.length, directions, targets, maxWeights);
  const sharpened = centroids.copy();
  sharpen(sharpened, directions, targets);
  const unknown = unknownWeight * Math.log(examples.length + 1);

  return {
    size: {
      features: numbers.size,
      weights: centroids.size,
      bytes: numbers.bytes + rarity.byteLength + centroids.bytes + sharpened.bytes,
    },
    classify(text) {
      const direction = directionOf(text, options(), numbers, rarity, unknown);
      const similarities = centroids.scores(0, direction);
      const scores = sharpened.scores(0, direction);
      const shares = softmax(scores, sharpness.confidence);
      return labels
        .map((label, index): LabelMatch => {
          const similarity = similarities[index] ?? 0;
          const score = scores[index] ?? 0;
          const confidence = similarity > 0 ? calibrated(score, lead(shares, index, score)) : 0;
          return { label, similarity, score, confidence };
        })
        .sort((a, b) => b.score - a.score);
    },
  };
}

/** The features of all examples, how much of each as the values. */
function readAll(examples: readonly LabelledExample[], numbers: FeatureNumbers, options: FeatureOptions): Directions {
  const starts = new Int32Array(examples.length + 1);
  let features = new Int32Array(options.most);
  let values = new Float32Array(options.most);
  /** After which place each feature was found last; one before the text's first is in another text. */
  let places = new Int32Array(options.most);
  let end = 0;
  for (const [index, { text }] of examples.entries()) {
    const first = end;
    if (first + options.most > features.length) {
      const length = Math.min(maxFeatures, 2 * features.length + options.most);
      features = grown(features, new Int32Array(length));
      values = grown(values, new Float32Array(length));
      places = grown(places, new Int32Array(length));
    }
    readFeatures(text, options, (key, worth) => {
      const id = numbers.add(key);
      const place = (places[id] ?? 0) - 1;
      if (place >= first) values[place] = (values[place] ?? 0) + worth;
      else {
        features[end] = id;
        values[end] = worth;
        end += 1;
        places[id] = end;
      }
    });
    starts[index + 1] = end;
  }
  return { starts, features: features.subarray(0, end), values: values.subarray(0, end).map(Math.sqrt) };
}

function grown<T extends Int32Array | Float32Array>(from: T, into: T): T {
  into.set(from);
  return into;
}

/** How rare each feature is (idf). */
function rarities({ features }: Directions, featureCount: number, exampleCount: number): Float32Array {
  const counts = new Float32Array(featureCount);
  for (const id of features) counts[id] = (counts[id] ?? 0) + 1;
  return counts.map((count) => Math.log((exampleCount + 1) / (count + 1)));
}

/** Weighs what was read by rarity, in place, and gives each text unit length. */
function weighAll(read: Directions, rarity: Float32Array): Directions {
  const { starts, features, values } = read;
  for (let text = 0; text + 1 < starts.length; text += 1) {
    const from = starts[text] ?? 0;
    const end = starts[text + 1] ?? 0;
    let square = 0;
    for (let at = from; at < end; at += 1) {
      const value = (values[at] ?? 0) * (rarity[features[at] ?? 0] ?? 0);
      values[at] = value;
      square += value * value;
    }
    const length = Math.sqrt(square) || 1;
    for (let at = from; at < end; at += 1) values[at] = (values[at] ?? 0) / length;
  }
  return read;
}

/** One text; features that no example has are only in its length. */
function directionOf(
  text: string,
  options: FeatureOptions,
  numbers: FeatureNumbers,
  rarity: Float32Array,
  unknown: number,
): Directions {
  const features: number[] = [];
  const values: number[] = [];
  const found = new Map<number, number>();
  readFeatures(text, options, (key, worth) => found.set(key, (found.get(key) ?? 0) + worth));
  let square = 0;
  for (const [key, amount] of found) {
    const id = numbers.find(key);
    const value = Math.sqrt(amount) * (id < 0 ? unknown : (rarity[id] ?? 0));
    square += value * value;
    if (id < 0) continue;
    features.push(id);
    values.push(value);
  }
  const length = Math.sqrt(square) || 1;
  return {
    starts: Int32Array.of(0, features.length),
    features: Int32Array.from(features),
    values: Float32Array.from(values, (value) => value / length),
  };
}

function calibrated(score: number, lead: number): number {
  return 1 / (1 + Math.exp(-(calibration.constant + calibration.score * score + calibration.lead * lead)));
}

/** A label's share beyond what each would have by chance, of all that there is beyond it; an only label's likeness. */
function lead(shares: Float64Array, index: number, score: number): number {
  const chance = 1 / shares.length;
  return chance === 1 ? score : ((shares[index] ?? 0) - chance) / (1 - chance);
}

function softmax(scores: Float64Array, sharpness: number): Float64Array {
  const top = scores.reduce((most, score) => Math.max(most, score), Number.NEGATIVE_INFINITY);
  const parts = scores.map((score) => Math.exp((score - top) * sharpness));
  const total = parts.reduce((sum, part) => sum + part, 0);
  return parts.map((part) => part / total);
}

/** Moves the weights until each example is nearest to its own label, as far as it can be done in a few passes. */
function sharpen(weights: LabelWeights, directions: Directions, targets: Int32Array): void {
  let additions = 1;
  for (const text of targets.keys()) additions += weights.additions(text, directions);
  const visits = Math.floor(targets.length * Math.min(maxPasses, maxAdditions / additions));
  const order = spreadOrder(targets.length);
  for (let visit = 0; visit < visits; visit += 1) {
    const text = order[visit % order.length] ?? 0;
    const target = targets[text] ?? 0;
    const scores = weights.scores(text, directions);
    // An example is like its own label already for being one of those that made it; a request won't be.
    scores[target] = (scores[target] ?? 0) - weights.ownShare(target);
    const shares = softmax(scores, sharpness.training);
    const steps = shares.map((share, label) => {
      const error = (label === target ? 1 : 0) - share;
      return Math.abs(error) > leastError ? learningRate * error : 0;
    });
    weights.move(text, directions, steps);
  }
}

/** All numbers below `count`, neighbours far apart: examples of one label stand together in a team. */
function spreadOrder(count: number): number[] {
  const gcd = (a: number, b: number): number => (b === 0 ? a : gcd(b, a % b));
  let step = Math.max(1, Math.round(count * 0.618));
  while (gcd(step, count) !== 1) step += 1;
  return Array.from({ length: count }, (_, index) => (index * step) % count);
}
