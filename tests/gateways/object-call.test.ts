import { describe, expect, it, vi } from "vitest";
import { callObject } from "../../src/gateways/object-call.js";

/** Fails so many times, then answers. */
function failing(times: number, about: object) {
  let calls = 0;
  return vi.fn(async () => {
    calls += 1;
    if (calls <= times) throw Object.assign(new Error("reset"), about);
    return "done";
  });
}

describe("a call of an object that may be called twice", () => {
  it("is made again when the object was reset, each time anew", async () => {
    const call = failing(2, { retryable: true });
    expect(await callObject(call)).toBe("done");
    expect(call).toHaveBeenCalledTimes(3);
  });

  it.each([
    ["isn't made again when the object is overloaded", 1, { retryable: true, overloaded: true }, 1],
    ["isn't made again when that wouldn't help", 1, {}, 1],
    ["is given up in the end", 99, { retryable: true }, 4],
  ])("%s", async (_what, times, about, calls) => {
    const call = failing(times, about);
    await expect(callObject(call)).rejects.toThrow("reset");
    expect(call).toHaveBeenCalledTimes(calls);
  });
});
