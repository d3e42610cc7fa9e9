/** Every tool of the MCP face, by the families that a host chooses from in the address. */
import type { McpTool } from "../tool.js";
import { agentTools } from "./agents.js";
import { askTools } from "./asks.js";
import { entryTools } from "./entries.js";
import { memoryTools } from "./memories.js";
import { roundtableTools } from "./roundtables.js";
import { sessionTools } from "./sessions.js";
import { teamTools } from "./teams.js";

export const toolFamilies = {
  conversations: [...agentTools, ...sessionTools],
  runs: teamTools,
  asks: askTools,
  memory: [...memoryTools, ...entryTools],
  roundtables: roundtableTools,
} satisfies Readonly<Record<string, readonly McpTool[]>>;

export const allTools: readonly McpTool[] = Object.values(toolFamilies).flat();
