/** The steps of all work that an object has under way. */
import { isControlFlow } from "../../src/agent/journal.js";
import type { Usage } from "../../src/agent/work.js";
import { usageOf } from "./journal.js";
import { WorkSteps, type WorkStepsPorts } from "./work-steps.js";

export class WorkBook {
  private readonly works = new Map<string, WorkSteps>();

  constructor(private readonly ports: WorkStepsPorts) {}

  stepsOf(work: string): WorkSteps {
    const known = this.works.get(work);
    if (known !== undefined) return known;
    const steps = new WorkSteps(work, this.ports);
    this.works.set(work, steps);
    return steps;
  }

  /** Stores what some work has done and would have stored with its next write: for readers of what is stored. */
  flush(work: string): void {
    this.works.get(work)?.flush();
  }

  /** What the models of some work have taken so far. */
  usage(work: string): Usage {
    return usageOf(this.ports.sql, work);
  }

  /** The steps of work that has ended go. */
  forget(work: string): void {
    this.stepsOf(work).forget();
    this.works.delete(work);
  }

  /** Its steps have gone. */
  ended(work: string): void {
    this.works.delete(work);
  }

  /** A try of some work begins: it goes on from what is stored. @param isNew nothing is: the work was made just now */
  begins(work: string, isNew: boolean): void {
    for (const steps of this.works.values()) steps.renew();
    if (isNew) this.stepsOf(work).begun();
  }

  /** Writes what work has done until it threw. @returns why that failed, where the work only waits or was cancelled */
  flushAfter(work: string, error: unknown): unknown {
    try {
      // It may wait for long: nothing of its steps is kept in memory meanwhile.
      this.works.get(work)?.renew();
    } catch (failure) {
      return isControlFlow(error) ? failure : error;
    }
    return error;
  }

  /** Everything was erased. */
  clear(): void {
    this.works.clear();
  }
}
