/** Routing by rules that are data: the first one whose conditions all hold, and whose workers can work, decides. */
import { z } from "zod";
import { itemName } from "../../conversation/names.js";
import { compilePattern } from "../../supervision/rules/patterns.js";
import type { RoutingInput, StrategyOutcome, WorkerResult } from "../routing-input.js";

const pattern = z
  .string()
  .min(1)
  .max(1_000)
  .superRefine((source, context) => {
    try {
      compilePattern(source, "i");
    } catch (error) {
      context.addIssue({ code: "custom", message: error instanceof Error ? error.message : "it can't be read" });
    }
  });

const conditionSchema = z.strictObject({
  /** Any of these phrases stands in the input, whatever the case. */
  contains: z.array(z.string().min(1).max(500)).min(1).max(100).optional(),
  /** In RE2 syntax, whatever the case. */
  pattern: pattern.optional(),
  /** The run's metadata has these values. */
  metadata: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
  /** An earlier result of this run is such. */
  result: z
    .strictObject({
      worker: itemName.optional(),
      status: z.enum(["completed", "failed"]).optional(),
      contains: z.string().min(1).max(500).optional(),
    })
    .optional(),
});

export const routingRuleSchema = z.strictObject({
  /** All that is given has to hold; nothing given always holds, before there are results. */
  when: conditionSchema.default({}),
  to: z.union([itemName, z.array(itemName).min(1).max(20)]),
  reasoning: z.string().max(1_000).optional(),
  confidence: z.number().min(0).max(1).default(1),
});
export type RoutingRule = z.infer<typeof routingRuleSchema>;

export function routeByRules(rules: readonly RoutingRule[], situation: RoutingInput): StrategyOutcome {
  const live = new Set(situation.live.map(({ id }) => id));
  for (const [index, rule] of rules.entries()) {
    if (!holds(rule, situation)) continue;
    const targets = [...new Set([rule.to].flat())].filter((id) => live.has(id));
    if (targets.length === 0) continue;
    const reasoning = rule.reasoning ?? `Rule ${index + 1} applies.`;
    // A rule about results may follow on this one: the rules are asked again until none applies.
    const lookAgain = rules.some(({ when }) => when.result !== undefined);
    return { kind: "route", choice: { targets, reasoning, confidence: rule.confidence, lookAgain } };
  }
  return situation.results.some(({ status }) => status === "completed")
    ? { kind: "finish", reasoning: "No further rule applies." }
    : { kind: "none", why: "no rule applies whose workers can work" };
}

function holds({ when, to }: RoutingRule, { input, metadata, results }: RoutingInput): boolean {
  const text = input.toLowerCase();
  const targets = [to].flat();
  // Who has done its work isn't sent again: rules could otherwise apply for ever.
  if (targets.every((id) => results.some((result) => result.worker === id && result.status === "completed")))
    return false;
  // Once there are results, only rules that speak of results go on.
  if (when.result === undefined && results.some(({ status }) => status === "completed")) return false;
  return (
    (when.contains === undefined || when.contains.some((phrase) => text.includes(phrase.toLowerCase()))) &&
    (when.pattern === undefined || compilePattern(when.pattern, "i").test(input)) &&
    Object.entries(when.metadata ?? {}).every(([name, value]) => metadata[name] === value) &&
    (when.result === undefined || results.some((result) => matches(result, when.result ?? {})))
  );
}

function matches(
  result: WorkerResult,
  wanted: { worker?: string | undefined; status?: string | undefined; contains?: string | undefined },
): boolean {
  const text = (result.output ?? result.error ?? "").toLowerCase();
  return (
    (wanted.worker === undefined || wanted.worker === result.worker) &&
    (wanted.status === undefined || wanted.status === result.status) &&
    (wanted.contains === undefined || text.includes(wanted.contains.toLowerCase()))
  );
}
