/** What a team's supervisor, workers and aggregator share while they run: the command, the ports, the budget, and their place in journal, trace and asks. */

import type { Effect } from "../agent/effects.js";
import type { Asking } from "../agent/tools.js";
import type { AskSource } from "../asks/origin.js";
import type { TeamBudget } from "./budget.js";
import type { Draft } from "./draft.js";
import type { LoadedTeam, TeamPorts } from "./ports.js";
import type { PromptContext } from "./prompt-context.js";
import type { QuestionPermits } from "./questions.js";
import type { TraceEntry } from "./trace.js";

export interface TeamCommand {
  /** Begins the ids of everything that this team does; unique and the same over replays. */
  readonly id: string;
  readonly input: string;
  readonly metadata: Readonly<Record<string, string | number | boolean>>;
  /** The end user, by the application's own name. */
  readonly subject?: string | undefined;
  readonly promptContext: PromptContext;
  /** The worker that answered the turn before, in a session. */
  readonly activeWorker?: string | undefined;
  /** The ids of the workers that are teams around this one. */
  readonly path: readonly string[];
}

export interface TeamContext {
  readonly command: TeamCommand;
  readonly team: LoadedTeam;
  readonly ports: TeamPorts;
  readonly budget: TeamBudget;
  readonly permits: QuestionPermits;
  /** How its agents ask people: as the nearest team around them says, then the tenant. */
  readonly questions: Asking["policy"];
  /** What agents that have ended did: nobody who works now does it again. */
  readonly effects: readonly Effect[];
  /** The ids of its workers that failed in this run: they get nothing more to do, from nobody. */
  readonly failed: ReadonlySet<string>;
  /** Where what will be the response is written while it is; absent where nobody listens, or another may yet become it. */
  readonly draft?: Draft | undefined;
}

/** The same team at work in a scope of its journal, with a share of its budget. */
export function inScope(run: TeamContext, scope: string, budget = run.budget): TeamContext {
  return { ...inJournal(run, run.ports.journal.scope(scope)), budget };
}

/** The same team at work over a journal that it was given. */
export function inJournal(run: TeamContext, journal: TeamPorts["journal"]): TeamContext {
  return { ...run, ports: { ...run.ports, journal } };
}

type EntryWithoutPath = TraceEntry extends infer Entry ? (Entry extends unknown ? Omit<Entry, "path"> : never) : never;

/** Adds an entry to the trace; to be called in the write of the step that it is part of, so that it is there once. */
export function emit(run: TeamContext, entry: EntryWithoutPath): void {
  run.ports.observer.traced({ ...entry, path: [...run.command.path] });
}

/** Where an agent of the team stands, for the asks that come of its work. */
export function sourceOf({ team, command }: TeamContext, agent: string): AskSource {
  const name = team.key.startsWith("inline:") ? "inline" : team.key;
  return { agent, team: name, ...(command.path.length === 0 ? {} : { path: [...command.path] }) };
}

/** How an agent of the team asks people. */
export function askingOf(run: TeamContext, agent: string): Asking {
  return { source: sourceOf(run, agent), policy: run.questions };
}
