/** Callers who wait, at most so long, for something to become true of an object. */
export class Waiters {
  private readonly waiting = new Set<{ readonly isSo: () => boolean; readonly done: (reached: boolean) => void }>();

  /** Resolves when it is so, at the latest after `timeoutMs`; says whether it is. */
  async until(isSo: () => boolean, timeoutMs: number): Promise<boolean> {
    if (isSo()) return true;
    if (timeoutMs <= 0) return false;
    return new Promise<boolean>((resolve) => {
      const done = (reached: boolean): void => {
        clearTimeout(timer);
        this.waiting.delete(waiter);
        resolve(reached);
      };
      const waiter = { isSo, done };
      const timer = setTimeout(() => done(false), timeoutMs);
      this.waiting.add(waiter);
    });
  }

  /** Something has changed: those who waited for just this go on. */
  check(): void {
    for (const { isSo, done } of this.waiting) if (isSo()) done(true);
  }

  /** The object was emptied: nothing that is waited for will come to be. */
  rejectAll(): void {
    for (const { done } of this.waiting) done(false);
  }
}
