/**
 * The circuit breaker: what failed several times in a row isn't called for a while, so that it costs no time-out per call. Once the
 * time is up one call is let through; the others wait for what comes of it.
 */
export interface BreakerPolicy {
  /** In a row. */
  readonly failuresToOpen: number;
  readonly openForMs: number;
}

/** How something does that fails now and then. Stored as it is by its store. */
export interface BreakerState {
  /** In a row. */
  readonly failures: number;
  /** Until when it isn't called, once it has failed often enough; milliseconds since the epoch. */
  readonly until: number;
}

/** Where a state is kept; `undefined`: it is well. */
export interface BreakerStore {
  read(): BreakerState | undefined;
  write(state: BreakerState | undefined): void;
}

export interface Breaker {
  /** How it does if it may not be called now; `undefined` if it may, and then its success or failure has to be reported. */
  refusal(): BreakerState | undefined;
  succeeded(): void;
  failed(): void;
}

/**
 * @example
 * const provider = circuitBreaker(store, { failuresToOpen: 1, openForMs: 60_000 }, now);
 * if (provider.refusal() !== undefined) return undefined;
 */
export function circuitBreaker(
  store: BreakerStore,
  { failuresToOpen, openForMs }: BreakerPolicy,
  now: () => number,
): Breaker {
  return {
    refusal: () => {
      const state = store.read();
      if (state === undefined || state.failures < failuresToOpen) return undefined;
      if (now() < state.until) return state;
      store.write({ ...state, until: now() + openForMs });
      return undefined;
    },
    succeeded: () => {
      if (store.read() !== undefined) store.write(undefined);
    },
    failed: () => store.write({ failures: (store.read()?.failures ?? 0) + 1, until: now() + openForMs }),
  };
}
