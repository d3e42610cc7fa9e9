/**
 * The circuit breaker: a supervisor that has failed several times in a row isn't asked for a while, so that it costs no time-out
 * per message; its failure policy decides at once, and says so. What counts are time-outs and what can't be reached, never what a
 * text may bring about; and it counts for one session or run, so that nobody switches a supervisor off for others. The count is
 * kept with the session or run, so an instance that ends takes nothing of it along.
 */
import type { Health } from "./supervisor.js";

export const failuresToOpen = 5;
export const openForMs = 30_000;

export interface HealthRecord {
  /** A new version is a new supervisor: it isn't held to what the old one did. */
  readonly version: number;
  /** In a row. */
  readonly failures: number;
  /** Until when it isn't asked once it has failed often enough; the first one asked after that decides whether it is well again. */
  readonly until: number;
}

/** Where a session or run keeps how its supervisors are. */
export interface HealthStore {
  read(supervisor: string): HealthRecord | undefined;
  /** Nothing: it is well. */
  write(supervisor: string, record: HealthRecord | undefined): void;
}

/** The health of one version of a supervisor, in one session or run. */
export function breaker(
  { name, version }: { readonly name: string; readonly version: number },
  store: HealthStore,
  now: () => number,
): Health {
  const record = (): HealthRecord | undefined => {
    const found = store.read(name);
    return found?.version === version ? found : undefined;
  };
  return {
    refusal: () => {
      const { failures = 0, until = 0 } = record() ?? {};
      if (failures < failuresToOpen) return undefined;
      if (now() >= until) {
        // One is let through to see; the others wait for what it finds.
        store.write(name, { version, failures, until: now() + openForMs });
        return undefined;
      }
      return `it failed ${failures} times in a row and isn't asked again before ${new Date(until).toISOString()}`;
    },
    succeeded: () => {
      if (record() !== undefined) store.write(name, undefined);
    },
    failed: () => store.write(name, { version, failures: (record()?.failures ?? 0) + 1, until: now() + openForMs }),
  };
}
