/**
 * Drives an object's work in the background. The lease alarm is set in the same write that makes the work; it only starts a new
 * driver when the old one died with its instance, and never waits for a model itself.
 */
export interface DriverPorts {
  readonly waitUntil: (promise: Promise<unknown>) => void;
  readonly setLease: (at: number | undefined) => void;
  readonly now: () => number;
  /** Does the next piece of work to its end, its wait or its failure; false when there is none. May throw. */
  readonly step: () => Promise<boolean>;
  /** The work threw: something unforeseen. */
  readonly crashed: (error: unknown) => void;
}

/** How long a dead driver goes unnoticed, in milliseconds. */
export const leaseMs = 30_000;

export class Driver {
  private running: Promise<void> | undefined;
  /** Work was made since the driver last looked. */
  private wanted = false;

  constructor(private readonly ports: DriverPorts) {}

  /**
   * Makes sure that somebody drives. To be called in the same synchronous stretch as the write that made the work; also when the
   * lease runs out: a living driver gets a new lease, a dead one is replaced.
   */
  kick(): void {
    this.wanted = true;
    this.ports.setLease(this.ports.now() + leaseMs);
    if (this.running !== undefined) return;
    this.running = this.run();
    this.ports.waitUntil(this.running);
  }

  /** Resolves when nobody drives any more. To be called once the work itself was told to stop. */
  async stopped(): Promise<void> {
    await this.running;
  }

  private async run(): Promise<void> {
    try {
      // Begins after the write that kicked us is complete.
      await Promise.resolve();
      while (this.wanted) {
        this.wanted = false;
        while (await this.ports.step()) {
          // Each step is one piece of work; the next one is looked for anew.
        }
      }
      this.ports.setLease(undefined);
    } catch (error) {
      this.ports.crashed(error);
    } finally {
      this.running = undefined;
    }
  }
}
