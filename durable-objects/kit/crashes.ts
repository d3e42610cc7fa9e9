/** What becomes of work that threw: it waits for a person, is tried again, or is given up. */
import { isControlFlow, Parked } from "../../src/agent/journal.js";
import type { Lease } from "./driver.js";
import { StepAbandonedError } from "./journal.js";

export interface CrashPorts {
  readonly sql: SqlStorage;
  /** Whether any of these asks is open: others of the work may be, that nobody waits for. */
  readonly hasOpenAsks: (work: string, askIds: readonly string[]) => boolean;
  readonly crashed: (work: string, error: unknown) => void;
}

/** Work fails at its so manieth unforeseen exception. The first is tried again at once, the others when the lease runs out. */
const maxCrashes = 4;

export class Crashes {
  constructor(private readonly ports: CrashPorts) {}

  /**
   * `waiting`: for an ask that is open. `failed`: it is given up. `again`: the driver looks again at once, at this work or, where
   * that was cancelled and so ended by whoever did it, at the next.
   * @throws {unknown} the exception itself, when whatever is broken is to get time to mend: the lease stays, and the alarm goes on.
   */
  after(work: string, error: unknown, lease: Lease): "waiting" | "failed" | "again" {
    if (isControlFlow(error)) {
      // While siblings finished, the ask may have been answered.
      const waits = error instanceof Parked && lease.isHeld() && this.ports.hasOpenAsks(work, error.askIds);
      return waits ? "waiting" : "again";
    }
    this.ports.crashed(work, error);
    if (!lease.isHeld()) return "again";
    const count = this.count(work);
    if (count >= maxCrashes || error instanceof StepAbandonedError) return "failed";
    if (count > 1) throw error;
    return "again";
  }

  /** To be called in the write that ends the work. */
  forget(work: string): void {
    this.ports.sql.exec("DELETE FROM crashes WHERE work = ?", work);
  }

  private count(work: string): number {
    return this.ports.sql
      .exec<{ count: number }>(
        "INSERT INTO crashes (work, count) VALUES (?, 1) ON CONFLICT DO UPDATE SET count = count + 1 RETURNING count",
        work,
      )
      .one().count;
  }
}
