/** Further attempts at a worker that failed: how many there may be, over whatever of its work is done again, and the record of each. */
import { emit, inScope, sanitized, type TeamContext } from "./team-context.js";

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
