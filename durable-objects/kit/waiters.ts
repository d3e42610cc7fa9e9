/** Callers that wait for something to happen to a piece of work, each for so long at most. They live as long as the instance. */
export class Waiters {
  private readonly waiting = new Map<string, Set<() => void>>();

  /** Resolves when the work is woken, at the latest after `waitMs`. */
  async wait(work: string, waitMs: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const those = this.waiting.get(work) ?? new Set();
      this.waiting.set(work, those);
      const done = (): void => {
        clearTimeout(timer);
        those.delete(done);
        resolve();
      };
      const timer = setTimeout(done, waitMs);
      those.add(done);
    });
  }

  /** Lets those go who wait for this. */
  wake(work: string): void {
    for (const done of this.waiting.get(work) ?? []) done();
    this.waiting.delete(work);
  }
}
