/** Who works next: the team's strategy, its fallback worker where the strategy can't say, and the decision on record. */

import type { Effect } from "../agent/effects.js";
import { isControlFlow } from "../agent/journal.js";
import type { ModelMessage } from "../model/port.js";
import type { Clarification } from "./clarifications.js";
import type { Finding } from "./findings.js";
import { demandConfidence } from "./min-confidence.js";
import { type Choice, type RoutingInput, type StrategyOutcome, strategyOutcomeSchema } from "./routing-input.js";
import { stayingWorker } from "./sticky.js";
import type { StrategyPorts, SupervisorDecision } from "./strategies/strategy.js";
import { strategyNamed } from "./strategies/table.js";
import { askSupervisor } from "./supervisor-agent.js";
import { emit, redactForRecord, sanitized, type TeamContext } from "./team-context.js";
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
      const choice = fallbackChoice(run, input, why);
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
function fallbackChoice(run: TeamContext, { results }: RoutingInput, why: string): Choice | undefined {
  const { supervisor, workers } = run.team.definition;
  const { fallbackWorker } = supervisor;
  const isAvailable = workers.some(({ id, capabilities }) => id === fallbackWorker && capabilities.available);
  const hasFailed = results.some(({ worker, status }) => worker === fallbackWorker && status === "failed");
  if (fallbackWorker === undefined || !isAvailable || hasFailed) return undefined;
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
      ...(task === undefined ? {} : { task }),
      ...(fallback === undefined ? {} : { fallback }),
    }),
  );
}
