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
  private deliveredAt = Number.NEGATIVE_INFINITY;
  private endedAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly ports: DeliveryPacePorts) {}

  /** Work has ended: what it left is delivered soon. The alarm sees to it where this instance dies before. */
  workEnded(): void {
    const now = this.ports.now();
    this.endedAt = now;
    this.lookIn(now - this.deliveredAt >= apartMs ? 0 : restMs);
  }

  /** Somebody delivers now. */
  delivered(): void {
    this.stop();
    this.deliveredAt = this.ports.now();
  }

  /** Nothing is delivered any more but what somebody asks for. */
  stop(): void {
    clearTimeout(this.timer?.id);
    this.timer = undefined;
  }

  private lookIn(delayMs: number): void {
    const dueAt = this.ports.now() + delayMs;
    // A timer that rings earlier looks how things are, and is set anew where it is too early: cheaper than one for each work.
    if (this.timer !== undefined && this.timer.dueAt <= dueAt) return;
    this.stop();
    this.timer = { dueAt, id: setTimeout(() => this.look(), delayMs) };
  }

  private look(): void {
    this.timer = undefined;
    const now = this.ports.now();
    // A clock may be set back.
    const within = (ms: number): number => Math.min(apartMs, ms);
    const longest = within(this.deliveredAt + apartMs - now);
    const wait = this.ports.isBusy() ? longest : Math.min(longest, within(this.endedAt + restMs - now));
    if (wait > 0) this.lookIn(wait);
    else this.ports.deliver();
  }
}
