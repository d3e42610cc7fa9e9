/** Who gets which variant, what a guard stops, and when an experiment may say anything. */
import { describe, expect, it } from "vitest";
import {
  allocate,
  assign,
  control,
  type LiveExperiment,
  newExperiment,
  newExperimentSchema,
  onlyRaises,
  raised,
  servedBy,
  sharesOf,
  started,
} from "../../src/evidence/experiment.js";
import { experimentReport, trippedBy, type UnitCount } from "../../src/evidence/experiment-report.js";
import { seededRandom } from "../../src/statistics/random.js";

const at = "2026-11-28T09:00:00.000Z";
const made = (variants: readonly { name: string; share: number }[], more: object = {}): LiveExperiment => ({
  ...started(
    newExperiment(
      newExperimentSchema().parse({
        agent: "shop",
        variants: variants.map((one) => ({ ...one, agent: `shop-${one.name}` })),
        ...more,
      }),
      "seed",
    ),
    Object.fromEntries(variants.map(({ name }) => [name, 3])),
    at,
  ),
  name: "trial",
});
const subjects = (count: number) =>
  Array.from({ length: count }, (_none, n) => ({ subject: `customer-${n}`, sessionId: `ses_${n}` }));

describe("end users", () => {
  it("fall on variants as the shares say, and always on the same one", () => {
    const experiment = made([
      { name: "a", share: 0.3 },
      { name: "b", share: 0.2 },
    ]);
    const counted = new Map<string, number>();
    for (const one of subjects(100_000)) {
      const { variant } = assign(experiment, one);
      counted.set(variant, (counted.get(variant) ?? 0) + 1);
    }
    for (const [name, share] of [
      ["a", 0.3],
      ["b", 0.2],
      [control, 0.5],
    ] as const)
      expect(Math.abs((counted.get(name) ?? 0) / 100_000 - share)).toBeLessThan(0.005);
    const ana = { subject: "ana", sessionId: "ses_1" };
    expect(assign(experiment, ana)).toEqual(assign(experiment, { ...ana, sessionId: "ses_2" }));
    expect(assign({ ...experiment, unit: "session" }, ana).unit).not.toBe(assign(experiment, ana).unit);
  });

  it("leave no other variant when a share grows: what is added comes from the control", () => {
    const before = made([
      { name: "a", share: 0.1 },
      { name: "b", share: 0.1 },
    ]);
    const after = {
      ...raised(
        before,
        before.variants.map((one) => (one.name === "a" ? { ...one, share: 0.4 } : one)),
      ),
      name: "trial",
    };
    for (const one of subjects(5_000)) {
      const was = assign(before, one).variant;
      if (was !== control) expect(assign(after, one).variant).toBe(was);
    }
    expect(after.phases).toEqual([
      { a: 0.1, b: 0.1, [control]: 0.8 },
      { a: 0.4, b: 0.1, [control]: 0.5 },
    ]);
    expect(sharesOf(allocate([], [{ name: "a", share: 0.25 }]), [{ name: "a" }])).toEqual({ a: 0.25, [control]: 0.75 });
  });

  it("are answered by the variant's agent as it was at the start, and by the control once a guard has stopped it", () => {
    const experiment = made([{ name: "a", share: 0.5 }]);
    const { variant, ...rest } = assign(experiment, { sessionId: "ses_1" });
    expect(servedBy({ ...rest, variant: "a" }, [experiment])).toEqual({ name: "shop-a", version: 3 });
    expect(servedBy({ ...rest, variant: control }, [experiment])).toBeUndefined();
    const stopped = { ...experiment, tripped: [{ variant: "a", metric: "failed" as const, evidence: 120, at }] };
    expect(servedBy({ ...rest, variant: "a" }, [stopped])).toBeUndefined();
    // Another of the same name, made anew.
    expect(servedBy({ ...rest, variant: "a" }, [{ ...experiment, seed: "other" }])).toBeUndefined();
  });
});

it("while it runs shares grow, and nothing else changes", () => {
  const before = newExperimentSchema().parse({ agent: "shop", variants: [{ name: "a", agent: "b", share: 0.1 }] });
  const share = (value: number) => ({ ...before, variants: [{ name: "a", agent: "b", share: value }] });
  expect(onlyRaises(before, share(0.2))).toBe(true);
  expect(onlyRaises(before, share(0.05))).toBe(false);
  expect(onlyRaises(before, { ...share(0.2), unit: "session" })).toBe(false);
});

