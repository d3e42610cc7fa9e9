/** What a worker is given, and what comes of it. */

import type { Effect } from "../agent/effects.js";
import type { Clarification } from "./clarifications.js";
import type { Worker } from "./team.js";

export type WorkerOutcome = {
  readonly clarifications: readonly Clarification[];
  /** What it did that isn't to be done again. */
  readonly effects: readonly Effect[];
} & (
  | { readonly kind: "done"; readonly output: string }
  | { readonly kind: "handedOn"; readonly to: string; readonly reason: string; readonly found: string }
  /** `again`: whether another attempt from the start may help; it is made only where nothing was done. */
  | { readonly kind: "failed"; readonly error: string; readonly again: boolean }
);

/** A failure that another attempt can't help. @param report what the worker asked and did before it failed. */
export function failedOutcome(
  error: string,
  { clarifications = [], effects = [] }: Partial<Pick<WorkerOutcome, "clarifications" | "effects">> = {},
): WorkerOutcome {
  return { kind: "failed", error, again: false, clarifications, effects };
}

export interface Task {
  readonly worker: Worker;
  /** What it reads: the cleared brief. */
  readonly content: string;
  /** Who had the task before, oldest first. */
  readonly chain: readonly string[];
  /** Begins the ids of what it does. */
  readonly id: string;
}
