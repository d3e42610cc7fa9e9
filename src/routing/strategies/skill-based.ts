/**
 * Routing by skills: who names most of what the input speaks of.
 * @decides 2 × matching skills + matching tools; confidence is that / (that + the next worker's + 1); no match: `fallbackWorker`, or without one the first available, at 0
 * @state none
 */

import { mentions, termSet } from "../../text/overlap.js";
import type { RoutingInput, StrategyOutcome } from "../routing-input.js";
import type { Strategy } from "./strategy.js";

const skillWeight = 2;

/**
 * Twice the matching skills plus the matching tools. The confidence grows with what matches and falls with what speaks for the next
 * worker: two thirds for one skill that nobody else has, 0 for a guess.
 * @param fallbackWorker where nothing matches and there is one, nobody is named; otherwise the first that can work is a guess.
 */
export function routeBySkills(
  { input, clarifications, live }: Pick<RoutingInput, "input" | "clarifications" | "live">,
  fallbackWorker?: string,
): StrategyOutcome {
  const text = termSet([input, ...clarifications.map(({ answer }) => answer)].join("\n"));
  const scored = live.map((worker) => {
    const skills = worker.skills.filter((skill) => mentions(text, skill));
    const tools = worker.tools.filter((tool) => mentions(text, tool));
    return { id: worker.id, matched: [...skills, ...tools], score: skillWeight * skills.length + tools.length };
  });
  const [best, next] = scored.toSorted((a, b) => b.score - a.score);
  if (best === undefined) return { kind: "none", why: "no worker is available" };
  if (best.score === 0) {
    if (fallbackWorker !== undefined) return { kind: "none", why: "no skill of any worker matches" };
    const reasoning = "No skill of any worker matches; the first available one is taken, which is a guess.";
    return { kind: "route", choice: { targets: [best.id], reasoning, confidence: 0 } };
  }
  return {
    kind: "route",
    choice: {
      targets: [best.id],
      reasoning: `Matches ${best.matched.join(", ")} (score ${best.score}).`,
      confidence: best.score / (best.score + (next?.score ?? 0) + 1),
    },
  };
}

export const skillBased: Strategy<"skill-based"> = {
  name: "skill-based",
  execution: "step",
  decide: async (input, { settings }) => routeBySkills(input, settings.fallbackWorker),
};
