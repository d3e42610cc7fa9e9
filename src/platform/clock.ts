/** Time, as the platform has it. */

export function now(): number {
  return Date.now();
}

export class DeadlineError extends Error {
  override readonly name = "DeadlineError";
}

/**
 * Runs work with a signal that is aborted after `timeoutMs`, or when `parent` is.
 * @throws {DeadlineError} once the time is up, whether or not the work heeds the signal.
 */
export async function withDeadline<T>(
  timeoutMs: number,
  work: (signal: AbortSignal) => Promise<T>,
  parent?: AbortSignal,
): Promise<T> {
  const controller = new AbortController();
  const signal = parent === undefined ? controller.signal : AbortSignal.any([controller.signal, parent]);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const deadline = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      const error = new DeadlineError(`no result within ${timeoutMs} ms`);
      controller.abort(error);
      reject(error);
    }, timeoutMs);
  });
  try {
    return await Promise.race([work(signal), deadline]);
  } finally {
    clearTimeout(timer);
  }
}

export function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const timer = setTimeout(resolve, milliseconds);
    signal?.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}
