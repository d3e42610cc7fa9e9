/**
 * The one loop of an object's work: what is next is begun as an attempt and driven under a lease, and then ended, parked until somebody
 * answers, tried again after a crash, or given up. The lease alarm is set in the same write that makes the work; it only starts a new
 * loop when the old one died with its instance, and never waits for a model itself.
 */
import { CancelSource } from "../../src/agent/cancel.js";
import type { CancelSignal } from "../../src/model/port.js";
import { UnopenedError } from "../../src/platform/secrets.js";
import type { Attempts } from "./attempts.js";
import type { Crashes } from "./crashes.js";
import type { WorkBook } from "./work-book.js";

/** What a step of the loop came to. */
export type StepOutcome =
  /** Work was done: the next is looked for at once. */
  | "again"
  /** A slice was done and more is left: the caller kicks again. */
  | "yielded"
  /** Nothing is left to do. */
  | "idle"
  /** The object was emptied: nothing of it may be written any more. */
  | "gone";

/** What work is driven under. */
export interface Lease {
  /** Aborted when the work is cancelled. */
  readonly signal: CancelSignal;
  /** Whether this try may still write: not once its work was cancelled, or the try is over. */
  readonly isHeld: () => boolean;
}

/** Work with an end: a turn, a run, a round. What it threw or died of is tried again, ever later, and it is given up in the end. */
export interface EndingWork {
  readonly id: string;
  /**
   * Does the work, and returns what ends it (see `Kit.end`): called at once, but not where the work was cancelled meanwhile, since
   * whoever did that has ended it.
   * @param revision the tenant's, where the request brought it that made this work
   * @throws {Parked} while it waits for an ask
   */
  readonly drive: (lease: Lease, revision: number | undefined) => Promise<() => void>;
  /** It waits for an ask that is open: it is next again once that is closed. */
  readonly park: () => void;
  /** It is given up. @param why for operators, where it died again and again; else it threw, and what it threw is logged */
  readonly fail: (why?: string) => void;
}

/** Work without an end, done in bounded slices. What a slice throws leaves the lease to the alarm, which tries again. */
export interface SlicedWork {
  readonly slice: (lease: Lease) => Promise<StepOutcome>;
  /** How its tries are counted, where they are: `progress` changes whenever it has come forward. */
  readonly tries?: {
    readonly id: string;
    readonly progress: string;
    /** It died again and again: it is left alone for a while. */
    readonly setAside: (why: string) => void;
  };
}

export type WorkItem = EndingWork | SlicedWork;

/** Work that is made in the write that kicks: that it is tried is on the disk as soon as the work itself. */
export interface NewWork {
  readonly id: string;
  /** The tenant's revision, as it was read with the caller's key. */
  readonly revision?: number | undefined;
}

export interface WorkLoopPorts {
  readonly waitUntil: (promise: Promise<unknown>) => void;
  readonly setLease: (at: number | undefined) => void;
  readonly now: () => number;
  /** What can be done now, the oldest first. */
  readonly next: () => WorkItem | undefined;
  readonly attempts: Attempts;
  readonly crashes: Crashes;
  readonly works: WorkBook;
  /** A step is over, and the object is still there. */
  readonly stepped: (outcome: StepOutcome) => void;
  /** Work waits for somebody. */
  readonly parked: (work: string) => void;
  readonly givenUp: (work: string, why: string) => void;
  /** A slice threw, or something unforeseen. */
  readonly crashed: (error: unknown) => void;
}

/** How long a dead loop goes unnoticed, in milliseconds. */
export const leaseMs = 30_000;

export class WorkLoop {
  private running: Promise<StepOutcome> | undefined;
  private current: { readonly work: string | undefined; readonly abort: CancelSource } | undefined;
  /** Work was made since the loop last looked. */
  private kicked = false;
  private created: NewWork | undefined;
  private isStopping = false;

  constructor(private readonly ports: WorkLoopPorts) {}

  /**
   * Makes sure that the work is driven. To be called in the write that makes work; also when the lease runs out: a living loop gets a
   * new lease, a dead one is replaced.
   */
  kick(created?: NewWork): void {
    this.kicked = true;
    this.ports.setLease(this.ports.now() + leaseMs);
    if (this.running !== undefined) return;
    this.created = created;
    this.running = this.run();
    this.ports.waitUntil(this.running.catch(() => undefined));
  }