/** Units one after another; after each it is looked whether a guard trips. */
function unitsUntilStopped(
  rates: Readonly<Record<string, number>>,
  experiment: LiveExperiment,
  most: number,
  seed: string,
) {
  const random = seededRandom(seed);
  const counts = new Map<string, { units: number; blocked: number }>();
  for (let unit = 1; unit <= most; unit++) {
    const { variant } = assign(experiment, { sessionId: `${seed} ${unit}` });
    const so = counts.get(variant) ?? { units: 0, blocked: 0 };
    const isBad = random() < (rates[variant] ?? 0);
    counts.set(variant, { units: so.units + 1, blocked: so.blocked + (isBad ? 1 : 0) });
    if (
      isBad &&
      trippedBy(
        experiment,
        [...counts].map(([name, one]) => count(name, one)),
      ).length > 0
    )
      return counts.get("a")?.units;
  }
  return undefined;
}
const count = (variant: string, { units, blocked }: { units: number; blocked: number }): UnitCount => ({
  ...{ variant, phase: 0, units, blocked, failed: 0, degraded: 0, negative: 0 },
});

describe("a guard", () => {
  const experiment = made([{ name: "a", share: 0.1 }], { guards: [{ metric: "blocked", margin: 1.5, bar: 100 }] });
  const seeds = Array.from({ length: 50 }, (_none, n) => `seed-${n}`);

  it("stops a variant that blocks five times as many, after some dozens of its units", () => {
    const stopped = seeds.map((seed) => unitsUntilStopped({ [control]: 0.05, a: 0.25 }, experiment, 20_000, seed));
    expect(stopped.filter((units) => units === undefined)).toEqual([]);
    expect(stopped.map(Number).toSorted((a, b) => a - b)[25]).toBeLessThanOrEqual(80);
  });

  it("stops none that does as the control does, but for two of fifty", () => {
    const stopped = seeds.map((seed) => unitsUntilStopped({ [control]: 0.05, a: 0.05 }, experiment, 3_000, seed));
    expect(stopped.filter((units) => units !== undefined).length).toBeLessThanOrEqual(2);
  });
});

describe("a report", () => {
  const experiment = made([{ name: "a", share: 0.5 }]);
  const half = (units: number, blocked: number, other = blocked): UnitCount[] => [
    count(control, { units, blocked }),
    count("a", { units, blocked: other }),
  ];

  it("says that it is too early, and about how many conversations more", () => {
    expect(experimentReport(experiment, half(10, 1))).toMatchObject({
      verdict: "not_enough",
      summary: "Too early to say: about 80 conversations more.",
    });
  });

  it("names a difference that is none of chance, and none where there is none", () => {
    expect(experimentReport(experiment, half(1_000, 40, 120))).toMatchObject({
      verdict: "difference",
      summary: expect.stringContaining("control 4 %, a 12 %"),
    });
    expect(experimentReport(experiment, half(1_000, 50, 52)).verdict).toBe("no_difference");
  });

  it("names nobody where the units aren't divided as they should be", () => {
    const counts = [count(control, { units: 5_000, blocked: 100 }), count("a", { units: 5_500, blocked: 400 })];
    expect(experimentReport(experiment, counts)).toMatchObject({ verdict: "broken_split", split: { broken: true } });
  });

  it("finds none in two hundred experiments without a difference, looked at every hundred units, but for ten", () => {
    const random = seededRandom("none");
    let named = 0;
    for (let n = 0; n < 200; n++) {
      const counts = [
        { units: 0, blocked: 0 },
        { units: 0, blocked: 0 },
      ];
      for (let unit = 1; unit <= 2_000; unit++) {
        const one = counts[random() < 0.5 ? 0 : 1];
        if (one === undefined) continue;
        one.units++;
        if (random() < 0.1) one.blocked++;
        if (unit % 100 > 0) continue;
        const [first, second] = counts;
        if (first === undefined || second === undefined) continue;
        if (experimentReport(experiment, [count(control, first), count("a", second)]).verdict === "difference") {
          named++;
          break;
        }
      }
    }
    expect(named).toBeLessThanOrEqual(10);
  });
});
