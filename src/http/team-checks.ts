import type { MemoryService } from "../platform/memory/memory-service.js";
import { type OutgoingPolicy, refuseAddress } from "../platform/outgoing.js";
import type { ProblemIssue } from "../problem.js";
import { type Team, unknownTools } from "../routing/team.js";

/** What is wrong with a team beyond its form, teams sent along within it included: addresses, and names of built-in tools. */
export function checkTeam(team: Team, policy: OutgoingPolicy, at = ""): ProblemIssue[] {
  const tools = unknownTools(team).map(({ path, message }) => ({
    path: [...(at === "" ? [] : [at]), ...path].join("."),
    message,
  }));
  return [...checkAddresses(team, policy, at), ...tools];
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
      return [{ path: [...(at === "" ? [] : [at]), ...path].join("."), message: "there is no such memory" }];
    }),
  );
  return checked.flat();
}

function checkAddresses(team: Team, policy: OutgoingPolicy, path: string): ProblemIssue[] {
  const at = (place: string): string => (path === "" ? place : `${path}.${place}`);
  return team.workers.flatMap(({ http, team: inner }, index) => {
    const refused = http === undefined ? undefined : refuseAddress(http.url, policy);
    return [
      ...(refused === undefined ? [] : [{ path: at(`workers.${index}.http.url`), message: refused }]),
      ...(inner === undefined || typeof inner === "string"
        ? []
        : checkAddresses(inner, policy, at(`workers.${index}.team`))),
    ];
  });
}
