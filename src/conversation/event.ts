/** What is said of a type of event. Each domain has a table of its own; `src/catalogues/events.ts` is all of them. */
import { z } from "zod";

/** Whose business an event is, in growing order of what they may see: an end user, an application's backend, staff. */
export const eventAudiences = ["user", "client", "operator"] as const;
export type EventAudience = (typeof eventAudiences)[number];

/** The objects that have an event log. */
export type EventRoot = "session" | "run" | "roundtable";

export interface EventDefinition {
  /** One line: what happened, when it is emitted. */
  readonly description: string;
  readonly audience: EventAudience;
  /** What of its data a reader in its audience may see; nothing where it isn't for them after all. Absent: all of it. */
  readonly viewFor?: (reader: EventAudience, data: unknown) => unknown;
  /** Whose logs it stands in; those of a memory, and of the tenant (its limits, its inbox), are listed, not followed. */
  readonly roots: readonly (EventRoot | "memory" | "limits")[];
  /** What a reader gets. */
  readonly data: z.ZodType;
  /** What the log stores, where that is ids and readers get what holds when they read. Absent: the data itself. */
  readonly stored?: z.ZodType;
  /** Sent to those who listen at that moment: it is not stored and has no id. */
  readonly live?: true;
}

export type EventDefinitions = Readonly<Record<string, EventDefinition>>;

/** A comment of a stream: what follows happens now, what came before is what was there already. */
export const caughtUp = "caught up";

/** The work that an event is about: one of them, where it is about one. */
export const workIds = {
  turnId: z.string().optional(),
  runId: z.string().optional(),
  roundtableId: z.string().optional(),
};

/** The options of a union that is made from a table. */
export function nonEmpty<T>([first, ...rest]: readonly T[]): [T, ...T[]] {
  if (first === undefined) throw new Error("a union without options");
  return [first, ...rest];
}
