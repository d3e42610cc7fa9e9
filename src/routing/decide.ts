/** Who works next: the team's strategy asked, its fallback worker where it can't say, and the decision recorded. */

import { z } from "zod";
import { isControlFlow } from "../agent/journal.js";
import { checkDecision } from "./decision-repair.js";
import {
  type Choice,
  type Clarification,
  choiceSchema,
  type RoutingInput,
  type StrategyOutcome,
} from "./routing-input.js";
import { routeByModel } from "./strategies/llm-based.js";
import { findRoutingFn } from "./strategies/routing-functions.js";
import { routeByRules } from "./strategies/rule-based.js";
import { routeBySkills } from "./strategies/skill-based.js";
import { emit, redactForRecord, sanitized, type TeamContext } from "./team-run.js";
import type { ClaimId } from "./team-state.js";
import { type RoutingDecision, routingDecisionSchema } from "./trace.js";

export type Decided = { readonly clarifications: readonly Clarification[] } & (
  | { readonly kind: "route"; readonly choice: Choice; readonly decision: RoutingDecision }
  | { readonly kind: "finish" }
  | { readonly kind: "none"; readonly why: string }
);

/** The claim of a decision's first worker. */
export function claimOf(run: TeamContext, iteration: number, target: number): ClaimId {
  return { work: run.ports.work, id: `${run.command.id}.w${iteration}.${target}` };
}

/** @throws {Parked} while the supervisor waits for a person. */
export async function decide(run: TeamContext, situation: RoutingInput): Promise<Decided> {
  const { supervisor, workers } = run.team.definition;
  const asked =
    situation.live.length === 0
      ? { outcome: { kind: "none" as const, why: "no worker is available" }, clarifications: [], problems: [] }
      : await ask(run, situation);
  const { clarifications } = asked;
  const problems: string[] = [];
  for (const [index, problem] of asked.problems.entries()) {
    problems.push(await sanitized(run, problem, `problem/${index}`));
  }
  if (problems.length > 0)
    await record(run, "refused", () => {
      for (const problem of problems) emit(run, { type: "routing.refused", problem });
    });

  let { outcome } = asked;
  if (outcome.kind === "none") outcome = { kind: "none", why: await redactForRecord(run, outcome.why, "why") };
  let fallback: string | undefined;
  if (outcome.kind === "none") {
    const { fallbackWorker } = supervisor;
    const fallbackCan = workers.some(({ id, capabilities }) => id === fallbackWorker && capabilities.available);
    const failed = situation.results.some(({ worker, status }) => worker === fallbackWorker && status === "failed");
    if (fallbackWorker === undefined || !fallbackCan || failed) return { ...outcome, clarifications };
    fallback = outcome.why;
    const reasoning = `The fallback worker, because ${fallback}.`;
    outcome = { kind: "route", choice: { targets: [fallbackWorker], reasoning, confidence: 0 } };
  }
  if (outcome.kind === "finish") {
    const reasoning = await sanitized(run, outcome.reasoning, "reasoning");
    await record(run, "finished", () => emit(run, { type: "routing.finished", reasoning }));
    return { kind: "finish", clarifications };
  }

  const { choice } = outcome;
  const reasoning = await sanitized(run, choice.reasoning, "reasoning");
  const task = choice.task === undefined ? undefined : await sanitized(run, choice.task, "task");
  const decision = await run.ports.journal.step(
    {
      id: "decided",
      kind: "commit",
      schema: routingDecisionSchema,
      interrupted: "again",
      onDone: (made) => emit(run, { type: "routing.decided", decision: made }),
    },
    async (): Promise<RoutingDecision> => ({
      ...(choice.targets.length === 1 ? { targetAgent: choice.targets[0] } : { targetAgents: choice.targets }),
      reasoning,
      confidence: choice.confidence,
      strategy: supervisor.strategy,
      timestamp: new Date(run.ports.now()).toISOString(),
      iteration: situation.iteration,
      ...(task === undefined ? {} : { task }),
      ...(fallback === undefined ? {} : { fallback }),
    }),
  );
  return { kind: "route", choice, decision, clarifications };
}

