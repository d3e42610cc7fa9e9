/** What is wrong with a panel beyond its form, and what it names. */
import { unknownBuiltIn } from "../agent/built-in-tools.js";
import { modelList } from "../agent/definition.js";
import type { ToolRef } from "../agent/tools.js";
import type { ProblemIssue } from "../conversation/problem.js";
import type { Panel } from "../roundtable/panel.js";
import { toolRefOf } from "../routing/team.js";
import type { MemoryService } from "./memory/memory-service.js";
import { type NamedAt, namedAt } from "./name-checks.js";
import { checkMemories } from "./team-checks.js";

/** The built-in tools and the memories that it names and that don't exist. @param at where the panel stands in a body */
export async function checkPanel(
  panel: Panel,
  tenantId: string,
  memories: Pick<MemoryService, "memory">,
  at = "",
): Promise<ProblemIssue[]> {
  const prefix = at === "" ? "" : `${at}.`;
  const tools = panel.tools.flatMap((name, index) => {
    const message = unknownBuiltIn(toolRefOf(name));
    return message === undefined ? [] : [{ path: `${prefix}tools.${index}`, message }];
  });
  const named = panel.memories.map((memoryId, index) => ({ path: ["memories", index], memoryId }));
  return [...tools, ...(await checkMemories(memories, tenantId, named, at))];
}

export interface PanelMentions {
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
