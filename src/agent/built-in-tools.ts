/**
 * The tools that the system itself offers to agents, under the server name `conclave`. A new one is a file in `built-in/` and a line
 * in the table below; its name is checked, listed and built from there.
 */
import { askHumanTool } from "./built-in/ask-human.js";
import { type ListWorkersPort, listWorkersTool } from "./built-in/list-workers.js";
import { type MemorySearchPort, memorySearchTool } from "./built-in/memory-search.js";
import { type MemoryWritePort, memoryWriteTool } from "./built-in/memory-write.js";
import { type AgentTool, builtInServer, type ToolRef } from "./tools.js";

/** What built-in tools look up in, and write to; everything is the tenant's own. */
export interface LookUpPorts extends MemorySearchPort, MemoryWritePort, ListWorkersPort {}

/** What a tool is bound to when an agent gets it. */
export interface BuiltInBindings {
  readonly lookUps: LookUpPorts;
  /** The memories that the work, or the agent's definition, is bound to. */
  readonly memoryIds: readonly string[];
  /** The one that the work writes. */
  readonly written?: string | undefined;
}

const builtInTools = {
  ask_human: () => askHumanTool,
  memory_search: ({ lookUps, memoryIds }) => memorySearchTool(lookUps, memoryIds),
  memory_write: ({ lookUps, written }) => memoryWriteTool(lookUps, written),
  list_workers: ({ lookUps }) => listWorkersTool(lookUps),
} satisfies Readonly<Record<string, (bindings: BuiltInBindings) => AgentTool>>;

export const builtInToolNames: readonly string[] = Object.keys(builtInTools);

/** All of them, bound. */
export function buildBuiltInTools(bindings: BuiltInBindings): AgentTool[] {
  return Object.values(builtInTools).map((build) => build(bindings));
}

/** What is wrong with the name of a tool, if it is meant to be one of the system's and isn't; `*` stands for all of them. */
export function unknownBuiltIn({ server, tool }: ToolRef): string | undefined {
  if (server !== builtInServer || tool === "*" || builtInToolNames.includes(tool)) return undefined;
  return `there is no built-in tool "${tool}"; there are: ${builtInToolNames.join(", ")}. A stored tool is named with its server`;
}
