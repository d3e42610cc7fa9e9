/** Every tool of the MCP face. */
import type { McpTool } from "../tool.js";
import { askTools } from "./asks.js";
import { entryTools } from "./entries.js";
import { memoryTools } from "./memories.js";
import { roundtableTools } from "./roundtables.js";
import { sessionTools } from "./sessions.js";
import { teamTools } from "./teams.js";

export const allTools: readonly McpTool[] = [
  ...sessionTools,
  ...teamTools,
  ...roundtableTools,
  ...askTools,
  ...memoryTools,
  ...entryTools,
];
