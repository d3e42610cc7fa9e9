/** Waiting for work to end, with a word to the host now and then, so that it doesn't take silence for death. */
import type { Call } from "./call.js";
import { type AwaitedWork, reportProgress } from "./progress.js";

/** How long one look waits, in milliseconds: at the latest so often the host hears that the work goes on. */
const lookMs = 5_000;

/**
 * Looks at work until it no longer runs, or the time is over, or nothing goes on by itself: what is queued behind a turn that waits
 * for somebody comes back as it is.
 * @param waitMs how long its end is waited for, in milliseconds
 */
export async function awaitEnd<T extends { readonly status: string; readonly running?: boolean }>(
  call: Call,
  work: AwaitedWork,
  waitMs: number,
  look: (waitMs: number) => Promise<T>,
): Promise<T> {
  const { context, services } = call;
  const until = services.now() + waitMs;
  const progress = reportProgress(call, work, until);
  try {
    for (;;) {
      const began = services.now();
      const left = until - began;
      const seen = await look(Math.max(0, Math.min(lookMs, left)));
      if (!isUnderWay(seen) || left <= lookMs || context.mcpReq.signal.aborted) return seen;
      // Half, as a timer may ring early and a clock be moved: what came back so soon had nothing to wait for.
      if (services.now() - began < lookMs / 2) return seen;
      progress?.goesOn(seen.status);
    }
  } finally {
    await progress?.end();
  }
}

function isUnderWay({ status, running }: { readonly status: string; readonly running?: boolean }): boolean {
  return running ?? (status === "running" || status === "queued");
}
