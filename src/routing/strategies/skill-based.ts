/** Routing by skills: who names most of what the input speaks of. */

import { mentions, wordsOf } from "../../text/words.js";
import type { RoutingInput, StrategyOutcome } from "../routing-input.js";
import type { Strategy } from "./strategy.js";

const skillWeight = 2;
/** From this score on the choice is certain. */
const certainScore = 5;
const unmatchedConfidence = 0.5;

/** Twice the matching skills plus the matching tools; no match: the first that can work, at half confidence. */
export function routeBySkills({ input, clarifications, live }: RoutingInput): StrategyOutcome {
  const text = wordsOf([input, ...clarifications.map(({ answer }) => answer)].join("\n"));
  const scored = live.map((worker) => {
    const skills = worker.skills.filter((skill) => mentions(text, skill));
    const tools = worker.tools.filter((tool) => mentions(text, tool));
    return { id: worker.id, matched: [...skills, ...tools], score: skillWeight * skills.length + tools.length };
  });
  const [best] = scored.toSorted((a, b) => b.score - a.score);
  if (best === undefined) return { kind: "none", why: "no worker is available" };
  if (best.score === 0) {
    const [first = best] = scored;
    const reasoning = "No skill of any worker matches; the first available one is taken.";
    return { kind: "route", choice: { targets: [first.id], reasoning, confidence: unmatchedConfidence } };
  }
  return {
    kind: "route",
    choice: {
      targets: [best.id],
      reasoning: `Matches ${best.matched.join(", ")} (score ${best.score}).`,
      confidence: Math.min(best.score / certainScore, 1),
    },
  };
}

export const skillBased: Strategy<"skill-based"> = {
  name: "skill-based",
  execution: "step",
  decide: async (input) => routeBySkills(input),
};
