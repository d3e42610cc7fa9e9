import { type OutgoingPolicy, refuseAddress } from "../platform/outgoing.js";
import type { ProblemIssue } from "../problem.js";
import type { Team } from "../routing/team.js";
import { hiddenSecret } from "../supervision/kinds/http.js";

/** What is wrong with the addresses of a team's workers, those of teams sent along within it included. */
export function checkTeam(team: Team, policy: OutgoingPolicy, path = ""): ProblemIssue[] {
  const at = (place: string): string => (path === "" ? place : `${path}.${place}`);
  return team.workers.flatMap(({ http, team: inner }, index) => {
    const refused = http === undefined ? undefined : refuseAddress(http.url, policy);
    return [
      ...(refused === undefined ? [] : [{ path: at(`workers.${index}.http.url`), message: refused }]),
      ...(inner === undefined || typeof inner === "string"
        ? []
        : checkTeam(inner, policy, at(`workers.${index}.team`))),
    ];
  });
}

/** The same team with its workers' headers hidden: they may hold credentials, and are written and not read back. */
export function hideWorkerHeaders(team: Team): Team {
  return {
    ...team,
    workers: team.workers.map((worker) => ({
      ...worker,
      ...(worker.http === undefined
        ? {}
        : {
            http: {
              ...worker.http,
              headers: Object.fromEntries(Object.keys(worker.http.headers).map((name) => [name, hiddenSecret])),
            },
          }),
      ...(worker.team === undefined || typeof worker.team === "string" ? {} : { team: hideWorkerHeaders(worker.team) }),
    })),
  };
}
