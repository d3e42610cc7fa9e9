/** What a judge made of pairs of answers: asked about each in both orders, so that a winner that flips with the order is none. */
import { z } from "zod";
import { defined } from "../conversation/defined.js";
import { pairedTest, rounded, shareOf } from "../statistics/shares.js";
import { lazily } from "../text/lazily.js";
import type { ItemResult, Result } from "./evaluation.js";

/** Orders in which a judge reads two answers. */
export const orders = 2;
/** Items of which fewer say nothing. */
const fewest = 20;

export const judgementSchema = lazily(() =>
  z.object({
    /** Items of which both candidates have an answer. */
    items: z.int(),
    better: z.int(),
    worse: z.int(),
    ties: z.int(),
    /** Pairs of which the judge named another winner in the other order: they count as ties. */
    flips: z.object({
      pairs: z.int(),
      share: z.object({ share: z.number(), low: z.number(), high: z.number() }).optional(),
    }),
    /** Pairs of which the judge named no winner, where there was something to compare. */
    failed: z.int(),
    /** Mid-p of McNemar's test over items. */
    p: z.number(),
    summary: z.string(),
  }),
);
export type Judgement = z.infer<ReturnType<typeof judgementSchema>>;

/**
 * @param first, second what the judge said in each order
 * @returns nothing where it wasn't asked in both, or there was nothing to compare
 */
export function judgedOf(first: Result | undefined, second: Result | undefined): ItemResult["judged"] {
  const failed = first?.failed ?? second?.failed;
  if (failed !== undefined) return { flipped: false, failed };
  const [one, other] = [first?.winner, second?.winner];
  if (one === undefined || other === undefined || one === "none" || other === "none") return undefined;
  return one === other ? { winner: one, flipped: false } : { winner: "tie", flipped: true };
}

/** @param results of the candidate, each with what the judge made of it against the first one */
export function judgementOf(results: readonly ItemResult[], candidate: string, against: string): Judgement | undefined {
  const asked = results.flatMap(({ itemId, judged }) => (judged === undefined ? [] : [{ itemId, ...judged }]));
  if (asked.length === 0) return undefined;
  const pairs = asked.filter(({ winner }) => winner !== undefined);
  const items = [...Map.groupBy(pairs, ({ itemId }) => itemId).values()].map((of) =>
    of.reduce((sum, { winner }) => sum + (winner === "candidate" ? 1 : winner === "against" ? -1 : 0), 0),
  );
  const better = items.filter((sum) => sum > 0).length;
  const worse = items.filter((sum) => sum < 0).length;
  const flips = pairs.filter(({ flipped }) => flipped).length;
  const p = rounded(pairedTest(better, worse));
  const counted = { items: items.length, better, worse, ties: items.length - better - worse, p };
  const failed = asked.length - pairs.length;
  return {
    ...counted,
    failed,
    flips: { pairs: flips, ...defined({ share: shareOf(flips, pairs.length) }) },
    summary: summaryOf(counted, candidate, against),
  };
}

function summaryOf(
  { items, better, worse, ties, p }: Pick<Judgement, "items" | "better" | "worse" | "ties" | "p">,
  candidate: string,
  against: string,
): string {
  const counts = `${candidate} better in ${better}, ${against} in ${worse}, ${ties} ties`;
  if (items < fewest) return `Not enough yet, of ${items} items: ${counts}.`;
  if (p >= 0.05) return `No difference seen: ${counts}.`;
  return `The judge prefers ${better > worse ? candidate : against}: ${counts}.`;
}
