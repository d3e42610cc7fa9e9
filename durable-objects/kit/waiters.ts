/** Callers who wait, at most so long, for something to become true of an object. */
export class Waiters {
  private readonly checks = new Set<() => void>();

  /** Resolves when it is so, at the latest after `timeoutMs`; says whether it is. */
  async until(isSo: () => boolean, timeoutMs: number): Promise<boolean> {
    if (isSo()) return true;
    if (timeoutMs <= 0) return false;
    return new Promise<boolean>((resolve) => {
      const done = (reached: boolean): void => {
        clearTimeout(timer);
        this.checks.delete(check);
        resolve(reached);
      };
      const check = (): void => {
        if (isSo()) done(true);
      };
      const timer = setTimeout(() => done(false), timeoutMs);
      this.checks.add(check);
    });
  }

  /** Something has changed: whoever waited for just this goes on. */
  check(): void {
    for (const check of this.checks) check();
  }
}
