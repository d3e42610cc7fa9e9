/**
 * The circuit breaker of a supervisor: while it is open, its failure policy decides at once, and says so. What counts are time-outs
 * and what can't be reached, never what a text may bring about; and it counts for one session or run, so that nobody switches a
 * supervisor off for others. The count is kept with the session or run, so an instance that ends takes nothing of it along.
 */
import { type BreakerState, circuitBreaker } from "../agent/breaker.js";
import type { Health } from "./supervisor.js";

export const failuresToOpen = 5;
export const openForMs = 30_000;

export interface HealthRecord extends BreakerState {
  /** A new version is a new supervisor: it isn't judged by what the old one did. */
  readonly version: number;
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
  const ofVersion = {
    read: () => {
      const found = store.read(name);
      return found?.version === version ? found : undefined;
    },
    write: (state: BreakerState | undefined) => store.write(name, state && { ...state, version }),
  };
  const { refusal, succeeded, failed } = circuitBreaker(ofVersion, { failuresToOpen, openForMs }, now);
  return {
    refusal: () => {
      const open = refusal();
      if (open === undefined) return undefined;
      return `it failed ${open.failures} times in a row and isn't asked again before ${new Date(open.until).toISOString()}`;
    },
    succeeded,
    failed,
  };
}
