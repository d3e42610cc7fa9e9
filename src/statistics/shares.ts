/** Shares and differences with what is known of them: intervals, tests, and when there is not enough to say anything. */
import { seededRandom } from "./random.js";

/** Under so many a share says nothing: counts only. */
const fewestForShare = 20;
/** Under so many groups a bootstrap over them says nothing. */
export const fewestGroups = 20;
/** Under so many values nobody can tell their 95th percentile. */
export const fewestForTail = 200;

const z = 1.96;

export interface Interval {
  readonly low: number;
  readonly high: number;
}

export interface Share extends Interval {
  readonly share: number;
}

/**
 * A share with Wilson's interval, at 95 %: sound for small counts and for shares near 0 and 1.
 * @returns nothing under {@link fewestForShare}
 * @example shareOf(80, 100) // { share: 0.8, low: 0.711, high: 0.867 }
 */
export function shareOf(hits: number, of: number): Share | undefined {
  if (of < fewestForShare) return undefined;
  const share = hits / of;
  const scale = 1 + z ** 2 / of;
  const middle = (share + z ** 2 / (2 * of)) / scale;
  const reach = (z / scale) * Math.sqrt((share * (1 - share)) / of + z ** 2 / (4 * of ** 2));
  return {
    share: rounded(share),
    low: rounded(Math.max(0, middle - reach)),
    high: rounded(Math.min(1, middle + reach)),
  };
}

/** To three digits, so that a report made again is the same to the byte. */
export function rounded(value: number): number {
  const result = Math.round(value * 1_000) / 1_000;
  // There is one zero.
  return result === 0 ? 0 : result;
}

/**
 * Whether one of two candidates is better on the same items: McNemar's test, mid-p.
 * @param onlyFirst items that the first alone got right
 * @param onlySecond items that the second alone got right
 * @returns the probability of a difference as large as this where there is none
 */
export function pairedTest(onlyFirst: number, onlySecond: number): number {
  const n = onlyFirst + onlySecond;
  if (n === 0) return 1;
  const fewer = Math.min(onlyFirst, onlySecond);
  // Binomial(n, 1/2), by logarithms: 2^-n is no number for large n.
  let logTerm = -n * Math.LN2;
  let below = 0;
  for (let k = 0; k < fewer; k++) {
    below += Math.exp(logTerm);
    logTerm += Math.log((n - k) / (k + 1));
  }
  return Math.min(1, 2 * below + Math.exp(logTerm));
}

/** Items that belong together, such as the turns of one conversation: what they sum to, and how many they are. */
export interface Group {
  readonly sum: number;
  readonly count: number;
}

/** Draws of a bootstrap, and the most groups that are drawn from: of more the mean is as good as normal, and each would be a while of everybody's time. */
const draws = 2_000;
const mostDrawn = 2_000;

/**
 * The 95 % interval of a mean over groups, by drawing the groups again; of very many by how far they lie from it.
 * @param seed the same draws for the same seed
 * @returns nothing under {@link fewestGroups}
 */
export function bootstrapMean(groups: readonly Group[], seed: string): Interval | undefined {
  if (groups.length < fewestGroups) return undefined;
  if (groups.length > mostDrawn) return normalMean(groups);
  const random = seededRandom(seed);
  const means: number[] = [];
  for (let draw = 0; draw < draws; draw++) {
    let sum = 0;
    let count = 0;
    for (let at = 0; at < groups.length; at++) {
      const group = groups[Math.floor(random() * groups.length)];
      sum += group?.sum ?? 0;
      count += group?.count ?? 0;
    }
    means.push(count === 0 ? 0 : sum / count);
  }
  means.sort((a, b) => a - b);
  return { low: rounded(percentile(means, 0.025) ?? 0), high: rounded(percentile(means, 0.975) ?? 0) };
}

/** The same of very many groups, of which the mean is a ratio of two sums. */
function normalMean(groups: readonly Group[]): Interval {
  const count = groups.reduce((sum, group) => sum + group.count, 0);
  const mean = groups.reduce((sum, group) => sum + group.sum, 0) / Math.max(1, count);
  const squares = groups.reduce((sum, group) => sum + (group.sum - mean * group.count) ** 2, 0);
  const reach = (z * Math.sqrt((squares * groups.length) / (groups.length - 1))) / Math.max(1, count);
  return { low: rounded(mean - reach), high: rounded(mean + reach) };
}

/**
 * Values of several tests made at once, each raised as Holm says: the smallest by all, the next by one fewer.
 * @returns in the order given
 */
export function holm(values: readonly number[]): number[] {
  const order = values.map((value, at) => ({ value, at })).toSorted((a, b) => a.value - b.value);
  const raised: number[] = values.map(() => 1);
  let least = 0;
  order.forEach(({ value, at }, rank) => {
    least = Math.max(least, Math.min(1, value * (values.length - rank)));
    raised[at] = least;
  });
  return raised;
}

/** @param sorted in ascending order @param share from 0 to 1 */
export function percentile(sorted: readonly number[], share: number): number | undefined {
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
}
