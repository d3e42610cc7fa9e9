/** A long tool list made short: the tools whose names and descriptions have most in common with what is being worked on. */

import { builtInServer } from "../agent/built-in-tools.js";
import type { AgentTool } from "../agent/tools.js";
import { sharedWords, wordsOf } from "../text/words.js";
import { routingServer } from "./routing-tools.js";

/** At most `max` tools, in their order; the system's own are always among them, beyond the number. */
export function mostRelevant(tools: readonly AgentTool[], text: string, max: number | undefined): readonly AgentTool[] {
  const own = (tool: AgentTool): boolean => tool.ref.server === builtInServer || tool.ref.server === routingServer;
  const others = tools.filter((tool) => !own(tool));
  if (max === undefined || others.length <= max) return tools;
  const asked = wordsOf(text);
  const score = (tool: AgentTool): number =>
    // A name says more than a description.
    2 * sharedWords(wordsOf(tool.name.replaceAll("_", " ")), asked) + sharedWords(wordsOf(tool.description), asked);
  const best = new Set(others.toSorted((a, b) => score(b) - score(a)).slice(0, max));
  return tools.filter((tool) => own(tool) || best.has(tool));
}
