/**
 * A team's work from input to response, as a durable function: entered again after every interruption, it goes on at the first
 * step that has no result. The same function runs a run of its own, a session's turn, and a team inside a team.
 */

import type { FailureCode } from "../agent/agent-spec.js";
import type { Spent } from "../agent/budget.js";
import { settleInOrder } from "../agent/concurrency.js";
import { type Effect, effectsInWords } from "../agent/effects.js";
import type { LimitRefusal } from "../agent/limit-refusal.js";
import { nearest } from "../asks/policy.js";
import type { ModelMessage } from "../model/port.js";
import { aggregate } from "./aggregate.js";
import { type BranchResult, runBranch } from "./branch.js";
import { TeamBudget } from "./budget.js";
import { addClarifications, type Clarification } from "./clarifications.js";
import { decide } from "./decide.js";
import { type Draft, draftThroughHop } from "./draft.js";
import { superviseNested } from "./nested.js";
import type { LoadedTeam, TeamPorts } from "./ports.js";
import { type PromptContext, promptContextOf } from "./prompt-context.js";
import { QuestionPermits } from "./questions.js";
import type { BriefParts, Choice, Finding, WorkerResult } from "./routing-input.js";
import { failedOutcome, type Task, type WorkerOutcome } from "./task.js";
import { maxTeamDepth, rosterOf, type Team, type Worker } from "./team.js";
import { reportMissingTools } from "./team-agent.js";
import { inScope, type TeamCommand, type TeamContext } from "./team-context.js";
import type { RoutingDecision } from "./trace.js";

export interface TeamReport {
  readonly decisions: readonly RoutingDecision[];
  readonly results: readonly WorkerResult[];
  readonly clarifications: readonly Clarification[];
  /** What its agents did that isn't to be done again. */
  readonly effects: readonly Effect[];
  readonly spent: Spent;
}

/** Why it failed, for programs; and what a limit says of it, where one was in the way. */
type WorkFailure = { readonly code: FailureCode } & Partial<Pick<LimitRefusal, "userMessage" | "retryAfterMs">>;

export type TeamOutcome = TeamReport &
  (
    | { readonly kind: "completed"; readonly response: string }
    | ({ readonly kind: "failed"; readonly detail: string } & WorkFailure)
  );

/**
 * Runs a team to its end. It never ends in an exception of a model, a tool or a worker: each is part of the outcome.
 * @throws {Parked} when it has to wait for an ask; enter it again with the same journal once that is closed.
 * @example
 * const command = { id: "run_1", input: "Where is my parcel?", metadata: {}, promptContext: noPromptContext, path: [] };
 * const outcome = await runTeam(command, team, ports);
 * if (outcome.kind === "completed") show(outcome.response);
 */
export function runTeam(command: TeamCommand, team: LoadedTeam, ports: TeamPorts, draft?: Draft): Promise<TeamOutcome> {
  const { limits, supervisor } = team.definition;
  const permits = new QuestionPermits(limits.maxQuestions, ports.asks);
  const questions = nearest(supervisor.questions, ports.asking?.policy);
  return runWithin({ command, team, ports, budget: new TeamBudget(limits), permits, questions, draft, ...nothingYet });
}

const nothingYet: Pick<TeamContext, "effects" | "failed"> = { effects: [], failed: new Set() };

async function runWithin(run: TeamContext): Promise<TeamOutcome> {
  const { workers, supervisor } = run.team.definition;
  const decisions: RoutingDecision[] = [];
  const results: WorkerResult[] = [];
  const clarifications: Clarification[] = [];
  const findings: Finding[] = [];
  const effects: Effect[] = [];
  let exchange: readonly ModelMessage[] = [];
  const report = (): TeamReport => ({ decisions, results, clarifications, effects, spent: run.budget.spent });
  const fail = (detail: string): TeamOutcome => {
    const code = run.budget.exhausted() === undefined ? "model_failed" : "budget_exceeded";
    return { kind: "failed", detail, ...(run.budget.refusal ?? { code }), ...report() };
  };
  await reportMissingTools(run);
  let stopped = `no decision after ${supervisor.maxIterations} rounds`;

  for (let iteration = 0; iteration < supervisor.maxIterations; iteration++) {
    const failed = new Set(results.flatMap(({ worker, status }) => (status === "failed" ? [worker] : [])));
    const live = rosterOf(workers.filter(({ id, capabilities }) => capabilities.available && !failed.has(id)));
    const { input, metadata } = run.command;
    const deciding = { ...inScope(run, `i${iteration}`), effects: [...run.effects, ...effects], failed };
    const known = { input, metadata, live, results, clarifications, iteration, exchange, effects: deciding.effects };
    const decided = await decide(deciding, known);
    addClarifications(clarifications, decided.clarifications);
    exchange = decided.exchange;
    findings.push(...decided.findings);
    effects.push(...decided.effects);
    if (decided.kind === "finish") break;
    if (decided.kind === "respond") return { kind: "completed", response: decided.response, ...report() };
    if (decided.kind === "none") {
      stopped = decided.why;
      break;
    }
    decisions.push(decided.decision);
    const here = { ...deciding, effects: [...run.effects, ...effects] };
    const brief = { clarifications: [...clarifications], results, findings: [...findings], effects: here.effects };
    const worked = await runBranches(here, decided.choice, iteration, brief);
    results.push(...worked.map(({ result }) => result));
    for (const branch of worked) {
      addClarifications(clarifications, branch.clarifications);
      effects.push(...branch.effects);
    }
    if (worked.some(({ result }) => result.status === "completed") && decided.choice.reevaluate !== true) break;
  }

  if (!results.some(({ status }) => status === "completed")) {
    const failures = results.map(({ worker, error }) => `${worker}: ${error ?? "it failed"}`);
    return fail(
      failures.length === 0
        ? `No worker could be chosen: ${stopped}.${effectsInWords(effects)}`
        : `Every worker that was tried failed. ${failures.join("; ")}.${effectsInWords(effects)}`,
    );
  }
  const response = await aggregate(run, results, clarifications);
  return { kind: "completed", response, ...report() };
}

