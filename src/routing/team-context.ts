/** What a team's supervisor, workers and aggregator share while they run: the command, the ports, the budget, and how hops pass. */
import type { Asking } from "../agent/asking.js";
import { contextFacts } from "../agent/call-context.js";
import type { Effect } from "../agent/effects.js";
import type { PromptParts } from "../agent/prompt.js";
import type { AskSource } from "../asks/origin.js";
import { nearest } from "../asks/policy.js";
import { activeAtHop } from "../supervision/as-hop.js";
import { passStep } from "../supervision/pass-step.js";
import { supervise } from "../supervision/supervise.js";
import type { TeamBudget } from "./budget.js";
import type { Draft } from "./draft.js";
import type { LoadedTeam, TeamPorts } from "./ports.js";
import type { QuestionPermits } from "./questions.js";
import type { RosterEntry } from "./routing-input.js";
import type { Worker } from "./team.js";
import type { TraceEntry } from "./trace.js";

/** The part of the prompt that all agents of the team share: what is in force in the session. */
export type PromptContext = () => Pick<PromptParts, "rules" | "references" | "memory" | "history" | "facts">;

/** Of a run of its own, which is no turn of a session. */
export const noPromptContext: PromptContext = () => ({ rules: [], references: [], memory: [], history: [] });

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
  /** What agents that have ended did: nobody who works now does it again. */
  readonly effects: readonly Effect[];
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

/** What all prompts of this agent begin with: what is in force around it, what it names itself, and what it is to know of the end user. */
export function promptContextOf(run: TeamContext, worker?: Worker): ReturnType<PromptContext> {
  const { command, team } = run;
  const around = command.promptContext();
  const own = worker === undefined ? undefined : team.items?.(worker);
  const facts = contextFacts(command, [...(team.definition.context ?? []), ...(worker?.context ?? [])]);
  return {
    ...around,
    rules: distinct([...around.rules, ...(own?.rules ?? [])]),
    references: distinct([...around.references, ...(own?.references ?? [])]),
    facts: distinct([...(around.facts ?? []), ...facts]),
  };
}

function distinct<T extends { readonly name: string }>(items: readonly T[]): T[] {
  return [...new Map(items.map((item) => [item.name, item])).values()];
}

export function rosterEntry({ id, description, capabilities }: Worker): RosterEntry {
  return { id, description, skills: capabilities.skills, tools: capabilities.tools };
}

export function rosterOf(workers: readonly Worker[]): RosterEntry[] {
  return workers.map(rosterEntry);
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

/** How an agent of the team asks people: as the nearest team around it says, then the tenant. */
export function askingOf(run: TeamContext, agent: string): Asking {
  const policy = nearest(run.team.definition.supervisor.questions, run.ports.asking?.policy);
  return { source: sourceOf(run, agent), policy };
}

export type Hop = { readonly ok: true; readonly content: string } | { readonly ok: false; readonly reasons: string };

/** Has what passes between two agents supervised; what comes out is what arrives. */
export async function hop(run: TeamContext, from: string, to: string, content: string, scope: string): Promise<Hop> {
  const { supervisors, journal, supervise: ports, noteDegraded } = run.ports;
  const place = (name: string): string => [...run.command.path, name].join("/");
  const subject = { hook: "hop", from: place(from), to: place(to), content } as const;
  const asSource = { ...ports, source: sourceOf(run, from) };
  const passed = await supervise(subject, supervisors, journal.scope(scope), asSource);
  noteDegraded(passed.degraded);
  return passed.action === "block"
    ? { ok: false, reasons: reasonsOf(passed) }
    : { ok: true, content: passed.subject.content };
}

export function reasonsOf({ reasons }: { readonly reasons: readonly string[] }): string {
  return reasons.join("; ") || "no reason was given";
}

/**
 * A text as the work's record shows it, where that keeps texts: who asks for a run reads its decisions, results and trace. The work
 * itself goes on with the text as it was.
 * @param hopSeen the supervisors of hops have seen it already.
 */
export function sanitized(run: TeamContext, text: string, scope: string, hopSeen = false): Promise<string> {
  return run.ports.observer.keepsTexts ? redactForRecord(run, text, scope, hopSeen) : Promise.resolve(text);
}

/**
 * What models and workers wrote beside the response, why something failed above all, as everybody may read it: it passes the
 * supervisors of responses. Nobody is asked for a review here, because the response is going to be reviewed: such a text is withheld.
 * @param hopSeen the supervisors of hops have seen it already.
 */
export async function redactForRecord(run: TeamContext, text: string, scope: string, hopSeen = false): Promise<string> {
  const { journal: around, supervisors, supervise: ports, noteDegraded } = run.ports;
  const unseen = hopSeen ? supervisors.filter(({ hooks }) => !hooks.has("hop")) : supervisors;
  const active = activeAtHop(unseen, ["response", "hop"]);
  if (active.length === 0 || text === "") return text;
  const journal = around.scope(scope);
  const subject = { hook: "hop", from: run.command.path.join("/"), to: "record", content: text } as const;
  const pass = await passStep(
    subject,
    active,
    { ...ports, journal },
    { onDone: ({ state, subject: after }) => ports.decided(state, subject, after) },
  );
  noteDegraded(pass.state.degraded);
  const passes = pass.state.decision === "allow" || pass.state.decision === "modify";
  return passes && pass.subject.hook === "hop" ? pass.subject.content : "[withheld by supervision]";
}
