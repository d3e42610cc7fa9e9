import { describe, expect, it } from "vitest";
import {
  type AttemptRecord,
  afterDeath,
  decideAttempt,
  maxDeaths,
  maxDeathsAlone,
  newAttempt,
} from "../../src/agent/attempts.js";
import { randomFrom } from "../support/random.js";

const nobody = { works: 0, suspects: 0, since: 0 };

/** Tries work again and again that always dies at the same step; gives the waits between its tries. */
function waitsUntilGivenUp(load = nobody): number[] {
  let record: AttemptRecord = newAttempt;
  let now = 1_000_000;
  const waits: number[] = [];
  for (let attempt = 0; attempt < 100; attempt++) {
    const from = now;
    let decision = decideAttempt(record, load, now);
    while (decision.kind === "later") {
      now = decision.at;
      decision = decideAttempt(record, load, now);
    }
    if (decision.kind === "given_up") return waits;
    waits.push(now - from);
    record = { ...record, beganAt: now, company: decision.company };
    now += 30_000;
    record = afterDeath(record, { now, progress: "3", lastSignAt: now - 30_000, random: 0.5 });
  }
  throw new Error("it was never given up");
}

describe("work whose object dies in the middle", () => {
  it("is tried at once, then after waits that grow, and given up at the fifth death", () => {
    expect(waitsUntilGivenUp()).toEqual([0, 2_000, 10_000, 60_000, 300_000]);
  });

  it("goes on at once when it was alive a moment before its first death: nothing hung", () => {
    const died = { now: 10_000, progress: "", lastSignAt: 8_000, random: 0.5 };
    const once = afterDeath({ ...newAttempt, beganAt: 8_000 }, died);
    expect(decideAttempt(once, nobody, 10_000).kind).toBe("go");
    expect(decideAttempt(afterDeath(once, died), nobody, 10_000)).toEqual({ kind: "later", at: 15_000 });
  });

  it("waits for others in its process to finish, but not for ever; a death beside them isn't counted as its own", () => {
    const once = afterDeath(newAttempt, { now: 0, progress: "", lastSignAt: -60_000, random: 0.5 });
    const busy = { works: 3, suspects: 0, since: 0 };
    expect(decideAttempt(once, busy, 2_000)).toEqual({ kind: "later", at: 2_500 });
    expect(decideAttempt(once, busy, 5_000)).toEqual({ kind: "go", company: "others" });
    expect(waitsUntilGivenUp(busy)).toHaveLength(maxDeaths);
    expect(waitsUntilGivenUp(nobody)).toHaveLength(maxDeathsAlone + 1);
  });

  it("goes on within some seconds of its process's life though that crashed ten times, where it never died alone", () => {
    let record: AttemptRecord = newAttempt;
    let now = 0;
    for (let crash = 0; crash < 10; crash++) {
      now += 60_000;
      record = { ...record, company: "others" };
      record = afterDeath(record, { now, progress: "3", lastSignAt: now - 30_000, random: 0.99 });
    }
    expect(record).toMatchObject({ deaths: 10, deathsAlone: 0 });
    const busy = { works: 20, suspects: 0, since: now };
    expect(record.retryAt - now).toBeLessThan(13_000);
    expect(decideAttempt(record, busy, now + 25_000)).toEqual({ kind: "go", company: "others" });
  });

  it("counts no death at which work that had died before was tried: it only stood by", () => {
    const decision = decideAttempt(newAttempt, { works: 1, suspects: 1, since: 0 }, 0);
    expect(decision).toEqual({ kind: "go", company: "suspect" });
    const after = afterDeath(
      { ...newAttempt, company: "suspect" },
      { now: 0, progress: "", lastSignAt: -60_000, random: 0 },
    );
    expect(after).toMatchObject({ deaths: 0, retryAt: 0 });
  });

  it("begins to count anew when a step was done since", () => {
    const died = { now: 0, lastSignAt: -60_000, random: 0.5 };
    const twice = afterDeath(afterDeath(newAttempt, { ...died, progress: "1" }), { ...died, progress: "1" });
    expect(twice.deaths).toBe(2);
    expect(afterDeath(twice, { ...died, progress: "2" }).deaths).toBe(1);
  });
});

interface Work {
  readonly isCulprit: boolean;
  record: AttemptRecord;
  endsAt?: number | undefined;
  state: "open" | "done" | "given_up";
}

/** A process in which a culprit dies in whatever it tries, and takes everything with it that is at work at that time. */
function simulate(seed: number, culprits: number, innocents: number): Work[] {
  const random = randomFrom(seed);
  const works = Array.from(
    { length: culprits + innocents },
    (_, index): Work => ({ isCulprit: index < culprits, record: newAttempt, state: "open" }),
  );
  let since = 0;
  for (let now = 0; now < 10 * 3_600_000; now += 250) {
    if (works.every(({ state }) => state !== "open")) return works;
    let died = false;
    for (const work of [...works].sort(() => random() - 0.5)) {
      if (work.state !== "open" || died) continue;
      if (work.endsAt !== undefined) {
        if (work.endsAt <= now) work.state = "done";
        continue;
      }
      const others = works.filter((other) => other !== work && other.state === "open" && other.endsAt !== undefined);
      const load = {
        works: others.length,
        suspects: others.filter(({ record }) => record.deathsAlone > 0).length,
        since,
      };
      const decision = decideAttempt(work.record, load, now);
      if (decision.kind === "given_up") work.state = "given_up";
      if (decision.kind !== "go") continue;
      work.record = { ...work.record, beganAt: now, company: decision.company };
      work.endsAt = now + 500 + random() * 4_000;
      died = work.isCulprit;
    }
    if (!died) continue;
    // Hung for a while, killed, and started again.
    now += 20_000;
    since = now;
    for (const work of works) {
      if (work.state !== "open" || work.endsAt === undefined) continue;
      const death = { now, progress: "", lastSignAt: work.record.beganAt, random: random() };
      work.record = afterDeath(work.record, death);
      work.endsAt = undefined;
    }
  }
  return works;
}

it.each(Array.from({ length: 40 }, (_, seed) => seed))(
  "a process with work that takes it down: that is given up, and no other is (seed %i)",
  (seed) => {
    const works = simulate(seed, 1 + (seed % 3), 2 + (seed % 17));
    expect(works.filter(({ isCulprit }) => isCulprit).every(({ state }) => state === "given_up")).toBe(true);
    expect(works.filter(({ isCulprit }) => !isCulprit).every(({ state }) => state === "done")).toBe(true);
  },
);
