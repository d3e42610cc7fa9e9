/** Report how often supervisors, and single rules of them, were wrong, as far as people labelled their decisions. */
import { z } from "zod";
import { defined } from "../../conversation/defined.js";
import { DecisionStore, type LabelCount } from "../../stores/decision-store.js";
import { falseAlarms, type LabelCounts } from "../../supervision/decisions.js";
import { lazily } from "../../text/lazily.js";
import { act } from "../act.js";
import { rangeInput } from "./list-decisions.js";

const dayMs = 86_400_000;

const countsSchema = lazily(() =>
  z.object({
    labelled: z.int(),
    right: z.int(),
    wrong: z.int(),
    unsure: z.int(),
    /** The share of wrong ones among those labelled right or wrong, with its 95 % interval (Wilson); from 20 on. */
    falseAlarms: z.object({ share: z.number(), low: z.number(), high: z.number() }).optional(),
    /** In words: `9 of 31 labelled wrong`. */
    summary: z.string(),
  }),
);

export const decisionReportSchema = lazily(() =>
  z.object({
    from: z.iso.datetime(),
    to: z.iso.datetime(),
    items: z.array(
      countsSchema().extend({
        supervisor: z.string(),
        /** Of those that have any, the most often wrong first. */
        rules: z.array(countsSchema().extend({ rule: z.string() })),
      }),
    ),
    /** Messages that passed, and were labelled: `wrong` should have been stopped. */
    passed: countsSchema(),
  }),
);

export const reportDecisions = act("reportDecisions", {
  role: "operator",
  reviewers: true,
  route: {
    method: "get",
    path: "/v1/decisions/report",
    tag: "Decisions",
    summary: "How often each supervisor and rule was wrong, by labels (operators)",
    description:
      "Counts decisions that somebody has labelled, each once, by its newest label; of the last 30 days, if no range is said. What reviewers answered is no label.",
    answer: "By supervisor, the most often wrong first",
  },
  input: () => z.object(rangeInput()),
  output: () => decisionReportSchema(),
  run: async (actor, { from, to }, { near, now }) => {
    const end = to ?? now() + 1;
    const begin = from ?? end - 30 * dayMs;
    const counts = await new DecisionStore(near.db).counts(actor.tenantId, begin, end);
    const stopped = counts.filter(({ action }) => action !== "allow");
    const bySupervisor = Map.groupBy(stopped, ({ supervisor }) => supervisor);
    const items = [...bySupervisor].map(([supervisor, of]) => ({
      supervisor,
      ...summed(of.filter(({ rule }) => rule === null)),
      rules: [...Map.groupBy(of, ({ rule }) => rule)]
        .flatMap(([rule, ofRule]) => (rule === null ? [] : { rule, ...summed(ofRule) }))
        .toSorted(byWrong),
    }));
    return {
      from: new Date(begin).toISOString(),
      to: new Date(end).toISOString(),
      items: items.toSorted(byWrong),
      passed: summed(counts.filter(({ action, rule }) => action === "allow" && rule === null)),
    };
  },
});

function summed(counts: readonly LabelCount[]) {
  const of = (wanted: keyof LabelCounts): number =>
    counts.reduce((sum, { label, n }) => sum + (label === wanted ? n : 0), 0);
  const labelled = { right: of("right"), wrong: of("wrong"), unsure: of("unsure") };
  const all = labelled.right + labelled.wrong + labelled.unsure;
  return {
    labelled: all,
    ...labelled,
    ...defined({ falseAlarms: falseAlarms(labelled) }),
    summary: `${labelled.wrong} of ${all} labelled wrong`,
  };
}

function byWrong(a: LabelCounts, b: LabelCounts): number {
  return b.wrong - a.wrong;
}
