/** Tasks that run at once, within a limit, and may park. */
import { Parked } from "./journal.js";

/**
 * Runs the tasks, at most `limit` at once, and returns their results in the order of the tasks.
 * All tasks are let finish: when some park, their siblings' results are in the journal before the whole parks on all the asks;
 * any other exception wins over parking.
 */
export function settleInOrder<A, B>(tasks: [() => Promise<A>, () => Promise<B>], limit: number): Promise<[A, B]>;
export function settleInOrder<T>(tasks: readonly (() => Promise<T>)[], limit: number): Promise<T[]>;
export async function settleInOrder<T>(tasks: readonly (() => Promise<T>)[], limit: number): Promise<T[]> {
  const results = new Array<PromiseSettledResult<T>>(tasks.length);
  const queue = tasks.entries();
  async function worker(): Promise<void> {
    for (const [index, task] of queue) {
      results[index] = await task().then(
        (value): PromiseSettledResult<T> => ({ status: "fulfilled", value }),
        (reason: unknown): PromiseSettledResult<T> => ({ status: "rejected", reason }),
      );
    }
  }
  await Promise.all(Array.from({ length: Math.max(1, Math.min(limit, tasks.length)) }, worker));

  const parked: string[] = [];
  const values: T[] = [];
  for (const result of results) {
    if (result.status === "fulfilled") values.push(result.value);
    else if (result.reason instanceof Parked) parked.push(...result.reason.askIds);
    else throw result.reason;
  }
  if (parked.length > 0) throw new Parked(parked);
  return values;
}
