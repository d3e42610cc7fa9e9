/** Which tools a host is shown: those of the families that its address names, `/mcp?tools=conversations,asks`. */
import { ok, type Result, refuse } from "../conversation/problem.js";
import type { McpTool } from "./tool.js";
import { toolFamilies } from "./tools/all.js";

/** Shown where the address names none: together they have to fit what a host reads at once. */
const unasked: readonly string[] = ["conversations", "runs", "asks", "memory"];

export interface Choice {
  readonly families: readonly string[];
  /** Of these families. What isn't shown can be called all the same: what an actor may do is their authority's to say. */
  readonly tools: ReadonlySet<McpTool>;
}

export function chosenFamilies(url: URL): Result<Choice> {
  const asked = url.searchParams.getAll("tools").flatMap((list) => list.split(","));
  const known = Object.keys(toolFamilies);
  const unknown = asked.find((name) => !known.includes(name));
  if (unknown !== undefined) {
    return refuse("invalid", `There is no family of tools "${unknown.slice(0, 100)}". There are: ${known.join(", ")}.`);
  }
  const wanted = asked.length > 0 ? asked : unasked;
  const chosen = Object.entries(toolFamilies).filter(([name]) => wanted.includes(name));
  return ok({ families: chosen.map(([name]) => name), tools: new Set(chosen.flatMap(([, tools]) => tools)) });
}

/** What a host tells its model of what is shown. */
export function familiesText({ families }: Choice): string {
  const others = Object.keys(toolFamilies).filter((name) => !families.includes(name));
  const listed = `The tools of ${families.join(", ")} are listed.`;
  if (others.length === 0) return listed;
  return `${listed} Those of ${others.join(", ")} aren't, though a call of them is answered: whoever set this server up lists them by naming families in its address, /mcp?tools=${[...families, ...others].join(",")} for all.`;
}
