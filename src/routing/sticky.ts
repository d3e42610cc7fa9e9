/** Sticky teams: in a session, the worker that answered last goes on with the next message, until it hands a task on or fails. */
import { z } from "zod";
import type { Choice, RoutingInput, WorkerResult } from "./routing-input.js";
import type { Team, Worker } from "./team.js";
import type { TeamContext } from "./team-context.js";

/** Only a worker that can hand a task on stays: of one that can't, a session would never get away. */
function canHandOn({ team, http, panel }: Worker): boolean {
  return team === undefined && http === undefined && panel === undefined;
}

/** The choice of the worker that stays; `undefined` where the strategy decides. */
export async function stayingWorker(run: TeamContext, { iteration, live }: RoutingInput): Promise<Choice | undefined> {
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

/** A worker that stays may hand on to any other, since nobody looked at who fits best. */
export function mayLeave(worker: Worker, { workers }: Team): Worker {
  return { ...worker, handoffs: workers.flatMap(({ id }) => (id === worker.id ? [] : [id])) };
}

/** Who goes on with the next message: the one worker that answered, where the team is sticky. */
export function activeAfter({ supervisor }: Team, results: readonly WorkerResult[]): string | undefined {
  const completed = results.filter(({ status }) => status === "completed");
  const last = completed.filter(({ iteration }) => iteration === completed.at(-1)?.iteration);
  return supervisor.sticky && last.length === 1 ? last[0]?.worker : undefined;
}
