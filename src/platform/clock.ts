/** Time, as the platform has it. */
import { CancelSource } from "../agent/cancel.js";
import { DeadlineError } from "../model/deadline.js";
import type { CancelSignal } from "../model/port.js";

export function now(): number {
  return Date.now();
}

/** Longer timers overflow 32 bits and fire at once. */
const longestTimerMs = 2_147_483_647;

/**
 * Runs work with a signal that is aborted after `timeoutMs`, or when `parent` is; what it has open when it fails is aborted too.
 * @throws {DeadlineError} once the time is up, whether or not the work heeds the signal.
 */
export function withDeadline<T>(
  timeoutMs: number,
  work: (signal: AbortSignal) => Promise<T>,
  parent?: CancelSignal,
): Promise<T> {
  return within(timeoutMs, new AbortController(), work, parent);
}

/**
 * The same for work that hands its signal to nothing of the platform's: a {@link CancelSource} takes a tenth of the time.
 * @throws {DeadlineError} once the time is up, whether or not the work heeds the signal.
 */
export function withCancelSignal<T>(
  timeoutMs: number,
  work: (signal: CancelSignal) => Promise<T>,
  parent?: CancelSignal,
): Promise<T> {
  return within(timeoutMs, new CancelSource(), work, parent);
}

async function within<Signal extends CancelSignal, T>(
  timeoutMs: number,
  controller: { readonly signal: Signal; abort(reason?: unknown): void },
  work: (signal: Signal) => Promise<T>,
  parent: CancelSignal | undefined,
): Promise<T> {
  const onParent = () => controller.abort();
  if (parent?.aborted) onParent();
  parent?.addEventListener("abort", onParent);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const deadline = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(
      () => {
        const error = new DeadlineError(`no result within ${timeoutMs} ms`);
        // Rejected before the abort, so that what the aborted work throws comes second in the race.
        reject(error);
        controller.abort(error);
      },
      Math.min(longestTimerMs, timeoutMs),
    );
  });
  try {
    return await Promise.race([work(controller.signal), deadline]);
  } catch (error) {
    // Frees the connection of work that failed half-way through an answer.
    controller.abort(error);
    throw error;
  } finally {
    clearTimeout(timer);
    parent?.removeEventListener("abort", onParent);
  }
}

export function sleep(milliseconds: number, signal?: CancelSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const aborted = (): DOMException => new DOMException("The wait was aborted.", "AbortError");
    if (signal?.aborted) return reject(aborted());
    const timer = setTimeout(resolve, milliseconds);
    signal?.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(aborted());
    });
  });
}
