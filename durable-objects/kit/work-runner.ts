/** A piece of work (a turn, a run, a round) driven once: to its end, to its wait, or into an exception nobody foresaw. */
import { isControlFlow, Parked } from "../../src/agent/journal.js";
import { StepAbandonedError } from "./journal.js";

/** What one drive of a piece of work goes on under. */
export interface Lease {
  /** Aborted when the work is cancelled. */
  readonly signal: AbortSignal;
  /** Whether this drive may still write: not once the work was cancelled, or has ended. */
  readonly isHeld: () => boolean;
}

export interface WorkItem {
  /** Its steps, asks and events are kept under this id. */
  readonly id: string;
  readonly isRunning: () => boolean;
  /** Does it and ends it. What it throws is dealt with here. */
  readonly drive: (hold: Lease) => Promise<void>;
  /** Stores that it waits for an answer. */
  readonly wait: () => void;
  /** Gives how many unforeseen exceptions there were, this one with them. */
  readonly countCrash: () => number;
  /** Ends it as failed: it can't be done. */
  readonly fail: () => void;
}

export interface WorkRunnerPorts {
  readonly hasOpenAsks: (work: string) => boolean;
  readonly crashed: (work: string, error: unknown) => void;
}

/** Work fails at its so manieth unforeseen exception. The first is tried again at once, the others when the lease runs out. */
const maxCrashes = 4;

export class WorkRunner {
  private current: { readonly id: string; readonly abort: AbortController } | undefined;

  constructor(private readonly ports: WorkRunnerPorts) {}

  /** @throws what the work threw, when whatever is broken is to get time to mend: the lease stays, and the alarm goes on. */
  async run(piece: WorkItem): Promise<void> {
    const abort = new AbortController();
    const { signal } = abort;
    this.current = { id: piece.id, abort };
    try {
      await piece.drive({ signal, isHeld: () => !signal.aborted && piece.isRunning() });
    } catch (error) {
      if (isControlFlow(error)) this.parked(error, piece);
      else this.crashed(error, piece);
    } finally {
      this.current = undefined;
    }
  }

  /** Tells a drive under way to stop. Whoever cancels ends the work. */
  cancel(work: string): void {
    if (this.current?.id === work) this.current.abort.abort();
  }

  /** Cancelled work has been ended by whoever did that. And while siblings finished, the ask may have been answered. */
  private parked(error: unknown, piece: WorkItem): void {
    if (error instanceof Parked && this.ports.hasOpenAsks(piece.id) && piece.isRunning()) piece.wait();
  }

  private crashed(error: unknown, piece: WorkItem): void {
    this.ports.crashed(piece.id, error);
    if (!piece.isRunning()) return;
    const crashes = piece.countCrash();
    if (crashes >= maxCrashes || error instanceof StepAbandonedError) piece.fail();
    else if (crashes > 1) throw error;
  }
}
