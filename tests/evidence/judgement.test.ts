import { expect, it } from "vitest";
import { type ItemResult, resultSchema } from "../../src/evidence/evaluation.js";
import { judgedOf, judgementOf } from "../../src/evidence/judgement.js";

const said = (winner: string) => resultSchema().parse({ action: "allow", latencyMs: 1, winner });
const items = (count: number, winner: "candidate" | "against" | "tie", from = 0, flipped = false): ItemResult[] =>
  Array.from({ length: count }, (_none, at) => ({
    ...{ itemId: `itm_${from + at}`, candidate: "new", repeat: 0, judged: { winner, flipped } },
    result: { action: "allow", latencyMs: 1 },
  }));

it("a winner counts where it wins in both orders, and nothing where there was nothing to compare", () => {
  expect(judgedOf(said("candidate"), said("candidate"))).toEqual({ winner: "candidate", flipped: false });
  expect(judgedOf(said("candidate"), said("against"))).toEqual({ winner: "tie", flipped: true });
  expect(judgedOf(said("tie"), said("against"))).toEqual({ winner: "tie", flipped: true });
  expect(judgedOf(said("none"), said("none"))).toBeUndefined();
  expect(judgedOf(said("candidate"), undefined)).toBeUndefined();
  const failed = resultSchema().parse({ action: "allow", latencyMs: 1, failed: "no last line" });
  expect(judgedOf(said("candidate"), failed)).toEqual({ flipped: false, failed: "no last line" });
});

it("a judge's preference is a result where it is shown, and the flips are said", () => {
  const many = judgementOf(
    [...items(30, "candidate"), ...items(5, "against", 30), ...items(5, "tie", 35, true)],
    "new",
    "now",
  );
  expect(many).toMatchObject({
    items: 40,
    better: 30,
    worse: 5,
    ties: 5,
    flips: { pairs: 5, share: { share: 0.125 } },
  });
  expect(many?.summary).toBe("The judge prefers new: new better in 30, now in 5, 5 ties.");
  expect(judgementOf([...items(12, "candidate"), ...items(10, "against", 12)], "new", "now")?.summary).toContain(
    "No difference",
  );
  expect(judgementOf(items(19, "candidate"), "new", "now")?.summary).toContain("Not enough yet");
  const [one] = items(1, "tie");
  expect(
    one && judgementOf([{ ...one, judged: { flipped: false, failed: "no last line" } }], "new", "now"),
  ).toMatchObject({
    ...{ items: 0, ties: 0, failed: 1, flips: { pairs: 0 } },
  });
  expect(judgementOf([], "new", "now")).toBeUndefined();
});
