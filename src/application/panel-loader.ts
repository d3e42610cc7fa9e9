/** Panels with everything that they name: which versions a debate begins with, and the panel built from them. */
import { modelList } from "../agent/definition.js";
import { builtInServer, type ToolRef } from "../agent/tools.js";
import type { NestedPanel } from "../roundtable/nested.js";
import { type Panel, type Perspective, seatsOf } from "../roundtable/panel.js";
import type { LoadedPanel, LoadedSeat } from "../roundtable/ports.js";
import { toolRefOf } from "../routing/team.js";
import type { ResourceReader } from "../stores/tenant-snapshots.js";
import { isOfKind, type ResourcePin } from "../tenancy/resources.js";
import type { WorkResources } from "./work-resources.js";
import { missing, named, pinsOf } from "./work-setup.js";

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
  const servers = refs.map(({ server }) => server).filter((server) => server !== builtInServer);
  const tools = servers.length === 0 ? [] : await resources.toolPins(tenantId, [...new Set(servers)]);
  return [...agents, ...tools];
}

export interface PanelParts {
  readonly resources: WorkResources;
  /** Made for the debate, where its panel has none. */
  readonly perspectives?: readonly Perspective[] | undefined;
  /** Whether a tool may be used now. */
  readonly allows?: ((tool: ToolRef) => boolean) | undefined;
}

export type BuiltPanel =
  | { readonly ok: true; readonly panel: LoadedPanel }
  | { readonly ok: false; readonly detail: string };

export function buildPanel(panel: Panel, { resources, perspectives, allows = () => true }: PanelParts): BuiltPanel {
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
      ...(perspective === undefined ? {} : { perspective }),
      models: modelList(agent?.model ?? seat.model ?? "default"),
      ...(agent === undefined ? {} : { instructions: agent.instructions }),
      ...(temperature === undefined ? {} : { temperature }),
      tools: resources.tools(refs, [...panel.memories, ...(agent?.memories ?? [])]),
    });
  }
  const { mode, rounds, exitOnConsensus, thresholds, analysis, models, limits } = panel;
  return {
    ok: true,
    panel: {
      mode,
      seats,
      totalRounds: rounds,
      exitOnConsensus,
      thresholds,
      analysis,
      models: { analyst: modelList(models.analyst), synthesis: modelList(models.synthesis) },
      limits,
    },
  };
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

/** A panel that debates within other work. */
export function nestedPanel(
  name: string,
  panel: Panel,
  parts: PanelParts,
): { readonly ok: true; readonly panel: NestedPanel } | { readonly ok: false; readonly detail: string } {
  const built = buildPanel(panel, parts);
  if (!built.ok) return built;
  const { requests, waiting } = panel;
  return { ok: true, panel: { name, panel: built.panel, requests, waiting } };
}
