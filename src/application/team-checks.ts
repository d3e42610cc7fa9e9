import type { ProblemIssue } from "../conversation/problem.js";
import { type OutgoingPolicy, refuseAddress } from "../platform/outgoing.js";
import type { Team } from "../routing/team.js";
import { teamsWithin, unknownTools } from "../routing/team.js";
import type { MemoryService } from "./memory/memory-service.js";

/** What is wrong with a team beyond its form, teams sent along within it included: addresses, and names of built-in tools. */
export function checkTeam(team: Team, policy: OutgoingPolicy, at = ""): ProblemIssue[] {
  const addresses = teamsWithin(team).flatMap(({ team: { workers }, path }) =>
    workers.flatMap(({ http }, index) => {
      const message = http === undefined ? undefined : refuseAddress(http.url, policy);
      return message === undefined ? [] : [{ path: [...path, "workers", index, "http", "url"], message }];
    }),
  );
  return [...addresses, ...unknownTools(team)].map(({ path, message }) => ({ path: placeIn(at, path), message }));
}

function placeIn(at: string, path: readonly (string | number)[]): string {
  return (at === "" ? path : [at, ...path]).join(".");
}

/** Memories that are named and aren't there. */
export async function checkMemories(
  memories: Pick<MemoryService, "memory">,
  tenantId: string,
  named: readonly { readonly path: readonly (string | number)[]; readonly memoryId: string }[],
  at = "",
): Promise<ProblemIssue[]> {
  const checked = await Promise.all(
    named.map(async ({ path, memoryId }) => {
      if ((await memories.memory(tenantId, memoryId)).ok) return [];
      return [{ path: placeIn(at, path), message: "there is no such memory" }];
    }),
  );
  return checked.flat();
}