interface Asked {
  readonly outcome: StrategyOutcome;
  readonly clarifications: readonly Clarification[];
  readonly problems: readonly string[];
}

const outcomeSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("route"), choice: choiceSchema }),
  z.object({ kind: z.literal("finish"), reasoning: z.string() }),
  z.object({ kind: z.literal("none"), why: z.string() }),
]);

async function ask(run: TeamContext, situation: RoutingInput): Promise<Asked> {
  if (run.team.definition.supervisor.strategy === "llm-based") return routeByModel(run, situation);
  const outcome = await run.ports.journal.step<StrategyOutcome>(
    { id: "strategy", kind: "tool", schema: outcomeSchema, interrupted: "again" },
    async () => {
      try {
        return await withoutModel(run, situation);
      } catch (error) {
        if (isControlFlow(error)) throw error;
        return {
          kind: "none",
          why: `the strategy failed: ${error instanceof Error ? error.message : "unknown error"}`,
        };
      }
    },
  );
  return { outcome, clarifications: [], problems: [] };
}

async function withoutModel(run: TeamContext, situation: RoutingInput): Promise<StrategyOutcome> {
  const { team, ports } = run;
  const { supervisor } = team.definition;
  const ids = situation.live.map(({ id }) => id);
  switch (supervisor.strategy) {
    case "rule-based":
      return supervisor.routingFn === undefined
        ? routeByRules(supervisor.rules, situation)
        : byFunction(supervisor.routingFn, situation, run);
    case "skill-based":
      return routeBySkills(situation);
    case "round-robin": {
      const turn = await ports.state.nextTurn(team.key, `${ports.work}/${run.command.id}.s${situation.iteration}`);
      const id = ids[turn % ids.length];
      const reasoning = `Turn ${turn + 1} of the team.`;
      return id === undefined
        ? { kind: "none", why: "no worker is available" }
        : { kind: "route", choice: { targets: [id], reasoning, confidence: 1 } };
    }
    case "load-balanced": {
      const { worker, load } = await ports.state.claimLeastBusy(team.key, ids, claimOf(run, situation.iteration, 0));
      const reasoning = `The least busy, with ${load} other task${load === 1 ? "" : "s"}.`;
      return { kind: "route", choice: { targets: [worker], reasoning, confidence: 1 } };
    }
    default:
      return { kind: "none", why: `the strategy ${supervisor.strategy} needs a model` };
  }
}

async function byFunction(name: string, situation: RoutingInput, run: TeamContext): Promise<StrategyOutcome> {
  const fn = findRoutingFn(name);
  if (fn === undefined) return { kind: "none", why: `this deployment has no routing function "${name}"` };
  const said = await fn(situation);
  if (said === undefined) {
    return situation.results.some(({ status }) => status === "completed")
      ? { kind: "finish", reasoning: `The routing function "${name}" says that the work is done.` }
      : { kind: "none", why: `the routing function "${name}" names nobody` };
  }
  const known = run.team.definition.workers.map(({ id }) => id);
  const read = checkDecision(
    { confidence: 1, ...said },
    situation.live.map(({ id }) => id),
    known,
  );
  return read.ok
    ? // It says itself when it is done.
      { kind: "route", choice: { ...read.choice, lookAgain: true } }
    : { kind: "none", why: `the routing function "${name}" gave what can't be used: ${read.problem}` };
}

/** A step that only tells. */
function record(run: TeamContext, id: string, told: () => void): Promise<true> {
  const spec = { id, kind: "commit", schema: z.literal(true), interrupted: "again", onDone: told } as const;
  return run.ports.journal.step<true>(spec, async () => true);
}
