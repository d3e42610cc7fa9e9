/** One task on its way: to the worker that was chosen, tried again where that helps, handed on, and its result returned. */
import { z } from "zod";
import { type Effect, effectRecord } from "../agent/effects.js";
import { addClarifications, type Clarification } from "./clarifications.js";
import { claimOf } from "./decide.js";
import { type BriefParts, briefText, type WorkerResult } from "./routing-input.js";
import { hop, redactForRecord, sanitized } from "./supervised-texts.js";
import { Retries, type Task, type WorkerOutcome } from "./task.js";
import { tracksLoad, type Worker } from "./team.js";
import { emit, inScope, type TeamContext } from "./team-context.js";
import { attemptWorker, type RunNested } from "./worker.js";

export interface BranchPosition {
  readonly iteration: number;
  /** Which of the decision's targets. */
  readonly target: number;
}

export interface BranchResult {
  readonly result: WorkerResult;
  readonly clarifications: readonly Clarification[];
  /** What its workers did that isn't to be done again. */
  readonly effects: readonly Effect[];
}

/** @throws {Parked} while a worker waits for a person. */
export async function runBranch(
  run: TeamContext,
  worker: Worker,
  position: BranchPosition,
  brief: BriefParts,
  runNested: RunNested,
): Promise<BranchResult> {
  const claim = claimOf(run, position.iteration, position.target);
  const counted = tracksLoad(run.team.definition);
  const { state } = run.ports;
  if (counted) await repeatable(run, "claimed", () => state.claim(run.team.key, worker.id, claim));
  const outcome = await passOn(run, worker, position, brief, runNested);
  if (counted) await repeatable(run, "released", () => state.release(claim));
  return outcome;
}

/** A step without a result, whose work does no harm when it is done again. */
async function repeatable(run: TeamContext, id: string, work: () => Promise<void>): Promise<void> {
  await run.ports.journal.step<true>(
    { id, kind: "commit", schema: z.literal(true), interrupted: "again" },
    async () => {
      await work();
      return true;
    },
  );
}

/** Follows the task through its handoffs; each goes to a worker that hasn't had it. */
async function passOn(
  run: TeamContext,
  first: Worker,
  position: BranchPosition,
  brief: BriefParts,
  runNested: RunNested,
): Promise<BranchResult> {
  const chain: string[] = [];
  const clarifications: Clarification[] = [];
  const effects: Effect[] = [];
  let worker = first;
  let parts = brief;
  for (;;) {
    const here = { ...inScope(run, `h${chain.length}`), effects: [...run.effects, ...effects] };
    const id = `${run.command.id}.w${position.iteration}.${position.target}.h${chain.length}`;
    const from = chain.at(-1) ?? "supervisor";
    const worked = await workOn(here, { worker, chain, id, from }, position, parts, runNested);
    addClarifications(clarifications, worked.clarifications);
    effects.push(...worked.effects);
    if (worked.kind === "result") return { result: worked.result, clarifications, effects };
    const next = run.team.definition.workers.find(({ id: other }) => other === worked.to);
    if (next === undefined) throw new RangeError(`a task was handed on to "${worked.to}", which isn't there`);
    chain.push(worker.id);
    parts = {
      ...brief,
      clarifications: [...brief.clarifications, ...clarifications],
      effects: [...(brief.effects ?? []), ...effects],
      task: { from: worker.id, text: worked.reason },
      found: [...(parts.found ?? []), ...(worked.found === "" ? [] : [{ from: worker.id, text: worked.found }])],
    };
    worker = next;
  }
}

interface Handoff extends Omit<Task, "content" | "retries"> {
  readonly from: string;
}

type Worked = Omit<BranchResult, "result"> &
  (
    | { readonly kind: "result"; readonly result: WorkerResult }
    | { readonly kind: "handedOn"; readonly to: string; readonly reason: string; readonly found: string }
  );

