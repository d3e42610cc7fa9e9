import { expect, it } from "vitest";
import { BulkTurns } from "../../src/platform/bulk-turns.js";

/** A clock that runs where somebody sleeps, and pieces that take as long as they say. */
function turnsUnderClock() {
  let at = 0;
  const sleepers: { at: number; wake: () => void }[] = [];
  const sleep = (milliseconds: number) =>
    new Promise<void>((wake) => {
      sleepers.push({ at: at + milliseconds, wake });
    });
  const run = async (): Promise<void> => {
    for (;;) {
      for (let turn = 0; turn < 20; turn++) await Promise.resolve();
      const next = sleepers.sort((a, b) => a.at - b.at).shift();
      if (next === undefined) return;
      at = Math.max(at, next.at);
      next.wake();
    }
  };
  return { turns: new BulkTurns({ now: () => at, sleep }), sleep, run, now: () => at };
}

it("does two pieces at a time, and pauses for as long as each took", async () => {
  const { turns, sleep, run, now } = turnsUnderClock();
  const began: number[] = [];
  let underWay = 0;
  let most = 0;
  const piece = async (): Promise<void> => {
    began.push(now());
    most = Math.max(most, ++underWay);
    await sleep(20);
    underWay--;
  };
  const all = Promise.all(Array.from({ length: 10 }, () => turns.run("a", piece)));
  await run();
  await all;
  expect(most).toBe(2);
  expect(began).toEqual([0, 0, 40, 40, 80, 80, 120, 120, 160, 160]);
});

it("lets a tenant that comes later have every second turn beside one with many pieces", async () => {
  const { turns, sleep, run } = turnsUnderClock();
  const order: string[] = [];
  const piece = (tenant: string) => turns.run(tenant, () => sleep(10 + 0 * order.push(tenant)));
  const all = Promise.all([
    ...Array.from({ length: 20 }, () => piece("import")),
    ...Array.from({ length: 4 }, () => piece("other")),
  ]);
  await run();
  await all;
  const last = order.lastIndexOf("other");
  expect(order.slice(0, last + 1).filter((tenant) => tenant === "import").length).toBeLessThanOrEqual(6);
  expect(order).toHaveLength(24);
});

it("goes on after a piece that failed, or that nobody ended", async () => {
  const { turns, sleep, run } = turnsUnderClock();
  await expect(turns.run("a", () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  for (let dead = 0; dead < 2; dead++) void turns.run("a", () => new Promise<void>(() => {}));
  const done = turns.run("a", () => sleep(1));
  await run();
  await done;
});
