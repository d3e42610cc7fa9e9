/** A journal for work within one request: nothing is kept, and nothing can be waited for. */
import type { CallBudget } from "./call-budget.js";
import { type Journal, Parked, type StepSpec } from "./journal.js";

/** Each step is done when it is asked for; an ask parks at once, on nothing that anybody could answer. */
export const transientJournal: Journal = {
  async step<T>(spec: StepSpec<T>, work: () => Promise<T>): Promise<T> {
    spec.onBegin?.();
    const result = await work();
    spec.onDone?.(result);
    return result;
  },
  async commit(_id, onDone) {
    onDone();
  },
  ask() {
    throw new Parked([]);
  },
  scope() {
    return transientJournal;
  },
};

/** The same, whose calls of models are held against a budget. @param ask what closes its asks, where something does */
export function transientJournalWithin(budget: CallBudget, ask = transientJournal.ask): Journal {
  const journal: Journal = { ...transientJournal, budget, ask, scope: () => journal };
  return journal;
}
