/** One task on its way: to the worker that was chosen, tried again where that helps, handed on, and its result brought back. */
import { type BriefParts, briefText } from "./brief.js";
import { claimOf } from "./decide.js";
import { once } from "./once.js";
import { type Clarification, type WorkerResult, workerResultSchema } from "./routing-input.js";
import type { Task, WorkerOutcome } from "./task.js";
import { tracksLoad, type Worker } from "./team.js";
import { emit, hop, inScope, redactForRecord, sanitized, type TeamContext } from "./team-run.js";
import { attemptWorker, type RunNested } from "./worker.js";

export interface BranchPlace {
  readonly iteration: number;
  /** Which of the decision's targets. */
  readonly target: number;
}

export interface BranchResult {
  readonly result: WorkerResult;
  readonly clarifications: readonly Clarification[];
}

/** @throws {Parked} while a worker waits for a person. */
export async function runBranch(
  run: TeamContext,
  worker: Worker,
  place: BranchPlace,
  brief: BriefParts,
  runNested: RunNested,
): Promise<BranchResult> {
  const claim = claimOf(run, place.iteration, place.target);
  const counted = tracksLoad(run.team.definition);
  const { state } = run.ports;
  if (counted) await once(run, "claimed", () => state.claim(run.team.key, worker.id, claim));
  const outcome = await passOn(run, worker, place, brief, runNested);
  if (counted) await once(run, "released", () => state.release(claim));
  return outcome;
}

/** Follows the task through its handoffs; each goes to a worker that hasn't had it. */
async function passOn(
  run: TeamContext,
  first: Worker,
  place: BranchPlace,
  brief: BriefParts,
  runNested: RunNested,
): Promise<BranchResult> {
  const chain: string[] = [];
  const clarifications: Clarification[] = [];
  let worker = first;
  let parts = brief;
  for (;;) {
    const here = inScope(run, `h${chain.length}`);
    const id = `${run.command.id}.w${place.iteration}.${place.target}.h${chain.length}`;
    const from = chain.at(-1) ?? "supervisor";
    const worked = await workOn(here, { worker, chain, id, from }, place, parts, runNested);
    clarifications.push(...worked.clarifications);
    if (worked.kind === "result") return { result: worked.result, clarifications };
    const next = run.team.definition.workers.find(({ id: other }) => other === worked.to);
    if (next === undefined) throw new RangeError(`a task was handed on to "${worked.to}", which isn't there`);
    chain.push(worker.id);
    parts = {
      ...brief,
      clarifications: [...brief.clarifications, ...clarifications],
      task: { from: worker.id, text: worked.reason },
    };
    worker = next;
  }
}

interface Handoff extends Omit<Task, "content"> {
  readonly from: string;
}

type Worked = { readonly clarifications: readonly Clarification[] } & (
  | { readonly kind: "result"; readonly result: WorkerResult }
  | { readonly kind: "handedOn"; readonly to: string; readonly reason: string }
);

async function workOn(
  run: TeamContext,
  station: Handoff,
  { iteration }: BranchPlace,
  parts: BriefParts,
  runNested: RunNested,
): Promise<Worked> {
  const { worker, chain, id, from } = station;
  const before = run.budget.spent.activeMs;
  const result = (status: "completed" | "failed", text: string, attempts: number): WorkerResult => ({
    worker: worker.id,
    iteration,
    status,
    ...(status === "completed" ? { output: text } : { error: text }),
    attempts,
    ...(chain.length === 0 ? {} : { handedOnBy: [...chain] }),
    elapsedMs: run.budget.spent.activeMs - before,
  });

  const arrived = await hop(run, from, worker.id, briefText(parts), "in");
  if (!arrived.ok) {
    const failed = result("failed", `It was not sent to the worker, because that was blocked: ${arrived.reasons}`, 0);
    return { kind: "result", result: await returned(run, failed), clarifications: [] };
  }
  const { content } = arrived;
  const { verbose } = run.team.definition.supervisor;
  const brief = verbose ? { brief: await sanitized(run, content, "brief", true) } : {};
  await once(run, "started", undefined, () =>
    emit(run, { type: "worker.started", worker: worker.id, iteration, ...brief }),
  );
  const { outcome, attempts, clarifications } = await tryWorker(run, { worker, chain, id, content }, runNested);
  if (outcome.kind === "handedOn") {
    const { to, reason } = outcome;
    const told = await sanitized(run, reason, "reason");
    await once(run, "handedOn", undefined, () =>
      emit(run, { type: "worker.handedOn", from: worker.id, to, reason: told }),
    );
    return { kind: "handedOn", to, reason, clarifications };
  }
  if (outcome.kind === "failed") {
    return {
      kind: "result",
      result: await returned(run, result("failed", outcome.error, attempts)),
      clarifications,
    };
  }
  const back = await hop(run, worker.id, "aggregator", outcome.output, "out");
  const done = back.ok
    ? result("completed", back.content, attempts)
    : result("failed", `Its result was blocked: ${back.reasons}`, attempts);
  return { kind: "result", result: await returned(run, done), clarifications };
}

/** Tries until it works, or trying again can't help or isn't allowed. */
async function tryWorker(
  run: TeamContext,
  task: Task,
  runNested: RunNested,
): Promise<{ outcome: WorkerOutcome; attempts: number; clarifications: Clarification[] }> {
  const clarifications: Clarification[] = [];
  const { maxWorkerRetries } = run.team.definition.limits;
  for (let attempt = 0; ; attempt++) {
    const here = inScope(run, `try${attempt}`);
    const outcome = await attemptWorker(here, { ...task, id: `${task.id}.${attempt}` }, runNested);
    clarifications.push(...outcome.clarifications);
    const over = outcome.kind !== "failed" || !outcome.again || attempt >= maxWorkerRetries;
    if (over || run.budget.exhausted() !== undefined) return { outcome, attempts: attempt + 1, clarifications };
    const error = await sanitized(here, outcome.error, "error");
    await once(here, "retried", undefined, () => emit(run, { type: "worker.retried", worker: task.worker.id, error }));
  }
}

/** Records a result. The work goes on with its output; of an error, which may be all that comes of the work, with what may be read. */
async function returned(run: TeamContext, result: WorkerResult): Promise<WorkerResult> {
  const told =
    result.status === "completed"
      ? { ...result, output: await sanitized(run, result.output ?? "", "shown", true) }
      : { ...result, error: await redactForRecord(run, result.error ?? "", "shown") };
  const spec = { id: "returned", kind: "commit", schema: workerResultSchema, interrupted: "again" } as const;
  await run.ports.journal.step<WorkerResult>(
    { ...spec, onDone: (stored) => emit(run, { type: "worker.returned", result: stored }) },
    async () => told,
  );
  return result.status === "completed" ? result : told;
}
