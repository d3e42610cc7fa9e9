/**
 * What passes inside a turn or a run can be as good as a message or a reply: a question to a person, a person's answer, what goes
 * into and comes out of a team inside a team. The supervisors of messages and replies then supervise it, at the hook that it has.
 */
import type { Supervisor } from "./supervisor.js";
import type { Hook } from "./verdict.js";

/** The supervisors of any of these hooks, as supervisors of hops and of nothing else. */
export function activeAtHop(supervisors: readonly Supervisor[], hooks: readonly Hook[]): Supervisor[] {
  return supervisors
    .filter((supervisor) => hooks.some((hook) => supervisor.hooks.has(hook)))
    .map((supervisor) => ({ ...supervisor, hooks: new Set<Hook>(["hop"]) }));
}

/** All supervisors; those of `hook` supervise `other` as well. */
export function alsoActiveAt(other: Hook, hook: Hook, supervisors: readonly Supervisor[]): Supervisor[] {
  return supervisors.map((supervisor) =>
    supervisor.hooks.has(hook) ? { ...supervisor, hooks: new Set([...supervisor.hooks, other]) } : supervisor,
  );
}
