/** How much each feature speaks for each label: the centroids of the labels' examples, and what becomes of them by training. */

/** Texts of unit length, one after the other: the features of text `t` stand from `starts[t]` to `starts[t + 1]`. */
export interface Directions {
  readonly starts: Int32Array;
  readonly features: Int32Array;
  readonly values: Float32Array;
}

/** A weight for each pair of a feature and a label that is kept; no others, so that large teams stay small. */
export class LabelWeights {
  private constructor(
    /** The length of each label's sum of examples, of which its centroid is the direction. */
    private readonly lengths: Float32Array,
    /** The weights of feature `f` stand from `starts[f]` to `starts[f + 1]`, each with its label. */
    private readonly starts: Int32Array,
    private readonly labels: Uint16Array,
    private readonly weights: Float32Array,
  ) {}

  /**
   * The mean directions of the labels' examples.
   * @param most weights that are kept: each label the heaviest of an equal share, and where there is room, those of the most
   * frequent features for the labels that don't have them, which may come to speak against a label
   */
  static centroids(
    featureCount: number,
    labelCount: number,
    directions: Directions,
    targets: Int32Array,
    most: number,
  ): LabelWeights {
    const each = Math.max(1, Math.floor(most / Math.max(1, labelCount)));
    const textsOf = Array.from({ length: labelCount }, (): number[] => []);
    for (const [text, label] of targets.entries()) textsOf[label]?.push(text);
    const sum = new Float32Array(featureCount);
    const kept = textsOf.map((texts) => heaviest(sumOf(texts, directions, sum), sum, each));

    const starts = new Int32Array(featureCount + 1);
    for (const { features } of kept) for (const id of features) starts[id + 1] = (starts[id + 1] ?? 0) + 1;
    const forAll = frequentFeatures(directions, starts, labelCount, most);
    for (const id of forAll) starts[id + 1] = labelCount;
    for (let id = 0; id < featureCount; id += 1) starts[id + 1] = (starts[id + 1] ?? 0) + (starts[id] ?? 0);
    const labels = new Uint16Array(starts[featureCount] ?? 0);
    const weights = new Float32Array(labels.length);
    for (const id of forAll) {
      const first = starts[id] ?? 0;
      for (let label = 0; label < labelCount; label += 1) labels[first + label] = label;
    }
    const next = starts.slice();
    for (const [label, { features, values }] of kept.entries()) {
      for (const [at, id] of features.entries()) {
        const first = next[id] ?? 0;
        const isForAll = forAll.has(id);
        const place = isForAll ? first + label : first;
        if (!isForAll) next[id] = first + 1;
        labels[place] = label;
        weights[place] = values[at] ?? 0;
      }
    }
    return new LabelWeights(
      Float32Array.from(kept, ({ length }) => length),
      starts,
      labels,
      weights,
    );
  }

  copy(): LabelWeights {
    return new LabelWeights(this.lengths, this.starts, this.labels, this.weights.slice());
  }

  /** How many weights there are. */
  get size(): number {
    return this.weights.length;
  }

  get bytes(): number {
    return this.lengths.byteLength + this.starts.byteLength + this.labels.byteLength + this.weights.byteLength;
  }

  /** How many additions it takes to score a text. */
  additions(text: number, { starts, features }: Directions): number {
    let additions = 0;
    const end = starts[text + 1] ?? 0;
    for (let at = starts[text] ?? 0; at < end; at += 1) {
      const id = features[at] ?? 0;
      additions += (this.starts[id + 1] ?? 0) - (this.starts[id] ?? 0);
    }
    return additions;
  }

  /** The likeness of a text to each label. */
  scores(text: number, { starts, features, values }: Directions): Float64Array {
    const scores = new Float64Array(this.lengths.length);
    const end = starts[text + 1] ?? 0;
    for (let at = starts[text] ?? 0; at < end; at += 1) {
      const id = features[at] ?? 0;
      const value = values[at] ?? 0;
      const last = this.starts[id + 1] ?? 0;
      for (let place = this.starts[id] ?? 0; place < last; place += 1) {
        const label = this.labels[place] ?? 0;
        scores[label] = (scores[label] ?? 0) + value * (this.weights[place] ?? 0);
      }
    }
    return scores;
  }

  /** How much of an example's likeness to the centroid of its own label is the likeness to itself. */
  ownShare(label: number): number {
    return 1 / (this.lengths[label] || 1);
  }

  /** Moves each label towards a text or away from it. */
  move(text: number, { starts, features, values }: Directions, steps: Float64Array): void {
    const end = starts[text + 1] ?? 0;
    for (let at = starts[text] ?? 0; at < end; at += 1) {
      const id = features[at] ?? 0;
      const value = values[at] ?? 0;
      const last = this.starts[id + 1] ?? 0;
      for (let place = this.starts[id] ?? 0; place < last; place += 1) {
        const step = steps[this.labels[place] ?? 0] ?? 0;
        if (step !== 0) this.weights[place] = (this.weights[place] ?? 0) + step * value;
      }
    }
  }
}

/** Features of at least two texts, the most frequent first, as many as can have a weight for every label. */
function frequentFeatures(
  { features }: Directions,
  startsByCount: Int32Array,
  labelCount: number,
  most: number,
): ReadonlySet<number> {
  const texts = new Int32Array(startsByCount.length - 1);
  for (const id of features) texts[id] = (texts[id] ?? 0) + 1;
  let room = most - startsByCount.reduce((total, count) => total + count, 0);
  const chosen = new Set<number>();
  const frequent = [...texts.keys()].filter((id) => (texts[id] ?? 0) > 1);
  for (const id of frequent.sort((a, b) => (texts[b] ?? 0) - (texts[a] ?? 0) || a - b)) {
    room -= labelCount - (startsByCount[id + 1] ?? 0);
    if (room < 0) break;
    chosen.add(id);
  }
  return chosen;
}

/** Adds texts up in `sum` and returns the features that they have. */
function sumOf(texts: readonly number[], { starts, features, values }: Directions, sum: Float32Array): number[] {
  const found: number[] = [];
  for (const text of texts) {
    const end = starts[text + 1] ?? 0;
    for (let at = starts[text] ?? 0; at < end; at += 1) {
      const id = features[at] ?? 0;
      if (sum[id] === 0) found.push(id);
      sum[id] = (sum[id] ?? 0) + (values[at] ?? 0);
    }
  }
  return found;
}

/** The heaviest features of a sum, as a part of a sum of unit length; leaves `sum` empty. */
function heaviest(
  found: readonly number[],
  sum: Float32Array,
  most: number,
): { features: Int32Array; values: Float32Array; length: number } {
  const square = found.reduce((total, id) => total + (sum[id] ?? 0) ** 2, 0);
  const length = Math.sqrt(square) || 1;
  const least =
    found.length <= most ? 0 : (Float32Array.from(found, (id) => sum[id] ?? 0).sort()[found.length - most] ?? 0);
  const kept = found.filter((id) => (sum[id] ?? 0) >= least).slice(0, most);
  const values = Float32Array.from(kept, (id) => (sum[id] ?? 0) / length);
  for (const id of found) sum[id] = 0;
  return { features: Int32Array.from(kept), values, length };
}
