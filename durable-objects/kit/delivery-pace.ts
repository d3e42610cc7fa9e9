/**
 * When an object sends off what its ended work left: behind the answer, and of works that follow each other at once together, so that
 * a flood of messages to one object is no flood of writes to the database that all share.
 */

/** What ends so soon after a delivery waits until the object is at rest, or until so long after that delivery; milliseconds. */
const apartMs = 3_000;
/** An object whose last work ended so long ago, and that has no other, is at rest; milliseconds. */
const restMs = 20;

export interface DeliveryPacePorts {
  readonly now: () => number;
  /** Whether work is being done. */
  readonly isBusy: () => boolean;
  readonly deliver: () => void;
}

export class DeliveryPace {
  private timer: ReturnType<typeof setTimeout> | undefined;
  private deliveredAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly ports: DeliveryPacePorts) {}

  /** Work has ended: what it left is delivered soon. The alarm sees to it where this instance dies before. */
  workEnded(): void {
    const sinceLast = this.ports.now() - this.deliveredAt;
    this.in(sinceLast >= apartMs ? 0 : restMs);
  }

  /** Somebody delivers now. */
  delivered(): void {
    this.stop();
    this.deliveredAt = this.ports.now();
  }

  /** Nothing is delivered any more but what somebody asks for. */
  stop(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  private in(delayMs: number): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.timer = undefined;
      // A clock may be set back.
      const leftMs = Math.min(apartMs, this.deliveredAt + apartMs - this.ports.now());
      if (this.ports.isBusy() && leftMs > 0) this.in(leftMs);
      else this.ports.deliver();
    }, delayMs);
  }
}
