/** Messages to somebody who isn't to be flooded: so many in a while at once, and of what comes beyond that the newest, when it is over. */

export interface Pace {
  /** At most so many … */
  readonly most: number;
  /** … in so many milliseconds. */
  readonly perMs: number;
}

/**
 * @example
 * const paced = new Paced({ most: 10, perMs: 1_000 }, now, send);
 * for (let n = 1; n <= 50; n++) paced.say(`${n} of 50`); // 1 to 10 at once, 50 a second later
 */
export class Paced {
  /** When the newest were sent, the oldest first. */
  private sentAt: number[] = [];
  private waiting: string | undefined;
  private later: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly pace: Pace,
    private readonly now: () => number,
    private readonly send: (message: string) => void,
  ) {}

  say(message: string): void {
    const { most, perMs } = this.pace;
    const now = this.now();
    // A clock may be set back.
    this.sentAt = this.sentAt.filter((at) => at > now - perMs && at <= now);
    const [oldest = now] = this.sentAt;
    if (this.sentAt.length < most) {
      this.sentAt.push(now);
      this.waiting = undefined;
      this.send(message);
      return;
    }
    this.waiting = message;
    this.later ??= setTimeout(
      () => {
        this.later = undefined;
        if (this.waiting !== undefined) this.say(this.waiting);
      },
      oldest + perMs - now,
    );
  }

  /** What waits isn't sent any more. */
  stop(): void {
    clearTimeout(this.later);
    this.waiting = undefined;
  }
}
