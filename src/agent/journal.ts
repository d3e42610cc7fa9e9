/**
 * The journal: work as a list of steps that are never done twice. Durable functions (a turn, a run, a round) are written as
 * plain code over a journal; after an eviction, a crash or a long wait they are run again from the top, and every step that
 * has a result returns it at once. See docs/decisions for why replay was chosen.
 */
import type { z } from "zod";
import type { Ask, AskRequest } from "../asks/ask.js";
import type { CallBudget } from "./call-budget.js";

export type StepKind = "load" | "model" | "tool" | "supervision" | "ask" | "commit";

export interface StepSpec<T> {
  /** Unique in its scope and derived from position alone, so that a replay finds it again. */
  readonly id: string;
  readonly kind: StepKind;
  /** Reads the stored result back. */
  readonly schema: z.ZodType<T>;
  /** What is stored in place of the result, where there is a shorter form of it: `schema` reads it back. */
  readonly stored?: (result: T) => unknown;
  /**
   * What happens to a step that was begun and has no result, because the object died in between: `again` does it once more
   * (harmless work: a model call, an idempotent tool under the same key); otherwise the function supplies the result that
   * stands for "outcome unknown".
   */
  readonly interrupted: "again" | (() => T);
  /**
   * Its result may be written together with what the work writes next, at the latest when the work waits for something: for
   * steps that are done again harmlessly. `onDone` runs then.
   */
  readonly writtenWithNext?: boolean;
  /** Runs in the same synchronous write as the step's beginning; only the first time. */
  readonly onBegin?: () => void;
  /** Runs in the same synchronous write as the step's result, so that both are stored or neither. */
  readonly onDone?: (result: T) => void;
}

/** What of a step holds for a commit as well; one that waits is written before anything is loaded, too. */
export type CommitOptions = Pick<StepSpec<unknown>, "writtenWithNext">;

export interface Journal {
  /** What calls of models are held against, where the work's tenant has limits of tokens or money. */
  readonly budget?: CallBudget | undefined;
  /**
   * Returns the step's stored result, or does the work and stores it.
   * Work that throws leaves the step begun: expected failures are results, not exceptions.
   * @throws {Superseded} when the work was cancelled or taken over meanwhile: nothing is stored then.
   * @example
   * const forecast = await journal.step(
   *   { id: "forecast", kind: "load", schema: z.object({ celsius: z.number() }), interrupted: "again" },
   *   () => weather.today("Lyon"),
   * );
   */
  step<T>(spec: StepSpec<T>, work: () => Promise<T>): Promise<T>;
  /**
   * A step that only writes: `onDone` runs in the same synchronous write as the step's result, the first time only.
   * @throws {Superseded} when the work was cancelled or taken over: `onDone` isn't run then.
   * @example
   * await journal.commit("message", () => ports.messageDecided(message, blocked));
   */
  commit(id: string, onDone: () => void, options?: CommitOptions): Promise<void>;
  /**
   * Returns the closed ask of this id, opening it first if need be.
   * @throws {Parked} while the ask is open.
   */
  ask(id: string, request: AskRequest): Ask;
  /** A journal whose step ids begin with `prefix/`: nested work runs in its root's object. */
  scope(prefix: string): Journal;
}

/** Thrown through a durable function when it can't go on before an ask is closed. Never an error; never to be swallowed. */
export class Parked extends Error {
  override readonly name = "Parked";
  constructor(readonly askIds: readonly string[]) {
    super(`waiting for ${askIds.join(", ")}`);
  }
}

/** Thrown through a durable function that may not go on before a time, because a provider asked for it. Never an error. */
export class Postponed extends Error {
  override readonly name = "Postponed";
  /** @param until in milliseconds since the epoch */
  constructor(readonly until: number) {
    super(`not before ${new Date(until).toISOString()}`);
  }
}

/** Thrown by the journal when its work was cancelled or taken over; the durable function just ends. */
export class Superseded extends Error {
  override readonly name = "Superseded";
}

/** A result as it is stored: JSON text, for the step's schema to read. */
export function resultText<T>({ stored }: Pick<StepSpec<T>, "stored">, result: T): string {
  return JSON.stringify(stored === undefined ? result : stored(result));
}

/** Whether an exception is the journal's own control flow, which every `catch` has to let through. */
export function isControlFlow(error: unknown): error is Parked | Postponed | Superseded {
  return error instanceof Parked || error instanceof Postponed || error instanceof Superseded;
}
