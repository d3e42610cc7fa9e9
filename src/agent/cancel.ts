/** Signals that cancel work. */
import type { CancelSignal } from "../model/port.js";

/**
 * A cancellation of our own, used as an `AbortController` is. To listen to a platform's signal takes ten times as long, and only the
 * platform's own calls want one. Listeners must not throw.
 * @example
 * const source = new CancelSource();
 * const done = model.call(request, { signal: source.signal });
 * source.abort();
 */
export class CancelSource implements CancelSignal {
  private isAborted = false;
  private readonly listeners = new Set<() => void>();

  get signal(): CancelSignal {
    return this;
  }

  get aborted(): boolean {
    return this.isAborted;
  }

  addEventListener(_type: "abort", listener: () => void): void {
    if (!this.isAborted) this.listeners.add(listener);
  }

  removeEventListener(_type: "abort", listener: () => void): void {
    this.listeners.delete(listener);
  }

  /** Calls those who listen, once. */
  abort(): void {
    if (this.isAborted) return;
    this.isAborted = true;
    for (const listener of this.listeners) listener();
    this.listeners.clear();
  }
}

/** Aborted as soon as one of the two is. */
export function eitherSignal(one: CancelSignal, other: CancelSignal): CancelSignal {
  return {
    get aborted() {
      return one.aborted || other.aborted;
    },
    addEventListener(type, listener) {
      one.addEventListener(type, listener);
      other.addEventListener(type, listener);
    },
    removeEventListener(type, listener) {
      one.removeEventListener(type, listener);
      other.removeEventListener(type, listener);
    },
  };
}
