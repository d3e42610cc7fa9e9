/** Panels with everything that they name: which versions a debate begins with, and the panel built from them. */
import { modelList } from "../agent/definition.js";
import { builtInServer, type ToolRef } from "../agent/tools.js";
import { defined } from "../conversation/defined.js";
import { type Panel, type Perspective, seatsOf } from "../roundtable/panel.js";
import type { LoadedPanel, LoadedSeat } from "../roundtable/ports.js";
import { toolRefOf } from "../routing/team.js";
import type { ResourceReader } from "../stores/tenant-snapshots.js";
import { isOfKind, type ResourcePin } from "../tenancy/resources.js";
import type { WorkResources } from "./work-resources.js";
import { type Loaded, missing, named, pinsOf } from "./work-setup.js";

/** The versions of the agents that sit at the table, and of the tools that they and the panel name. */
export async function pinPanel(resources: ResourceReader, tenantId: string, panel: Panel): Promise<ResourcePin[]> {
  const names = seatsOf(panel).flatMap(({ agent }) => agent ?? []);
  const agents =
    names.length === 0 ? [] : pinsOf("agents", await resources.pins(tenantId, named("agents", [...new Set(names)])));
  const versions = await resources.versions(tenantId, agents);
  const bodies = versions.flatMap((version) => (isOfKind("agents", version) ? [version.body] : []));
  const refs = [
    ...panel.tools.map(toolRefOf),
    ...bodies.flatMap((agent) => (agent.kind === "model" ? agent.tools : [])),
  ];
  return [...agents, ...(await pinTools(resources, tenantId, refs))];
}

/** The versions of the tools that work uses: stored ones by their names, those of remote servers with their server. */
export async function pinTools(
  resources: ResourceReader,
  tenantId: string,
  tools: readonly ToolRef[],
): Promise<ResourcePin[]> {
  const servers = [...new Set(tools.map(({ server }) => server))].filter((server) => server !== builtInServer);
  return servers.length === 0 ? [] : resources.toolPins(tenantId, servers);
}

export interface PanelParts {
  readonly resources: WorkResources;
  /** Made for the debate, where its panel has none. */
  readonly perspectives?: readonly Perspective[] | undefined;
  /** Whether a tool may be used now. */
  readonly allows?: ((tool: ToolRef) => boolean) | undefined;
}

/** A panel, of a debate of its own or within other work. @param name that of the stored one, or `inline` */
export function buildPanel(
  name: string,
  panel: Panel,
  { resources, perspectives, allows = () => true }: PanelParts,
): Loaded<{ readonly panel: LoadedPanel }> {
  const seats: LoadedSeat[] = [];
  for (const [index, seat] of seatsOf(panel).entries()) {
    const agent = seat.agent === undefined ? undefined : resources.get("agents", seat.agent);
    if (seat.agent !== undefined && agent === undefined) return { ok: false, detail: missing("agents", seat.agent) };
    if (agent !== undefined && agent.kind !== "model") {
      return {
        ok: false,
        detail: `agents/${seat.agent} is of kind ${agent.kind}: a seat needs an agent of kind model.`,
      };
    }
    const refs = [...panel.tools.map(toolRefOf), ...(agent?.tools ?? [])].filter(allows);
    const perspective = seat.perspective ?? perspectives?.[index];
    const temperature = seat.temperature ?? agent?.temperature;
    const { model: _, agent: __, ...info } = seat;
    seats.push({
      ...info,
      ...defined({ perspective }),
      models: modelList(agent?.model ?? seat.model ?? "default"),
      ...defined({ instructions: agent?.instructions, temperature }),
      tools: resources.tools(refs, [...panel.memories, ...(agent?.memories ?? [])]),
    });
  }
  const { mode, rounds: totalRounds, exitOnConsensus, thresholds, analysis, limits, requests, waiting } = panel;
  const models = { analyst: modelList(panel.models.analyst), synthesis: modelList(panel.models.synthesis) };
  const held = { mode, totalRounds, exitOnConsensus, thresholds, analysis, limits, requests, waiting };
  return { ok: true, panel: { name, seats, models, ...held } };
}

/** The versions of stored panels, and of all that they and others name. */
export async function pinPanels(
  resources: ResourceReader,
  tenantId: string,
  names: readonly string[],
  inline: readonly Panel[],
): Promise<{
  readonly pins: readonly ResourcePin[];
  readonly supervisors: readonly string[];
  readonly found: readonly string[];
}> {
  const pins = names.length === 0 ? [] : pinsOf("panels", await resources.pins(tenantId, named("panels", names)));
  const versions = await resources.versions(tenantId, pins);
  const stored = versions.flatMap((version) => (isOfKind("panels", version) ? [version.body] : []));
  const panels = [...stored, ...inline];
  const within = await Promise.all(panels.map((panel) => pinPanel(resources, tenantId, panel)));
  return {
    pins: [...pins, ...within.flat()],
    supervisors: panels.flatMap((panel) => panel.supervisors),
    found: pins.map(({ name }) => name),
  };
}
