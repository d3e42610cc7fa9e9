/** When what the outbox holds is delivered: at once, behind an answer, or by the alarm where this instance dies before. */
import type { Deadlines } from "./deadlines.js";
import { DeliveryPace } from "./delivery-pace.js";
import type { Outbox } from "./outbox.js";
import { leaseMs } from "./work-loop.js";

/** When the alarm looks after a delivery that an instance began and may have died over, in milliseconds. */
const deliveryLeaseMs = 15_000;

export interface DeliveriesPorts {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly outbox: Outbox;
  readonly deadlines: Deadlines;
  /** Whether the object's one alarm is kept for all it does at a time, so that a delivery sets none of its own. */
  readonly sharesAlarm: boolean;
  /** Whether work is being done. */
  readonly isBusy: () => boolean;
  /** Does this once the write that is under way is done. */
  readonly afterwards: (next: () => void) => void;
  readonly waitUntil: (work: Promise<unknown>) => void;
}

export class Deliveries {
  private readonly pace: DeliveryPace;

  constructor(private readonly ports: DeliveriesPorts) {
    const { now, isBusy } = ports;
    this.pace = new DeliveryPace({ now, isBusy, deliver: () => this.deliverSoon() });
  }

  /** Sends off what the outbox holds, in the background. */
  deliverSoon(): void {
    const { outbox, now, afterwards, waitUntil } = this.ports;
    afterwards(() => {
      this.pace.stop();
      if (!outbox.isEmpty()) this.wakeBy(now() + deliveryLeaseMs);
      waitUntil(outbox.drain());
    });
  }

  /** Sends off what ended work left: what somebody waits for goes off at once, copies behind the answer, see {@link DeliveryPace}. */
  deliverAfterWork(): void {
    const { outbox, now, afterwards } = this.ports;
    if (outbox.isUrgent()) this.deliverSoon();
    else
      afterwards(() => {
        if (outbox.isEmpty()) return;
        this.wakeBy(now() + deliveryLeaseMs);
        this.pace.workEnded();
      });
  }

  /**
   * Has the alarm look after the outbox then or earlier. Where the alarm is shared, it is the time of a lease that begins now that
   * holds, whatever `at` is: work that is done has set the alarm for then already.
   */
  wakeBy(at: number): void {
    const { deadlines, now, sharesAlarm } = this.ports;
    if (!sharesAlarm) deadlines.within("outbox", at, now());
    else deadlines.withinBrief("outbox", now() + leaseMs, now());
  }

  /** Has the alarm look after the outbox then; without a time no more. */
  wakeAt(at: number | undefined): void {
    const { deadlines, sharesAlarm } = this.ports;
    if (!sharesAlarm) deadlines.move("outbox", at);
    else deadlines.moveBrief("outbox", at);
  }

  /** Nothing is delivered any more but what somebody asks for. */
  stop(): void {
    this.pace.stop();
  }
}
