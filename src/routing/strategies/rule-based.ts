/**
 * Routing by rules that are data: the first one whose conditions all hold, and whose workers can work, decides.
 * @decides the first of `rules` that holds (`contains`, `pattern`, `metadata`, earlier `result`)
 * @state none
 */

import { ownValue } from "../../conversation/own-value.js";
import { compilePattern } from "../../supervision/rules/patterns.js";
import type { RoutingInput, StrategyOutcome, WorkerResult } from "../routing-input.js";
import type { RoutingRule } from "./routing-rule.js";
import type { Strategy } from "./strategy.js";

export const ruleBased: Strategy<"rule-based"> = {
  name: "rule-based",
  execution: "step",
  settingsProblem: ({ rules }) =>
    rules.length === 0 ? { setting: "rules", message: "the rule-based strategy needs rules" } : undefined,
  decide: async (input, { settings }) => routeByRules(settings.rules, input),
};

function routeByRules(rules: readonly RoutingRule[], input: RoutingInput): StrategyOutcome {
  const live = new Set(input.live.map(({ id }) => id));
  for (const [index, rule] of rules.entries()) {
    if (!holds(rule, input)) continue;
    const targets = [...new Set([rule.to].flat())].filter((id) => live.has(id));
    if (targets.length === 0) continue;
    const reasoning = rule.reasoning ?? `Rule ${index + 1} applies.`;
    // A rule about results may follow on this one: the rules are evaluated again until none applies.
    const reevaluate = rules.some(({ when }) => when.result !== undefined);
    return { kind: "route", choice: { targets, reasoning, confidence: rule.confidence, reevaluate } };
  }
  return input.results.some(({ status }) => status === "completed")
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
    Object.entries(when.metadata ?? {}).every(([name, value]) => ownValue(metadata, name) === value) &&
    (when.result === undefined || results.some((result) => matches(result, when.result ?? {})))
  );
}

function matches(
  result: WorkerResult,
  {
    worker,
    status,
    contains,
  }: { worker?: string | undefined; status?: string | undefined; contains?: string | undefined },
): boolean {
  const text = (result.output ?? result.error ?? "").toLowerCase();
  return (
    (worker === undefined || worker === result.worker) &&
    (status === undefined || status === result.status) &&
    (contains === undefined || text.includes(contains.toLowerCase()))
  );
}
