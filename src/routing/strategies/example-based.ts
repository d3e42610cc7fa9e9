/**
 * Routing by examples: each worker says with up to 100 sentences what it is for (`capabilities.examples`), and who has the likest
 * gets the request. No model is called; the confidence is the share of such decisions that were right on sentences not seen before.
 */
import type { LabelledExample } from "../../text/example-classifier.js";
import type { RoutingInput, StrategyOutcome } from "../routing-input.js";
import type { Strategy, StrategyPorts } from "./strategy.js";

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
): StrategyOutcome {
  const text = [input, ...clarifications.map(({ answer }) => answer)].join("\n");
  const matches = classifier.classify(text);
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

function alike(similarity: number): string {
  return `${Math.round(100 * Math.min(1, similarity))} % like`;
}

export const exampleBased: Strategy<"example-based"> = {
  name: "example-based",
  execution: "step",
  decide: async (input, ports) => routeByExamples(input, ports.examples()),
};
