/** Who works next: the team's strategy, its fallback worker where the strategy can't say, and the decision on record. */

import { z } from "zod";
import { askRequestOf } from "../agent/built-in/ask-human.js";
import type { Effect } from "../agent/effects.js";
import { isControlFlow } from "../agent/journal.js";
import type { Audience } from "../asks/policy.js";
import { defined } from "../conversation/defined.js";
import type { ModelMessage } from "../model/port.js";
import { type Clarification, clarificationOf } from "./clarifications.js";
import {
  type Choice,
  type Finding,
  type RoutingInput,
  type StrategyOutcome,
  strategyOutcomeSchema,
  type WorkerResult,
} from "./routing-input.js";
import type { StrategyPorts, SupervisorDecision } from "./strategies/strategy.js";
import { strategyNamed } from "./strategies/table.js";
import { redactForRecord, sanitized } from "./supervised-texts.js";
import { askSupervisor } from "./supervisor-agent.js";
import { plainName, type Team, type Worker } from "./team.js";
import { askingOf, emit, type TeamContext } from "./team-context.js";
import type { ClaimId } from "./team-state.js";
import { type RoutingDecision, routingDecisionSchema } from "./trace.js";

/** What the supervisor learned and did on its way to the decision. */
interface SupervisorWork {
  readonly clarifications: readonly Clarification[];
  readonly exchange: readonly ModelMessage[];
  readonly findings: readonly Finding[];
  readonly effects: readonly Effect[];
}

export type Decided = SupervisorWork &
  (
    | { readonly kind: "route"; readonly choice: Choice; readonly decision: RoutingDecision }
    | { readonly kind: "finish" }
    | { readonly kind: "respond"; readonly response: string }
    | { readonly kind: "none"; readonly why: string }
  );

/** The claim of one of a decision's workers. */
export function claimOf(run: TeamContext, iteration: number, target: number): ClaimId {
  return { work: run.ports.work, id: `${run.command.id}.w${iteration}.${target}` };
}

/** @throws {Parked} while the supervisor waits for a person. */
export async function decide(run: TeamContext, input: RoutingInput): Promise<Decided> {
  const { journal } = run.ports;
  const stays = await stayingWorker(run, input);
  if (stays !== undefined) {
    const { exchange = [] } = input;
    const work: SupervisorWork = { clarifications: [], exchange, findings: [], effects: [] };
    return { kind: "route", choice: stays, decision: await recordDecision(run, input, stays), ...work };
  }
  const { problems, outcome, ...decision } = await demandConfidence(run, input, await askStrategy(run, input));
  const { clarifications, exchange = input.exchange ?? [], findings = [], effects = [] } = decision;
  const work: SupervisorWork = { clarifications, exchange, findings, effects };
  const refused: string[] = [];
  for (const [index, problem] of problems.entries()) refused.push(await sanitized(run, problem, `problem/${index}`));
  if (refused.length > 0) {
    await journal.commit("refused", () => {
      for (const problem of refused) emit(run, { type: "routing.refused", problem });
    });
  }
  switch (outcome.kind) {
    case "finish": {
      const reasoning = await sanitized(run, outcome.reasoning, "reasoning");
      await journal.commit("finished", () => emit(run, { type: "routing.finished", reasoning }));
      return { kind: "finish", ...work };
    }
    case "respond": {
      const reasoning = await sanitized(run, outcome.reasoning, "reasoning");
      await journal.commit("answered", () => emit(run, { type: "routing.answered", reasoning }));
      return { kind: "respond", response: outcome.response, ...work };
    }
    case "none": {
      const why = await redactForRecord(run, outcome.why, "why");
      const choice = fallbackChoice(run, why);
      return choice === undefined
        ? { kind: "none", why, ...work }
        : { kind: "route", choice, decision: await recordDecision(run, input, choice, why), ...work };
    }
    case "route": {
      const { choice } = outcome;
      return { kind: "route", choice, decision: await recordDecision(run, input, choice), ...work };
    }
  }
}

async function askStrategy(run: TeamContext, input: RoutingInput): Promise<SupervisorDecision> {
  if (input.live.length === 0) return unasked({ kind: "none", why: "no worker is available" });
  const { supervisor, workers } = run.team.definition;
  const strategy = strategyNamed(supervisor.strategy);
  const ports: StrategyPorts = {
    settings: supervisor,
    known: workers.map(({ id }) => id),
    teamKey: run.team.key,
    state: run.ports.state,
    decisionId: `${run.ports.work}/${run.command.id}.s${input.iteration}`,
    claim: claimOf(run, input.iteration, 0),
    examples: run.team.examples,
    meaning: run.team.meaning,
    askSupervisor: () => askSupervisor(run, input),
  };
  switch (strategy.execution) {
    case "durable":
      return strategy.decide(input, ports);
    case "step":
      return unasked(
        await run.ports.journal.step<StrategyOutcome>(
          { id: "strategy", kind: "tool", schema: strategyOutcomeSchema, interrupted: "again" },
          async () => {
            try {
              return await strategy.decide(input, ports);
            } catch (error) {
              if (isControlFlow(error)) throw error;
              const detail = error instanceof Error ? error.message : "unknown error";
              return { kind: "none", why: `the strategy failed: ${detail}` };
            }
          },
        ),
      );
  }
}

