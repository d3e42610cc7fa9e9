/** The tools and references that a supervising agent holds by itself: it looks things up with them before it decides. */
import type { Journal } from "../agent/journal.js";
import { type AgentTool, openGuard, type ToolGuard } from "../agent/tools.js";
import type { LoadOwnParts, OwnNames, OwnParts } from "./kinds/kind.js";
import { markedAsData } from "./orders-in-data.js";

const none: OwnParts = { tools: [], references: [] };

/**
 * What it holds in one judgement: a shadow has no effects, so it gets only tools that read.
 * @throws where something that it names can't be had: it would judge without what it needs.
 */
export async function ownParts(
  names: OwnNames,
  mode: "enforce" | "shadow",
  journal: Journal,
  load: LoadOwnParts,
): Promise<OwnParts> {
  const { ownTools = [], references = [] } = names;
  if (ownTools.length === 0 && references.length === 0) return none;
  const found = await load(names, journal);
  const lost = references.find((name) => !found.references.some((reference) => reference.name === name));
  if (lost !== undefined) throw new Error(`its reference "${lost}" (setting config.references) isn't there`);
  const absent = ownTools.find(
    ({ server, tool }) => !found.tools.some(({ ref }) => ref.server === server && (tool === "*" || ref.tool === tool)),
  );
  if (absent !== undefined) {
    throw new Error(`its tool "${absent.server}/${absent.tool}" (setting config.ownTools) isn't there`);
  }
  const asking = found.tools.find(({ approval = "never" }) => approval !== "never");
  if (asking !== undefined) {
    const { server, tool } = asking.ref;
    throw new Error(`its tool "${server}/${tool}" (setting config.ownTools) needs an approval, which it can't ask for`);
  }
  const tools = found.tools.filter(({ readOnly }) => mode === "enforce" || readOnly === true);
  // Under its server's name: one that is called like a tool of supervision decides nothing.
  const named = tools.map((tool): AgentTool => ({ ...tool, name: `${tool.ref.server}__${tool.name}`.slice(0, 64) }));
  return { tools: named, references: found.references };
}

/** What they return is data: what gives orders in it is marked. */
export const ownGuard: ToolGuard = {
  ...openGuard,
  afterCall: async (_call, output) => ({
    kind: "go",
    value: { ...output, content: markedAsData(output.content, "fence") ?? "" },
  }),
};
