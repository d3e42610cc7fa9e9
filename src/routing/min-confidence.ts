/** What is done with a decision that is less sure than the team's `minConfidence`: the fallback worker, a person, or the supervisor's model. */
import { askRequestOf } from "../agent/built-in/ask-human.js";
import { clarificationOf } from "./clarifications.js";
import type { Choice, RoutingInput } from "./routing-input.js";
import type { SupervisorDecision } from "./strategies/strategy.js";
import { askSupervisor } from "./supervisor-agent.js";
import { askingOf, sanitized, type TeamContext } from "./team-context.js";

/** Decisions that say how sure they are pass where they are sure enough. @throws {Parked} while a person is asked. */
export async function demandConfidence(
  run: TeamContext,
  input: RoutingInput,
  decision: SupervisorDecision,
): Promise<SupervisorDecision> {
  const { minConfidence, then, strategy } = run.team.definition.supervisor;
  const { outcome } = decision;
  if (minConfidence === undefined || outcome.kind !== "route" || outcome.choice.confidence >= minConfidence) {
    return decision;
  }
  const unsure = (why: string): SupervisorDecision => ({ ...decision, outcome: { kind: "none", why } });
  const why = `it is only ${percent(outcome.choice.confidence)} sure of ${outcome.choice.targets.join(", ")}, and ${percent(minConfidence)} are demanded`;
  switch (then) {
    case "fallback":
      return unsure(why);
    case "llm-based": {
      if (strategy === "llm-based") return unsure(why);
      const second = await askSupervisor(run, input);
      return { ...second, problems: [...decision.problems, ...second.problems] };
    }
    case "ask":
      return askPerson(run, input, decision, why);
  }
}

async function askPerson(
  run: TeamContext,
  input: RoutingInput,
  decision: SupervisorDecision,
  why: string,
): Promise<SupervisorDecision> {
  const unsure = (more: string): SupervisorDecision => ({
    ...decision,
    outcome: { kind: "none", why: `${why}; ${more}` },
  });
  const { journal } = run.ports;
  const id = `${run.command.id}.s${input.iteration}.ask`;
  if ((await run.permits.decide(id, undefined, journal)).kind !== "ask") return unsure("no more people may be asked");
  const ids = input.live.map((worker) => worker.id);
  const question = "Who should take this request?";
  const context = (await sanitized(run, input.input, "question")).slice(0, 8_000);
  const ask = journal.ask(
    "who",
    askRequestOf(
      { question, context, priority: "normal", accepts: "suggestions", suggestions: ids },
      askingOf(run, "supervisor"),
    ),
  );
  const answer = ask.answer !== undefined && "response" in ask.answer ? ask.answer.response : undefined;
  const target = ids.find((worker) => worker === answer);
  if (target === undefined) return unsure("nobody said who should take it");
  const choice: Choice = { targets: [target], reasoning: "A person chose.", confidence: 1 };
  return {
    ...decision,
    outcome: { kind: "route", choice },
    clarifications: [...decision.clarifications, clarificationOf(ask, question, target)],
  };
}

function percent(share: number): string {
  return `${Math.round(100 * share)} %`;
}
