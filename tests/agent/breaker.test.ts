import { describe, expect, it } from "vitest";
import { type BreakerState, circuitBreaker } from "../../src/agent/breaker.js";

/** A breaker that opens at the second failure, for 100 ms. */
function world() {
  const clock = { now: 1_000 };
  let state: BreakerState | undefined;
  const store = {
    read: () => state,
    write: (next: BreakerState | undefined) => {
      state = next;
    },
  };
  const breaker = circuitBreaker(store, { failuresToOpen: 2, openForMs: 100 }, () => clock.now);
  return { clock, breaker, store };
}

describe("the circuit breaker", () => {
  it("opens when enough failures came in a row, and says until when", () => {
    const { breaker } = world();
    breaker.failed();
    expect(breaker.refusal()).toBeUndefined();
    breaker.failed();
    expect(breaker.refusal()).toEqual({ failures: 2, until: 1_100 });
  });

  it("begins to count anew with a success", () => {
    const { breaker, store } = world();
    breaker.failed();
    breaker.succeeded();
    expect(store.read()).toBeUndefined();
    breaker.failed();
    expect(breaker.refusal()).toBeUndefined();
  });

  it("lets one call through when the time is up, and no other until that one has ended", () => {
    const { breaker, clock } = world();
    breaker.failed();
    breaker.failed();
    clock.now = 1_100;
    expect(breaker.refusal()).toBeUndefined();
    expect(breaker.refusal()).toEqual({ failures: 2, until: 1_200 });
    breaker.succeeded();
    expect(breaker.refusal()).toBeUndefined();
  });

  it("stays open for as long again when the call that was let through fails", () => {
    const { breaker, clock } = world();
    breaker.failed();
    breaker.failed();
    clock.now = 1_150;
    expect(breaker.refusal()).toBeUndefined();
    breaker.failed();
    clock.now = 1_249;
    expect(breaker.refusal()).toEqual({ failures: 3, until: 1_250 });
  });
});
