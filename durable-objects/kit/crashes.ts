/** What becomes of work that threw: it waits for a person or until a time, is tried again, or is given up. */
import { isControlFlow, Parked, Postponed } from "../../src/agent/journal.js";
import { UnopenedError } from "../../src/platform/secrets.js";

export interface CrashPorts {
  readonly sql: SqlStorage;
  readonly now: () => number;
  /** Work that threw isn't tried again before. */
  readonly postpone: (work: string, at: number) => void;
  /** Whether any of these asks is open (others of the work may be, that nobody waits for), or the work is paused. */
  readonly hasToWait: (work: string, askIds: readonly string[]) => boolean;
  readonly crashed: (work: string, error: unknown) => void;
}

/** Waited after the first, second, … unforeseen exception of some work, in milliseconds; at the next after them it fails. */
const retryWaitsMs = [0, 10_000, 60_000] as const;

export class Crashes {
  /** Work that has thrown and has not ended; read when it is asked for. Nobody else writes it. */
  private thrown: Set<string> | undefined;

  constructor(private readonly ports: CrashPorts) {}

  /** A write was rolled back, or everything was erased: what was read doesn't hold. */
  onRollback(): void {
    this.thrown = undefined;
  }

  /**
   * `waiting`: for an ask that is open. `failed`: it is given up. `again`: the loop looks again at once, at this work (which may
   * have to wait until whatever is broken was mended) or, where that was cancelled and so ended by the canceller, at the next.
   */
  after(work: string, error: unknown, isHeld: boolean): "waiting" | "failed" | "again" {
    if (isControlFlow(error)) {
      if (error instanceof Postponed && isHeld) this.ports.postpone(work, error.until);
      // While siblings finished, the ask may have been answered.
      const waits = error instanceof Parked && isHeld && this.ports.hasToWait(work, error.askIds);
      return waits ? "waiting" : "again";
    }
    this.ports.crashed(work, error);
    if (!isHeld) return "again";
    // Trying again opens nothing.
    if (error instanceof UnopenedError) return "failed";
    const wait = retryWaitsMs[this.count(work) - 1];
    if (wait === undefined) return "failed";
    if (wait > 0) this.ports.postpone(work, this.ports.now() + wait);
    return "again";
  }

  /** To be called in the write that ends the work. */
  forget(work: string): void {
    if (!this.known().delete(work)) return;
    this.ports.sql.exec("DELETE FROM crashes WHERE work = ?", work);
  }

  private known(): Set<string> {
    this.thrown ??= new Set(
      this.ports.sql
        .exec<{ work: string }>("SELECT work FROM crashes")
        .toArray()
        .map(({ work }) => work),
    );
    return this.thrown;
  }

  private count(work: string): number {
    this.known().add(work);
    return this.ports.sql
      .exec<{ count: number }>(
        "INSERT INTO crashes (work, count) VALUES (?, 1) ON CONFLICT DO UPDATE SET count = count + 1 RETURNING count",
        work,
      )
      .one().count;
  }
}
