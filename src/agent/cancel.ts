/** Signals that cancel work. */
import type { CancelSignal } from "../model/port.js";

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
