/** What is wrong with a team, an agent or a panel beyond its form, for whoever stores or sends it; and what a panel names. */
import { unknownBuiltIn } from "../agent/built-in-tools.js";
import { modelList } from "../agent/definition.js";
import type { ToolRef } from "../agent/tools.js";
import type { ProblemIssue } from "../conversation/problem.js";
import { type OutgoingPolicy, refuseAddress } from "../platform/outgoing.js";
import type { Panel } from "../roundtable/panel.js";
import { type Team, teamsWithin, toolRefOf, unknownTools } from "../routing/team.js";
import { settingsIssues } from "../routing/team-settings.js";
import { templateIssues } from "./endpoint-checks.js";
import type { MemoryService } from "./memory/memory-service.js";
import { type NamedAt, namedAt } from "./name-checks.js";

/** The addresses that can't be called and the built-in tools that don't exist, in a team and in the teams sent along within it. */
export function checkTeam(team: Team, policy: OutgoingPolicy, at = ""): ProblemIssue[] {
  const endpoints = teamsWithin(team).flatMap(({ team: { workers }, path }) =>
    workers.flatMap(({ http }, index) => (http === undefined ? [] : [{ http, path: [...path, "workers", index] }])),
  );
  const addresses = endpoints.flatMap(({ http, path }) => {
    const message = refuseAddress(http.url, policy);
    return message === undefined ? [] : [{ path: [...path, "http", "url"], message }];
  });
  const placeholders = endpoints.flatMap(({ http, path }) =>
    templateIssues("http", http).map((issue) => ({ path: [...path, issue.path], message: issue.message })),
  );
  const issues = [...addresses, ...placeholders, ...unknownTools(team), ...settingsIssues(team)];
  return issues.map(({ path, message }) => ({ path: pathWithin(at, path), message }));
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

/** The built-in tools and the memories that it names and that don't exist. @param at where the panel stands in a body */
export async function checkPanel(
  panel: Panel,
  tenantId: string,
  memories: Pick<MemoryService, "memory">,
  at = "",
): Promise<ProblemIssue[]> {
  const tools = panel.tools.flatMap((name, index) => {
    const message = unknownBuiltIn(toolRefOf(name));
    return message === undefined ? [] : [{ path: pathWithin(at, ["tools", index]), message }];
  });
  const named = panel.memories.map((memoryId, index) => ({ path: ["memories", index], memoryId }));
  return [...tools, ...(await checkMemories(memories, tenantId, named, at))];
}

interface PanelMentions {
  readonly names: readonly NamedAt[];
  readonly tools: readonly { readonly path: string; readonly ref: ToolRef }[];
  readonly models: readonly { readonly path: string; readonly model: string }[];
}

/** What a panel names, each with its path in the body. */
export function mentionsOfPanel({ seats = [], supervisors, tools, models }: Panel): PanelMentions {
  const modelsAt = (path: string, choice: string | string[]) => modelList(choice).map((model) => ({ path, model }));
  return {
    names: [
      ...namedAt("supervisors", "supervisors", supervisors),
      ...seats.flatMap(({ agent }, index) =>
        agent === undefined ? [] : [{ path: `seats.${index}.agent`, kind: "agents" as const, name: agent }],
      ),
    ],
    tools: tools.map((name, index) => ({ path: `tools.${index}`, ref: toolRefOf(name) })),
    models: [
      ...seats.flatMap(({ model }, index) => (model === undefined ? [] : modelsAt(`seats.${index}.model`, model))),
      ...modelsAt("models.analyst", models.analyst),
      ...modelsAt("models.synthesis", models.synthesis),
    ],
  };
}
