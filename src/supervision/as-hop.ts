/**
 * What passes inside a turn or a run and is for somebody as good as a message or a reply (a question to a person, what goes into
 * and comes out of a team inside a team) is supervised as a hop, by those who stand at the hooks it is as good as.
 */
import type { Supervisor } from "./supervisor.js";
import type { Hook } from "./verdict.js";

/** The supervisors that stand at any of these hooks, standing at `hop`. */
export function activeAtHop(supervisors: readonly Supervisor[], hooks: readonly Hook[]): Supervisor[] {
  return supervisors
    .filter((supervisor) => hooks.some((hook) => supervisor.hooks.has(hook)))
    .map((supervisor) => ({
      name: supervisor.name,
      kind: supervisor.kind,
      hooks: new Set<Hook>(["hop"]),
      order: supervisor.order,
      onFailure: supervisor.onFailure,
      timeoutMs: supervisor.timeoutMs,
      mode: supervisor.mode,
      mayModify: supervisor.mayModify,
      pure: supervisor.pure,
      ...(supervisor.health === undefined ? {} : { health: supervisor.health }),
      ...(supervisor.reasons === undefined ? {} : { reasons: supervisor.reasons }),
      judge: (subject, judging) => supervisor.judge(subject, judging),
      ...(supervisor.openStream === undefined ? {} : { openStream: supervisor.openStream.bind(supervisor) }),
    }));
}
