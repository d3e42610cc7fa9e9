/**
 * The circuit breaker: a supervisor that has failed several times in a row isn't asked for a while, so that it costs no time-out
 * per message; its failure policy decides at once, and says so. What counts are time-outs and what can't be reached, never what a
 * text may bring about; and it counts for one session, so that nobody switches a supervisor off for others. It is kept in the memory of one instance: each instance learns
 * for itself, and forgets when it ends.
 */
import type { Health } from "./supervisor.js";

export const failuresToOpen = 5;
export const openForMs = 30_000;
const maxKept = 1_000;

interface Count {
  failures: number;
  /** Until when it isn't asked; the first one asked after that decides whether it is well again. */
  until: number;
}

export class Breaker {
  private readonly counts = new Map<string, Count>();

  constructor(private readonly now: () => number) {}

  /** The health of one supervisor, under a key that says whose it is, which version, and in which session. */
  of(key: string): Health {
    return {
      refusal: () => {
        const count = this.counts.get(key);
        if (count === undefined || count.failures < failuresToOpen) return undefined;
        if (this.now() >= count.until) {
          // One is let through to see; the others wait for what it finds.
          count.until = this.now() + openForMs;
          return undefined;
        }
        return `it failed ${count.failures} times in a row and isn't asked again before ${new Date(count.until).toISOString()}`;
      },
      succeeded: () => {
        this.counts.delete(key);
      },
      failed: () => {
        const failures = (this.counts.get(key)?.failures ?? 0) + 1;
        if (this.counts.size >= maxKept) this.counts.clear();
        this.counts.set(key, { failures, until: this.now() + openForMs });
      },
    };
  }
}
