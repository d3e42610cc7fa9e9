/** What is wrong with a team or an agent beyond its form, for whoever stores or sends it. */
import type { ProblemIssue } from "../conversation/problem.js";
import { type OutgoingPolicy, refuseAddress } from "../platform/outgoing.js";
import type { Team } from "../routing/team.js";
import { teamsWithin, unknownTools } from "../routing/team.js";
import { settingsIssues } from "../routing/team-settings.js";
import { templateIssues } from "./endpoint-checks.js";
import type { MemoryService } from "./memory/memory-service.js";

/** The addresses that can't be called and the built-in tools that don't exist, in a team and in the teams sent along within it. */
export function checkTeam(team: Team, policy: OutgoingPolicy, at = ""): ProblemIssue[] {
  const addresses = teamsWithin(team).flatMap(({ team: { workers }, path }) =>
    workers.flatMap(({ http }, index) => {
      const message = http === undefined ? undefined : refuseAddress(http.url, policy);
      return message === undefined ? [] : [{ path: [...path, "workers", index, "http", "url"], message }];
    }),
  );
  const placeholders = teamsWithin(team).flatMap(({ team: { workers }, path }) =>
    workers.flatMap(({ http }, index) =>
      http === undefined
        ? []
        : templateIssues("http", http).map((issue) => ({
            path: [...path, "workers", index, issue.path],
            message: issue.message,
          })),
    ),
  );
  return [...addresses, ...placeholders, ...unknownTools(team), ...settingsIssues(team)].map(({ path, message }) => ({
    path: pathWithin(at, path),
    message,
  }));
}

function pathWithin(at: string, path: readonly (string | number)[]): string {
  return (at === "" ? path : [at, ...path]).join(".");
}

/** Memories that are named and don't exist: one issue for each. */
export async function checkMemories(
  memories: Pick<MemoryService, "memory">,
  tenantId: string,
  named: readonly { readonly path: readonly (string | number)[]; readonly memoryId: string }[],
  at = "",
): Promise<ProblemIssue[]> {
  const checked = await Promise.all(
    named.map(async ({ path, memoryId }) => {
      if ((await memories.memory(tenantId, memoryId)).ok) return [];
      return [{ path: pathWithin(at, path), message: "there is no such memory" }];
    }),
  );
  return checked.flat();
}
