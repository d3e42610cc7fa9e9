/** Calls to objects that survive their restart. */
import { sleep } from "../platform/clock.js";

const attempts = 4;
const firstWaitMs = 50;

/**
 * Calls a method of an object that may be called twice. An object that was reset (a deploy, a crash, an eviction) is called
 * again through a fresh stub; an overloaded one is not, which would only add to its load.
 * See https://developers.cloudflare.com/durable-objects/best-practices/error-handling/
 */
export async function callObject<T>(call: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await call();
    } catch (error) {
      if (attempt >= attempts || !isRetryable(error)) throw error;
      await sleep(firstWaitMs * 2 ** (attempt - 1));
    }
  }
}

function isRetryable(error: unknown): boolean {
  return (
    error instanceof Error &&
    "retryable" in error &&
    error.retryable === true &&
    !("overloaded" in error && error.overloaded === true)
  );
}
