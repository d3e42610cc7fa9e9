/**
 * Routing by examples: each worker says with up to 100 sentences what it is for (`capabilities.examples`), and who has the likest
 * gets the request. No model is called; the confidence is the share of such decisions that were right on sentences not seen before.
 * @decides whose `capabilities.examples` the request is like, with a calibrated confidence
 * @state none
 */
import { isControlFlow } from "../../agent/journal.js";
import type { LabelledExample, LabelMatch } from "../../text/example-classifier.js";
import type { RoutingInput, StrategyOutcome } from "../routing-input.js";
import type { Strategy, StrategyPorts } from "./strategy.js";

/** The tenant's embedding provider couldn't say what a request means. */
export class MeaningUnavailableError extends Error {
  constructor(options: { readonly cause: unknown }) {
    super("the embedding provider failed", options);
  }
}

interface Exemplary {
  readonly id: string;
  readonly description: string;
  readonly capabilities: { readonly skills: readonly string[]; readonly examples: readonly string[] };
}

/** What the workers of a team are told by. One without examples is told by its description and its skills. */
export function examplesOf(workers: readonly Exemplary[]): LabelledExample[] {
  return workers.flatMap(({ id, description, capabilities: { skills, examples } }) =>
    (examples.length > 0 ? examples : [description, ...skills]).map((text) => ({ label: id, text })),
  );
}

/**
 * @example
 * // billing: ["I was charged twice", …], technical: ["the app crashes", …]
 * routeByExamples({ input: "you charged me two times", … }, classifier)
 * // { kind: "route", choice: { targets: ["billing"], confidence: 0.93, … } }
 */
export function routeByExamples(
  { input, clarifications, live }: Pick<RoutingInput, "input" | "clarifications" | "live">,
  classifier: ReturnType<StrategyPorts["examples"]>,
  likenesses?: ReadonlyMap<string, number>,
): StrategyOutcome {
  const byWords = classifier.classify(textOf({ input, clarifications }));
  const matches = likenesses === undefined ? byWords : withMeaning(byWords, likenesses);
  const best = matches.find(({ label }) => live.some(({ id }) => id === label));
  if (best === undefined) return { kind: "none", why: "no worker that is available has examples" };
  if (best.confidence === 0) return { kind: "none", why: "the request has nothing in common with any example" };
  const runnerUp = matches.find(({ label }) => label !== best.label);
  const next = runnerUp === undefined ? "" : `, ${alike(runnerUp.similarity)} those of ${runnerUp.label}`;
  return {
    kind: "route",
    choice: {
      targets: [best.label],
      reasoning: `${alike(best.similarity)} the examples of ${best.label}${next}.`,
      confidence: best.confidence,
    },
  };
}

function textOf({ input, clarifications }: Pick<RoutingInput, "input" | "clarifications">): string {
  return [input, ...clarifications.map(({ answer }) => answer)].join("\n");
}

/** How sharply likeness of meaning tells workers apart; not measured, since it depends on the provider's model. */
const sharpness = 20;

/** Words and meaning count the same: the mean of the confidence by words and the share of the likeness by meaning. */
function withMeaning(matches: readonly LabelMatch[], likenesses: ReadonlyMap<string, number>): readonly LabelMatch[] {
  const weightOf = (label: string): number => Math.exp(sharpness * ((likenesses.get(label) ?? -1) - 1));
  const total = matches.reduce((sum, { label }) => sum + weightOf(label), 0) || 1;
  return matches
    .map((match) => ({ ...match, confidence: (match.confidence + weightOf(match.label) / total) / 2 }))
    .toSorted((a, b) => b.confidence - a.confidence);
}

function alike(similarity: number): string {
  return `${Math.round(100 * Math.min(1, similarity))} % like`;
}

export const exampleBased: Strategy<"example-based"> = {
  name: "example-based",
  execution: "step",
  decide: async (input, { examples, meaning }) => {
    try {
      return routeByExamples(input, examples(), await meaning?.(textOf(input)));
    } catch (error) {
      if (isControlFlow(error) || !(error instanceof MeaningUnavailableError)) throw error;
      const outcome = routeByExamples(input, examples());
      const note = " By words alone: the embedding provider failed.";
      if (outcome.kind !== "route") return outcome;
      return { ...outcome, choice: { ...outcome.choice, reasoning: outcome.choice.reasoning + note } };
    }
  },
};
