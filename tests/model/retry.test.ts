import { describe, expect, it } from "vitest";
import { ModelError, type ModelErrorKind } from "../../src/model/port.js";
import type { ProviderReply } from "../../src/model/provider.js";
import {
  callWithFailover,
  defaultRetryPolicy,
  nextMove,
  RestingModels,
  type RetryPolicy,
  retryAfterMs,
} from "../../src/model/retry.js";
import { failureOf, Recorder } from "./harness.js";

const policy: RetryPolicy = { attemptsPerModel: 4, baseDelayMs: 100, maxDelayMs: 300, maxRetryAfterMs: 5_000 };
const reply: ProviderReply = {
  text: "done",
  toolCalls: [],
  usage: { inputTokens: 1, outputTokens: 1 },
  finishReason: "stop",
};
const fail = (kind: ModelErrorKind, waitMs?: number) =>
  new ModelError(kind, "it failed", waitMs === undefined ? {} : { retryAfterMs: waitMs });

describe("what comes after a failure", () => {
  it.each<[ModelErrorKind, string]>([
    ["rate_limited", "retry"],
    ["unavailable", "retry"],
    ["timeout", "retry"],
    ["bad_response", "retry"],
    ["cut_stream", "retry"],
    ["unauthorized", "next_model"],
    ["bad_request", "next_model"],
    ["unknown_model", "next_model"],
    ["cancelled", "give_up"],
  ])("after %s: %s", (kind, move) => {
    expect(nextMove(policy, fail(kind), 1, () => 0).kind).toBe(move);
  });

  it("doubles the wait up to the cap, and takes jitter off", () => {
    const waits = (random: number) => [1, 2, 3].map((n) => nextMove(policy, fail("timeout"), n, () => random));
    expect(waits(0)).toEqual([100, 200, 300].map((waitMs) => ({ kind: "retry", waitMs })));
    expect(waits(0.5)).toEqual([75, 150, 225].map((waitMs) => ({ kind: "retry", waitMs })));
  });

  it("waits as long as the provider asks, without jitter", () => {
    expect(nextMove(policy, fail("rate_limited", 4_000), 1, () => 0.9)).toEqual({ kind: "retry", waitMs: 4_000 });
  });

  it("doesn't come back earlier than asked: beyond the cap it goes on to the next model", () => {
    expect(nextMove(policy, fail("rate_limited", 5_001), 1, () => 0)).toEqual({ kind: "next_model" });
  });

  it("ends after the last attempt", () => {
    expect(nextMove(policy, fail("timeout"), 4, () => 0)).toEqual({ kind: "next_model" });
  });
});

describe("Retry-After", () => {
  const now = Date.parse("2026-11-21T12:00:00Z");
  it.each([
    ["7", 7_000],
    ["0.5", 500],
    [" 3 ", 3_000],
    ["Sat, 21 Nov 2026 12:00:30 GMT", 30_000],
    ["Sat, 21 Nov 2026 11:00:00 GMT", 0],
    ["-5", undefined],
    ["soon", undefined],
    ["", undefined],
    [null, undefined],
  ])("%j is %s ms", (header, expected) => {
    expect(retryAfterMs(header, now)).toBe(expected);
  });
});