/** All the decision's workers at once, within the limit; results in the decision's order. */
async function runBranches(
  run: TeamContext,
  choice: Choice,
  iteration: number,
  known: Omit<BriefParts, "input" | "task">,
): Promise<BranchResult[]> {
  const { workers, limits } = run.team.definition;
  const named = choice.targets.flatMap((id) => workers.find((worker) => worker.id === id) ?? []);
  const chosen = choice.stays ? named.map((worker) => mayLeave(worker, run.team.definition)) : named;
  const shares = run.budget.split(chosen.length);
  const brief = {
    ...known,
    input: run.command.input,
    // A worker that failed has no result for the next one; what it did stands beside.
    results: known.results.filter(({ status }) => status === "completed"),
    task: choice.task === undefined ? undefined : { from: "supervisor", text: choice.task },
  };
  const tasks = chosen.map((worker, target) => () => {
    const branch = {
      ...inScope(run, `w${target}`, shares[target]),
      draft: draftOf(run, choice, target, brief.results),
    };
    return runBranch(branch, worker, { iteration, target }, brief, runNested);
  });
  const worked = await settleInOrder(tasks, limits.parallelWorkers);
  run.budget.join(shares);
  return worked;
}

/** Where this target writes its result while it does: nowhere, unless that is going to be the response as it is. */
function draftOf(
  run: TeamContext,
  choice: Choice,
  target: number,
  completed: readonly WorkerResult[],
): Draft | undefined {
  const { mode } = run.team.definition.aggregator;
  const alone = choice.targets.length === 1 || (mode === "first" && target === 0);
  const last = choice.reevaluate !== true && (completed.length === 0 || mode === "last");
  return alone && last && mode !== "model" ? draftThroughHop(run.draft, run.ports.supervisors) : undefined;
}

/** A worker that is a team: its own supervisors see its input and its response, those around it the hops. */
async function runNested(run: TeamContext, task: Task): Promise<WorkerOutcome> {
  const team = run.team.nested(task.worker.id);
  if (team === undefined) return failedOutcome("its team doesn't exist any more");
  const path = [...run.command.path, task.worker.id];
  if (path.length >= maxTeamDepth) return failedOutcome(`teams may be nested at most ${maxTeamDepth} deep`);

  const supervisors = [...team.supervisors, ...(run.team.supervisorsOf?.(task.worker.id) ?? [])];
  const promptContext = (): ReturnType<PromptContext> => promptContextOf(run, task.worker);
  return superviseNested(run, task, supervisors, async (inner, content) => {
    const budget = run.budget.within(team.definition.limits);
    const worked = await runWithin({
      ...inner,
      failed: nothingYet.failed,
      command: { ...run.command, activeWorker: undefined, promptContext, id: `${task.id}.t`, input: content, path },
      team,
      ports: { ...inner.ports, journal: run.ports.journal.scope("team") },
      questions: nearest(team.definition.supervisor.questions, run.questions),
      budget,
    });
    run.budget.spend(budget.spent, budget.refusal);
    const { clarifications, effects } = worked;
    return worked.kind === "failed"
      ? failedOutcome(worked.detail, worked)
      : { kind: "done", output: worked.response, clarifications, effects };
  });
}

/** A worker that stays may hand on to any other, since nobody looked at who fits best. */
function mayLeave(worker: Worker, { workers }: Team): Worker {
  return { ...worker, handoffs: workers.flatMap(({ id }) => (id === worker.id ? [] : [id])) };
}