/** A decision without a model and without questions. */
function unasked(outcome: StrategyOutcome): SupervisorDecision {
  return { outcome, clarifications: [], problems: [] };
}

/** The team's fallback worker, if it can work and hasn't failed already. */
function fallbackChoice(run: TeamContext, why: string): Choice | undefined {
  const { supervisor, workers } = run.team.definition;
  const { fallbackWorker } = supervisor;
  const isAvailable = workers.some(({ id, capabilities }) => id === fallbackWorker && capabilities.available);
  if (fallbackWorker === undefined || !isAvailable || run.failed.has(fallbackWorker)) return undefined;
  return { targets: [fallbackWorker], reasoning: `The fallback worker, because ${why}.`, confidence: 0 };
}

/** @param fallback why the strategy named nobody, when the choice is the fallback worker. */
async function recordDecision(
  run: TeamContext,
  { iteration }: RoutingInput,
  choice: Choice,
  fallback?: string,
): Promise<RoutingDecision> {
  const reasoning = await sanitized(run, choice.reasoning, "reasoning");
  const task = choice.task === undefined ? undefined : await sanitized(run, choice.task, "task");
  return run.ports.journal.step(
    {
      id: "decided",
      kind: "commit",
      schema: routingDecisionSchema,
      interrupted: "again",
      onDone: (decision) => emit(run, { type: "routing.decided", decision }),
    },
    async (): Promise<RoutingDecision> => ({
      ...(choice.targets.length === 1 ? { targetAgent: choice.targets[0] } : { targetAgents: choice.targets }),
      reasoning,
      confidence: choice.confidence,
      strategy: run.team.definition.supervisor.strategy,
      timestamp: new Date(run.ports.now()).toISOString(),
      iteration,
      ...defined({ task, fallback }),
    }),
  );
}

/**
 * Decisions that say how sure they are pass where they are sure enough; the others become the fallback worker's, a person's, or that of
 * the supervisor's model.
 * @throws {Parked} while a person is asked.
 */
async function demandConfidence(
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
  const asking = askingOf(run, "supervisor");
  const audience = asking.policy.audience ?? "staff";
  const workers = run.team.definition.workers.filter(({ id }) => input.live.some((one) => one.id === id));
  const { question, nameOf } = doubtFor[audience];
  const context = (await sanitized(run, input.input, "question")).slice(0, 8_000);
  const suggestions = [...new Set(workers.map(nameOf))];
  const ask = journal.ask(
    "who",
    askRequestOf(
      { question, context, priority: "normal", accepts: "suggestions", suggestions },
      { ...asking, policy: { ...asking.policy, audience } },
    ),
  );
  const answer = ask.answer !== undefined && "response" in ask.answer ? ask.answer.response : undefined;
  // The ids are what the version before suggested to everybody.
  const target = workers.find((worker) => nameOf(worker) === answer || worker.id === answer);
  if (answer === undefined || target === undefined) return unsure("nobody said who should take it");
  const choice: Choice = { targets: [target.id], reasoning: "A person chose.", confidence: 1 };
  return {
    ...decision,
    outcome: { kind: "route", choice },
    clarifications: [...decision.clarifications, clarificationOf(ask, ask.question, answer)],
  };
}

/** How staff is asked who should work, and how an end user is, who knows nothing of workers. */
const doubtFor: Readonly<Record<Audience, { question: string; nameOf: (worker: Worker) => string }>> = {
  staff: { question: "Who should take this request?", nameOf: ({ id }) => id },
  user: { question: "What is this about?", nameOf: plainName },
};

function percent(share: number): string {
  return `${Math.round(100 * share)} %`;
}

/** Only a worker that can hand a task on stays: of one that can't, a session would never get away. */
function canHandOn({ team, http, panel }: Worker): boolean {
  return team === undefined && http === undefined && panel === undefined;
}

/** In a sticky team the worker that answered last goes on with the next message of a session; `undefined` where the strategy decides. */
async function stayingWorker(run: TeamContext, { iteration, live }: RoutingInput): Promise<Choice | undefined> {
  const { supervisor, workers } = run.team.definition;
  if (!supervisor.sticky || iteration > 0) return undefined;
  // Journalled: what answered last may be erased while this message is worked on.
  const { active } = await run.ports.journal.step(
    { id: "sticky", kind: "load", schema: z.object({ active: z.string().optional() }), interrupted: "again" },
    async () => ({ active: run.command.activeWorker }),
  );
  const worker = workers.find(({ id }) => id === active && live.some((one) => one.id === id));
  if (worker === undefined || !canHandOn(worker)) return undefined;
  return {
    targets: [worker.id],
    reasoning: "It answered the message before, and goes on.",
    confidence: 1,
    stays: true,
  };
}

/** Who goes on with the next message: the one worker that answered, where the team is sticky. */
export function activeAfter({ supervisor }: Team, results: readonly WorkerResult[]): string | undefined {
  const completed = results.filter(({ status }) => status === "completed");
  const last = completed.filter(({ iteration }) => iteration === completed.at(-1)?.iteration);
  return supervisor.sticky && last.length === 1 ? last[0]?.worker : undefined;
}