async function workOn(
  run: TeamContext,
  handoff: Handoff,
  { iteration }: BranchPosition,
  parts: BriefParts,
  runNested: RunNested,
): Promise<Worked> {
  const { worker, chain, id, from } = handoff;
  const { journal } = run.ports;
  const before = run.budget.spent.activeMs;
  const result = (
    status: "completed" | "failed",
    text: string,
    attempts: number,
    effects: readonly Effect[] = [],
  ): WorkerResult => ({
    worker: worker.id,
    iteration,
    status,
    ...(status === "completed" ? { output: text } : { error: text }),
    ...(effects.length === 0 ? {} : { effects: effects.map(effectRecord) }),
    attempts,
    ...(chain.length === 0 ? {} : { handedOnBy: [...chain] }),
    elapsedMs: run.budget.spent.activeMs - before,
  });

  const arrived = await hop(run, from, worker.id, briefText(parts), "in");
  if (!arrived.ok) {
    const failed = result("failed", `It was not sent to the worker, because that was blocked: ${arrived.reasons}`, 0);
    return { kind: "result", result: await returned(run, failed), clarifications: [], effects: [] };
  }
  const { content } = arrived;
  const { verbose } = run.team.definition.supervisor;
  const brief = verbose ? { brief: await sanitized(run, content, "brief", true) } : {};
  await journal.commit("started", () => emit(run, { type: "worker.started", worker: worker.id, iteration, ...brief }));
  const { outcome, attempts } = await tryWorker(run, { worker, chain, id, content }, runNested);
  const { clarifications, effects } = outcome;
  if (outcome.kind === "handedOn") {
    const { to, reason, found } = outcome;
    const recorded = {
      reason: await sanitized(run, reason, "reason"),
      ...(found === "" ? {} : { found: await sanitized(run, found, "found") }),
    };
    await journal.commit("handedOn", () => emit(run, { type: "worker.handedOn", from: worker.id, to, ...recorded }));
    return { kind: "handedOn", to, reason, found, clarifications, effects };
  }
  if (outcome.kind === "failed") {
    return {
      kind: "result",
      result: await returned(run, result("failed", outcome.error, attempts, effects)),
      clarifications,
      effects,
    };
  }
  const back = await hop(run, worker.id, "aggregator", outcome.output, "out");
  const done = back.ok
    ? result("completed", back.content, attempts, effects)
    : result("failed", `Its result was blocked: ${back.reasons}`, attempts, effects);
  return { kind: "result", result: await returned(run, done), clarifications, effects };
}

/**
 * Tries until it works, or trying again can't help or isn't allowed. An attempt does again what failed, with what it knows; it is
 * begun from the start only where nothing was done that isn't to be done again.
 */
async function tryWorker(
  run: TeamContext,
  task: Omit<Task, "retries">,
  runNested: RunNested,
): Promise<{ outcome: WorkerOutcome; attempts: number }> {
  const clarifications: Clarification[] = [];
  const retries = new Retries(run, task.worker.id);
  for (let attempt = 0; ; attempt++) {
    const here = inScope(run, `try${attempt}`);
    const outcome = await attemptWorker(here, { ...task, retries, id: `${task.id}.${attempt}` }, runNested);
    addClarifications(clarifications, outcome.clarifications);
    const mayStartAnew = outcome.kind === "failed" && outcome.again && outcome.effects.length === 0;
    if (mayStartAnew && (await retries.next(outcome.error))) continue;
    return { outcome: { ...outcome, clarifications }, attempts: retries.attempts };
  }
}

/** Records a result. The work goes on with its output; of an error, which may be all that comes of the work, with what may be read. */
async function returned(run: TeamContext, result: WorkerResult): Promise<WorkerResult> {
  const recorded =
    result.status === "completed"
      ? { ...result, output: await sanitized(run, result.output ?? "", "shown", true) }
      : { ...result, error: await redactForRecord(run, result.error ?? "", "shown") };
  await run.ports.journal.commit("returned", () => emit(run, { type: "worker.returned", result: recorded }));
  return result.status === "completed" ? result : recorded;
}
