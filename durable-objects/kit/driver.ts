/**
 * Drives an object's work in the background. The lease alarm is set in the same write that makes the work; it only starts a new
 * driver when the old one died with its instance, and never waits for a model itself.
 */

import { CancelSource } from "../../src/agent/cancel.js";
import type { CancelSignal } from "../../src/model/port.js";

/** What a step of the driver came to. */
export type StepOutcome =
  /** Work was done: the next is looked for at once. */
  | "again"
  /** A bounded share was done and more is left: whoever hears of that kicks again. */
  | "yielded"
  /** Nothing is left to do. */
  | "idle"
  /** The object was emptied: nothing of it may be written any more. */
  | "gone";

/** What a step works under. */
export interface Lease {
  /** Aborted when the work is cancelled. */
  readonly signal: CancelSignal;
  /** Whether this step may still write: not once its work was cancelled, or the step is over. */
  readonly isHeld: () => boolean;
}

export interface DriverPorts {
  readonly waitUntil: (promise: Promise<unknown>) => void;
  readonly setLease: (at: number | undefined) => void;
  readonly now: () => number;
  /** Does the next work to its end, its wait, its failure or its share. What it throws leaves the lease to the alarm. */
  readonly step: (lease: Lease) => Promise<StepOutcome>;
  /** The work threw: something unforeseen. */
  readonly crashed: (error: unknown) => void;
}

/** How long a dead driver goes unnoticed, in milliseconds. */
export const leaseMs = 30_000;

export class Driver {
  private running: Promise<StepOutcome> | undefined;
  private current: CancelSource | undefined;
  /** Work was made since the driver last looked. */
  private kicked = false;

  constructor(private readonly ports: DriverPorts) {}

  /**
   * Makes sure that somebody drives. To be called in the same synchronous stretch as the write that made the work; also when the
   * lease runs out: a living driver gets a new lease, a dead one is replaced.
   * @returns whether nobody was driving
   */
  kick(): boolean {
    this.kicked = true;
    this.ports.setLease(this.ports.now() + leaseMs);
    if (this.running !== undefined) return false;
    this.running = this.run();
    this.ports.waitUntil(this.running.catch(() => undefined));
    return true;
  }

  /** Whether somebody drives. */
  isDriving(): boolean {
    return this.running !== undefined;
  }

  /** Takes the lease from the step that is being done. Ending its work is up to whoever cancels. */
  cancel(): void {
    this.current?.abort();
  }

  /**
   * Resolves when nobody drives any more, with what the last step came to.
   * @throws {unknown} what the work threw, if that ended the driving.
   */
  async driven(): Promise<StepOutcome> {
    return (await this.running) ?? "idle";
  }

  /** Resolves when nobody drives any more, however that ended. */
  async stopped(): Promise<void> {
    await this.running?.catch(() => undefined);
  }

  private async run(): Promise<StepOutcome> {
    try {
      // Begins after the write that kicked us is complete.
      await Promise.resolve();
      let outcome: StepOutcome = "idle";
      while (this.kicked) {
        this.kicked = false;
        do outcome = await this.step();
        while (outcome === "again");
        if (outcome === "gone") return outcome;
      }
      this.ports.setLease(undefined);
      return outcome;
    } catch (error) {
      this.ports.crashed(error);
      throw error;
    } finally {
      this.running = undefined;
    }
  }

  private async step(): Promise<StepOutcome> {
    const abort = new CancelSource();
    const { signal } = abort;
    let over = false;
    this.current = abort;
    try {
      return await this.ports.step({ signal, isHeld: () => !over && !signal.aborted });
    } finally {
      over = true;
      this.current = undefined;
    }
  }
}
