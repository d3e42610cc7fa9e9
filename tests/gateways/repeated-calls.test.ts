import { describe, expect, it, vi } from "vitest";
import { PlacedObjects, withNamedJurisdictions } from "../../src/gateways/placement.js";

const namespace = withNamedJurisdictions({ getByName: () => undefined });
const objects = new PlacedObjects(namespace, { jurisdictionOf: async () => undefined });
const callTwice = (call: () => Promise<string>, mayRepeat?: boolean) => objects.call(["ten_1"], call, mayRepeat);

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
    expect(await callTwice(call)).toBe("done");
    expect(call).toHaveBeenCalledTimes(3);
  });

  it("isn't made again when it can't be repeated", async () => {
    const call = failing(1, { retryable: true });
    await expect(callTwice(call, false)).rejects.toThrow("reset");
    expect(call).toHaveBeenCalledTimes(1);
  });

  it.each([
    ["isn't made again when the object is overloaded", 1, { retryable: true, overloaded: true }, 1],
    ["isn't made again when that wouldn't help", 1, {}, 1],
    ["is given up in the end", 99, { retryable: true }, 4],
  ])("%s", async (_what, times, about, calls) => {
    const call = failing(times, about);
    await expect(callTwice(call)).rejects.toThrow("reset");
    expect(call).toHaveBeenCalledTimes(calls);
  });
});
