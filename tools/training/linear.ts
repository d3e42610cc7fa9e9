/**
 * A linear support vector machine with squared hinge loss, trained by dual coordinate descent (Hsieh et al., 2008, "A Dual
 * Coordinate Descent Method for Large-scale Linear SVM"). It uses only + - * / and comparisons in a fixed order, so the weights
 * are the same on every machine.
 */

export interface Instance {
  /** Places in the weights and the values there. */
  readonly indices: Int32Array;
  readonly values: Float64Array;
  readonly label: 1 | -1;
  /** What a mistake in it costs. */
  readonly cost: number;
}

/** @param prior where the weights start: what they are when no instance says otherwise. Returns new weights. */
export function train(instances: readonly Instance[], prior: Float64Array, epochs: number): Float64Array {
  const weights = Float64Array.from(prior);
  const alphas = new Float64Array(instances.length);
  const norms = instances.map(({ values }) => values.reduce((sum, value) => sum + value * value, 0));
  const order = instances.map((_instance, index) => index);
  let state = 12_345;
  for (let epoch = 0; epoch < epochs; epoch++) {
    for (let at = order.length - 1; at > 0; at--) {
      state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
      const other = state % (at + 1);
      const [a = 0, b = 0] = [order[at], order[other]];
      order[at] = b;
      order[other] = a;
    }
    for (const index of order) step(instances[index], index, norms[index] ?? 0, weights, alphas);
  }
  return weights;
}

function step(
  instance: Instance | undefined,
  index: number,
  norm: number,
  weights: Float64Array,
  alphas: Float64Array,
): void {
  if (instance === undefined || instance.cost === 0) return;
  const { label, cost } = instance;
  const diagonal = 1 / (2 * cost);
  const alpha = alphas[index] ?? 0;
  const gradient = label * margin(instance, weights) - 1 + diagonal * alpha;
  const next = Math.max(0, alpha - gradient / (norm + diagonal));
  const change = (next - alpha) * label;
  if (change === 0) return;
  alphas[index] = next;
  const { indices, values } = instance;
  for (let at = 0; at < indices.length; at++) {
    const place = indices[at] ?? 0;
    weights[place] = (weights[place] ?? 0) + change * (values[at] ?? 0);
  }
}

/** What weights say of an instance. */
export function margin({ indices, values }: Pick<Instance, "indices" | "values">, weights: Float64Array): number {
  let sum = 0;
  for (let at = 0; at < indices.length; at++) sum += (weights[indices[at] ?? 0] ?? 0) * (values[at] ?? 0);
  return sum;
}