  isRunning(): boolean {
    return this.running !== undefined;
  }

  /** Takes the lease from the work that is driven now; with an id, only where it is this one. Ending it is up to the canceller. */
  cancel(work = this.current?.work): void {
    if (this.current?.work === work) this.current?.abort.abort();
  }

  /**
   * Resolves when nothing is driven any more, with what the last step came to.
   * @throws {unknown} what a slice threw, if that ended the loop
   */
  async driven(): Promise<StepOutcome> {
    return (await this.running) ?? "idle";
  }

  /** Cancels what is driven and begins nothing more; resolves when nothing is driven any more, however that ended. */
  async stop(): Promise<void> {
    this.isStopping = this.running !== undefined;
    this.cancel();
    await this.running?.catch(() => undefined);
  }

  private async run(): Promise<StepOutcome> {
    try {
      // Begins after the write that kicked is complete.
      await Promise.resolve();
      let outcome: StepOutcome = "idle";
      while (this.kicked && !this.isStopping) {
        this.kicked = false;
        do outcome = await this.step();
        while (outcome === "again" && !this.isStopping);
        if (outcome === "gone") return outcome;
      }
      this.ports.setLease(undefined);
      return outcome;
    } catch (error) {
      this.ports.crashed(error);
      throw error;
    } finally {
      this.running = undefined;
      this.isStopping = false;
    }
  }

  private async step(): Promise<StepOutcome> {
    const { next, attempts, stepped } = this.ports;
    const work = next();
    const abort = new CancelSource();
    const { signal } = abort;
    let isOver = false;
    const lease: Lease = { signal, isHeld: () => !isOver && !signal.aborted };
    this.current = { work: work !== undefined && "id" in work ? work.id : undefined, abort };
    let outcome: StepOutcome | undefined;
    try {
      if (work === undefined) outcome = "idle";
      else outcome = "slice" in work ? await this.doSlice(work, lease) : await this.attempt(work, lease);
    } finally {
      isOver = true;
      this.current = undefined;
      if (outcome === "gone") attempts.leave();
      else attempts.over();
    }
    if (outcome !== "gone") stepped(outcome);
    return outcome;
  }

  private async attempt(work: EndingWork, lease: Lease): Promise<StepOutcome> {
    const { attempts, givenUp, parked } = this.ports;
    const { id } = work;
    const created = this.created?.id === id ? this.created : undefined;
    this.created = undefined;
    const attempt = await attempts.begin(id, undefined, created !== undefined);
    if (attempt === "later") return "idle";
    if (attempt === "given_up") {
      const why = attempts.whyGivenUp(id);
      givenUp(id, why);
      work.fail(why);
      return "again";
    }
    // Cancelled meanwhile: the canceller has ended it.
    if (!lease.isHeld()) return "again";
    try {
      const end = await work.drive(lease, created?.revision);
      if (lease.isHeld()) end();
    } catch (error) {
      const then = this.afterThrow(id, error, lease);
      if (then === "failed") work.fail(error instanceof UnopenedError ? error.message : undefined);
      if (then === "waiting") {
        work.park();
        parked(id);
      }
    }
    return "again";
  }

  /** Work came forward, or is begun again: how often it was tried is forgotten. To be called in the write that says so. */
  forgetTries(work: string): void {
    this.ports.attempts.forget(work);
    this.ports.crashes.forget(work);
  }

  /** What becomes of work that threw under its lease. */
  afterThrow(work: string, error: unknown, lease: Lease): "waiting" | "failed" | "again" {
    const { attempts, crashes, works } = this.ports;
    const then = crashes.after(work, works.flushAfter(work, error), lease.isHeld());
    if (then === "waiting") attempts.forget(work);
    return then;
  }

  private async doSlice({ slice, tries }: SlicedWork, lease: Lease): Promise<StepOutcome> {
    if (tries === undefined) return slice(lease);
    const { attempts } = this.ports;
    const attempt = await attempts.begin(tries.id, tries.progress);
    if (attempt === "given_up") tries.setAside(attempts.whyGivenUp(tries.id));
    if (attempt !== "go") return "idle";
    const outcome = await slice(lease);
    if (outcome !== "gone") attempts.forget(tries.id);
    return outcome;
  }
}
