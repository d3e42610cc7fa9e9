/** What a worker is given, what comes of it, and how often it is tried. */

import type { Effect } from "../agent/effects.js";
import type { Clarification } from "./clarifications.js";
import { sanitized } from "./supervised-texts.js";
import type { Worker } from "./team.js";
import { emit, inScope, type TeamContext } from "./team-context.js";

export type WorkerOutcome = {
  readonly clarifications: readonly Clarification[];
  /** What it did that isn't to be done again. */
  readonly effects: readonly Effect[];
} & (
  | { readonly kind: "done"; readonly output: string }
  | { readonly kind: "handedOn"; readonly to: string; readonly reason: string; readonly found: string }
  /** `again`: whether another attempt from the start may help; it is made only where nothing was done. */
  | { readonly kind: "failed"; readonly error: string; readonly again: boolean }
);

/** A failure that another attempt can't help. @param report what the worker asked and did before it failed. */
export function failedOutcome(
  error: string,
  { clarifications = [], effects = [] }: Partial<Pick<WorkerOutcome, "clarifications" | "effects">> = {},
): WorkerOutcome {
  return { kind: "failed", error, again: false, clarifications, effects };
}

export interface Task {
  readonly worker: Worker;
  /** What it reads: the cleared brief. */
  readonly content: string;
  /** Who had the task before, oldest first. */
  readonly chain: readonly string[];
  /** Begins the ids of what it does. */
  readonly id: string;
  /** What failed is done again within them, with what was learned until then. */
  readonly retries: Retries;
}

/** Further attempts at a worker that failed: how many there may be, over whatever of its work is done again, and the record of each. */
export class Retries {
  private used = 0;

  /** @param run in the scope of the worker's task. */
  constructor(
    private readonly run: TeamContext,
    private readonly worker: string,
  ) {}

  get attempts(): number {
    return this.used + 1;
  }

  /** Whether there may be another attempt after this error; then it counts and stands in the trace. The same over replays. */
  async next(error: string): Promise<boolean> {
    const { run, worker } = this;
    const { limits } = run.team.definition;
    if (this.used >= limits.maxWorkerRetries || run.budget.exhausted() !== undefined) return false;
    const here = inScope(run, `try${this.used}`);
    this.used += 1;
    const recorded = await sanitized(here, error, "error");
    await here.ports.journal.commit("retried", () => emit(run, { type: "worker.retried", worker, error: recorded }));
    return true;
  }
}
