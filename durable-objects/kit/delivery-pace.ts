/**
 * When an object sends off what its ended work left: behind the answer, and of works that follow each other at once together, so that
 * a flood of messages to one object is no flood of writes to the database that all share.
 */

/** What ends so soon after a delivery waits until the object is at rest, or until so long after that delivery; milliseconds. */
const apartMs = 3_000;
/** An object whose last work ended so long ago, and that has no other, is at rest; milliseconds. */
const restMs = 500;

export interface DeliveryPacePorts {
  readonly now: () => number;
  /** Whether work is being done. */
  readonly isBusy: () => boolean;
  readonly deliver: () => void;
}

export class DeliveryPace {
  private timer: { readonly dueAt: number; readonly id: ReturnType<typeof setTimeout> } | undefined;
  /** When it had something delivered last; what others have delivered, for somebody who waits for it, doesn't count. */
  private deliveredAt = Number.NEGATIVE_INFINITY;
  private endedAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly ports: DeliveryPacePorts) {}

  /** Work has ended: what it left is delivered soon. The alarm sees to it where this instance dies before. */
  workEnded(): void {
    this.endedAt = this.ports.now();
    this.lookIn(this.leftOf(apartMs, this.deliveredAt) === 0 ? 0 : restMs);
  }

  /** Nothing waits any more: somebody else delivers it, or it was erased. */
  stop(): void {
    clearTimeout(this.timer?.id);
    this.timer = undefined;
  }

  private lookIn(delayMs: number): void {
    const dueAt = this.ports.now() + delayMs;
    // One timer for many works: it rings too early for the last of them, and is set anew then.
    if (this.timer !== undefined && this.timer.dueAt <= dueAt) return;
    this.stop();
    this.timer = { dueAt, id: setTimeout(() => this.look(), delayMs) };
  }

  private look(): void {
    this.timer = undefined;
    const untilApart = this.leftOf(apartMs, this.deliveredAt);
    const wait = this.ports.isBusy() ? untilApart : Math.min(untilApart, this.leftOf(restMs, this.endedAt));
    if (wait > 0) {
      this.lookIn(wait);
      return;
    }
    this.deliveredAt = this.ports.now();
    this.ports.deliver();
  }

  /** What is left of a time that began then, in milliseconds; nothing where the clock was set back meanwhile. */
  private leftOf(timeMs: number, since: number): number {
    const passed = this.ports.now() - since;
    return passed < 0 ? 0 : Math.max(0, timeMs - passed);
  }
}
