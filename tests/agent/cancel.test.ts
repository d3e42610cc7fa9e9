import { describe, expect, it, vi } from "vitest";
import { CancelSource } from "../../src/agent/cancel.js";
import { DeadlineError } from "../../src/model/deadline.js";
import { withCancelSignal, withDeadline } from "../../src/platform/clock.js";

describe("a cancellation of our own", () => {
  it("is heard once by each who listens, and by nobody who has stopped or comes late", () => {
    const source = new CancelSource();
    const heard = vi.fn();
    const stopped = vi.fn();
    source.signal.addEventListener("abort", heard);
    source.signal.addEventListener("abort", stopped);
    source.signal.removeEventListener("abort", stopped);
    expect(source.signal.aborted).toBe(false);
    source.abort();
    source.abort();
    const late = vi.fn();
    source.signal.addEventListener("abort", late);
    source.abort();
    expect(source.signal.aborted).toBe(true);
    expect(heard).toHaveBeenCalledTimes(1);
    expect(stopped).not.toHaveBeenCalled();
    expect(late).not.toHaveBeenCalled();
  });

  it("spares whoever is told by another listener that it is over", () => {
    const source = new CancelSource();
    const second = vi.fn();
    source.signal.addEventListener("abort", () => source.signal.removeEventListener("abort", second));
    source.signal.addEventListener("abort", second);
    source.abort();
    expect(second).not.toHaveBeenCalled();
  });
});

describe.each([
  ["with the platform's signal", withDeadline],
  ["with a signal of our own", withCancelSignal],
])("work with a deadline, %s", (_name, deadline) => {
  it("that doesn't heed its signal ends with the time that it has, and its signal is aborted", async () => {
    const aborted = vi.fn();
    const late = deadline(1, (signal) => {
      signal.addEventListener("abort", aborted);
      return new Promise<never>(() => {});
    });
    await expect(late).rejects.toBeInstanceOf(DeadlineError);
    expect(aborted).toHaveBeenCalledTimes(1);
  });

  it("is aborted with what it is a part of, before or after it began", async () => {
    const whole = new CancelSource();
    const part = deadline(
      60_000,
      (signal) =>
        new Promise<never>((_resolve, reject) => {
          signal.addEventListener("abort", () => reject(new Error("aborted")));
        }),
      whole.signal,
    );
    whole.abort();
    await expect(part).rejects.toThrow("aborted");
    expect(await deadline(60_000, async (signal) => signal.aborted, whole.signal)).toBe(true);
  });

  it("that fails has what it left open aborted; that is done has not", async () => {
    const failed = vi.fn();
    const done = vi.fn();
    const fails = deadline(60_000, async (signal) => {
      signal.addEventListener("abort", failed);
      throw new Error("broken off");
    });
    await expect(fails).rejects.toThrow("broken off");
    expect(failed).toHaveBeenCalledTimes(1);
    const whole = new CancelSource();
    expect(
      await deadline(
        60_000,
        async (signal) => {
          signal.addEventListener("abort", done);
          return "done";
        },
        whole.signal,
      ),
    ).toBe("done");
    whole.abort();
    expect(done).not.toHaveBeenCalled();
  });
});