describe("a call with fail-over", () => {
  /** Fails with the given kinds in order, then answers. */
  const script = (...kinds: ModelErrorKind[]) => {
    const tried: string[] = [];
    const waits: number[] = [];
    const attempt = async (model: string) => {
      tried.push(model);
      const kind = kinds.shift();
      if (kind !== undefined) throw fail(kind);
      return reply;
    };
    const ports = { sleep: async (ms: number) => void waits.push(ms), random: () => 0 };
    return { tried, waits, call: (...models: string[]) => callWithFailover(models, {}, attempt, policy, ports) };
  };

  it("retries the same model, and says which one answered", async () => {
    const { call, tried, waits } = script("unavailable", "cut_stream");
    expect(await call("a", "b")).toEqual({ ...reply, model: "a" });
    expect(tried).toEqual(["a", "a", "a"]);
    expect(waits).toEqual([100, 200]);
  });

  it("asks the next model after one time-out, and for a minute that one first", async () => {
    let now = 0;
    const resting = new RestingModels(() => now);
    const tried: string[] = [];
    const attempt = async (model: string) => {
      tried.push(model);
      if (model === "hangs") throw fail("timeout");
      return reply;
    };
    const ports = { sleep: async () => {}, random: () => 0, resting };
    const call = () => callWithFailover(["hangs", "b"], {}, attempt, policy, ports);
    await call();
    await call();
    now = 60_000;
    await call();
    expect(tried).toEqual(["hangs", "b", "b", "hangs", "b"]);
  });

  it("waits within the call no longer than its caller says", async () => {
    const ports = { sleep: async () => {}, random: () => 0 };
    const busy = async () => Promise.reject(fail("rate_limited", 3_000));
    const error = await failureOf(callWithFailover(["a"], { maxRetryAfterMs: 2_000 }, busy, policy, ports));
    expect(error).toMatchObject({ kind: "rate_limited", details: { retryAfterMs: 3_000 } });
    expect(error.message).not.toContain("attempts");
  });

  it("goes on to the next model, at once where a retry is no use", async () => {
    const { call, tried, waits } = script("unauthorized", "bad_request", "unknown_model");
    expect((await call("a", "b", "c", "d")).model).toBe("d");
    expect(tried).toEqual(["a", "b", "c", "d"]);
    expect(waits).toEqual([]);
  });

  it("names every model and reason at the end; a failure that may pass decides the kind", async () => {
    const { call } = script("unauthorized", "unavailable", "unavailable", "unavailable", "rate_limited", "bad_request");
    const error = await failureOf(call("a", "b", "c"));
    expect(error.kind).toBe("rate_limited");
    expect(error.details.model).toBe("b");
    expect(error.message).toBe(
      "No model gave a usable reply. a: unauthorized, it failed; b: rate_limited after 4 attempts, it failed; c: bad_request, it failed.",
    );
  });

  it("says so when no model is named", async () => {
    expect((await failureOf(script().call())).kind).toBe("unknown_model");
  });

  it("lets errors that aren't a provider's through, unretried", async () => {
    let calls = 0;
    const broken = async () => {
      calls += 1;
      throw new TypeError("a bug");
    };
    const ports = { sleep: async () => {}, random: () => 0 };
    await expect(callWithFailover(["a"], {}, broken, defaultRetryPolicy, ports)).rejects.toThrow(TypeError);
    expect(calls).toBe(1);
  });
});

describe("cancellation", () => {
  const ports = { sleep: () => new Promise<void>(() => {}), random: () => 0 };

  it("makes no attempt when it came before", async () => {
    const attempt = async () => {
      throw new Error("must not be called");
    };
    const call = callWithFailover(["a"], { signal: AbortSignal.abort() }, attempt, policy, ports);
    expect((await failureOf(call)).kind).toBe("cancelled");
  });

  it("ends a wait between attempts", async () => {
    const controller = new AbortController();
    const call = callWithFailover(
      ["a", "b"],
      { signal: controller.signal },
      async () => Promise.reject(fail("timeout")),
      policy,
      ports,
    );
    setTimeout(() => controller.abort(), 5);
    expect((await failureOf(call)).kind).toBe("cancelled");
  });

  it("leaves an attempt behind that doesn't hear of it, and hears no more of it", async () => {
    const controller = new AbortController();
    const recorder = new Recorder();
    let late: ((text: string) => void) | undefined;
    const call = callWithFailover(
      ["a"],
      { signal: controller.signal, listener: recorder },
      (_model, { listener }) => {
        listener?.delta("first");
        late = (text) => listener?.delta(text);
        return new Promise<ProviderReply>(() => {});
      },
      policy,
      ports,
    );
    controller.abort();
    expect((await failureOf(call)).kind).toBe("cancelled");
    late?.("late");
    expect(recorder.heard).toEqual(["first"]);
  });
});

describe("a listener", () => {
  const ports = { sleep: async () => {}, random: () => 0 };

  it("hears a retraction before a redo, only if it had heard anything", async () => {
    const recorder = new Recorder();
    let count = 0;
    await callWithFailover(
      ["a", "b"],
      { listener: recorder },
      async (model, { listener }) => {
        count += 1;
        if (count === 1) throw fail("unavailable");
        listener?.delta(`${model}${count}`);
        if (count === 2) throw fail("cut_stream");
        if (count === 3) throw fail("bad_request");
        return reply;
      },
      policy,
      ports,
    );
    expect(recorder.heard).toEqual(["a2", "retracted", "a3", "retracted", "b4"]);
  });

  it("that throws ends the call with what it threw", async () => {
    const recorder = new Recorder(() => {
      throw new RangeError("enough");
    });
    let count = 0;
    const call = callWithFailover(
      ["a", "b"],
      { listener: recorder },
      async (_model, { listener }) => {
        count += 1;
        try {
          listener?.delta("text");
        } catch {
          throw fail("unavailable");
        }
        return reply;
      },
      policy,
      ports,
    );
    await expect(call).rejects.toThrow(RangeError);
    expect(count).toBe(1);
  });
});
