/** Teams with everything that they name: which versions work begins with, and the team built from them. */

import type { AgentDefinition } from "../agent/definition.js";
import type { ToolRef } from "../agent/tools.js";
import { sha256Hex } from "../platform/digest.js";
import type { Panel } from "../roundtable/panel.js";
import type { LoadedTeam } from "../routing/ports.js";
import { maxTeamDepth, type Team, type TeamChoice, teamsWithin, toolRefOf, type Worker } from "../routing/team.js";
import type { ResourceReader } from "../stores/tenant-snapshots.js";
import { isOfKind, type ResourcePin } from "../tenancy/resources.js";
import { buildPanel, pinPanels } from "./panel-loader.js";
import type { ResourceRef } from "./work-resources.js";
import { named, type WorkParts } from "./work-setup.js";

export interface TeamNames {
  readonly pins: readonly ResourcePin[];
  /** Of the outermost team. */
  readonly ownSupervisors: readonly string[];
  /** Of all the teams within one another. */
  readonly supervisors: readonly string[];
  readonly tools: readonly ToolRef[];
  /** Teams, agents and panels that are named and don't exist. */
  readonly missing: readonly ResourceRef[];
}

/** The versions of all teams, nested ones included, of the agents that are their workers, and the names of what they use. */
export async function pinTeams(resources: ResourceReader, tenantId: string, root: TeamChoice): Promise<TeamNames> {
  const names = new NamesOfTeams();
  const pins = new Map<string, ResourcePin>();
  const missing = new Map<string, ResourceRef>();
  const known = ({ kind, name }: ResourceRef): boolean => pins.has(`${kind}/${name}`) || missing.has(`${kind}/${name}`);
  if (typeof root === "string") names.add("teams", root);
  else names.take(root);
  // A team within a team may be there by way of an agent: two steps for each depth.
  for (let step = 0; step <= 2 * maxTeamDepth && names.parts.length > 0; step++) {
    const wanted = names.parts.filter((ref) => !known(ref));
    names.parts = [];
    const found = await pinsNamed(resources, tenantId, wanted);
    for (const pin of found) pins.set(`${pin.kind}/${pin.name}`, pin);
    for (const ref of wanted) if (!known(ref)) missing.set(`${ref.kind}/${ref.name}`, ref);
    for (const version of await resources.versions(tenantId, found)) {
      if (isOfKind("teams", version)) names.take(version.body);
      if (isOfKind("agents", version)) names.takeAgent(version.body);
    }
  }
  const [items, panels] = await Promise.all([
    pinsNamed(resources, tenantId, names.items),
    pinPanels(resources, tenantId, [...names.panels], names.inlinePanels),
  ]);
  const absent = [...names.panels].filter((name) => !panels.found.includes(name));
  const ownSupervisors = [...((await rootTeam(resources, tenantId, root, pins))?.supervisors ?? [])];
  return {
    ownSupervisors,
    pins: [...pins.values(), ...items, ...panels.pins],
    supervisors: [...new Set([...names.supervisors, ...panels.supervisors])],
    tools: [...names.tools.values()],
    missing: [...missing.values(), ...absent.map((name): ResourceRef => ({ kind: "panels", name }))],
  };
}

/** Every look-up brings the tenant's `always` items too: they are nobody's here. */
async function pinsNamed(
  resources: ResourceReader,
  tenantId: string,
  refs: readonly ResourceRef[],
): Promise<ResourcePin[]> {
  if (refs.length === 0) return [];
  const pins = await resources.pins(tenantId, refs);
  return pins.filter((pin) => refs.some(({ kind, name }) => pin.kind === kind && pin.name === name));
}

/** What teams and their agents name, gathered. */
class NamesOfTeams {
  /** Teams and agents that are to be looked into. */
  parts: ResourceRef[] = [];
  readonly supervisors = new Set<string>();
  readonly tools = new Map<string, ToolRef>();
  readonly items: ResourceRef[] = [];
  /** Stored panels by name, and those that stand in teams themselves. */
  readonly panels = new Set<string>();
  readonly inlinePanels: Panel[] = [];

  add(kind: "teams" | "agents", name: string): void {
    if (!this.parts.some((part) => part.kind === kind && part.name === name)) this.parts.push({ kind, name });
  }

  take(taken: Team): void {
    for (const { team } of teamsWithin(taken)) {
      for (const name of team.supervisors) this.supervisors.add(name);
      for (const tool of [team.supervisor, ...team.workers].flatMap((agent) => agent.tools))
        this.tools.set(tool, toolRefOf(tool));
      for (const worker of team.workers) {
        if (typeof worker.team === "string") this.add("teams", worker.team);
        if (worker.agent !== undefined) this.add("agents", worker.agent);
        if (typeof worker.panel === "string") this.panels.add(worker.panel);
        else if (worker.panel !== undefined) this.inlinePanels.push(worker.panel);
        this.items.push(...named("rules", worker.rules), ...named("references", worker.references));
      }
    }
  }

  takeAgent(agent: AgentDefinition): void {
    for (const name of agent.supervisors) this.supervisors.add(name);
    this.items.push(...named("rules", agent.rules), ...named("references", agent.references));
    switch (agent.kind) {
      case "model":
        for (const ref of agent.tools) this.tools.set(`${ref.server}/${ref.tool}`, ref);
        break;
      case "team":
        this.add("teams", agent.team);
        break;
      case "panel":
        this.panels.add(agent.panel);
    }
  }
}

async function rootTeam(
  resources: ResourceReader,
  tenantId: string,
  root: TeamChoice,
  pins: ReadonlyMap<string, ResourcePin>,
): Promise<Team | undefined> {
  if (typeof root !== "string") return root;
  const pin = pins.get(`teams/${root}`);
  const [version] = pin === undefined ? [] : await resources.versions(tenantId, [pin]);
  return version !== undefined && isOfKind("teams", version) ? version.body : undefined;
}

export interface TeamParts extends WorkParts {
  /** Whether a tool may be used now; checked anew each time. */
  readonly allows?: (tool: ToolRef) => boolean;
}

/** The team; `undefined` when it isn't among the versions. */
export async function loadTeam(choice: TeamChoice, parts: TeamParts): Promise<LoadedTeam | undefined> {
  const definition = typeof choice === "string" ? parts.resources.get("teams", choice) : choice;
  if (definition === undefined) return undefined;
  // A team that is sent along has its state under what it says: the same team, the same state.
  return build(
    typeof choice === "string" ? choice : `inline:${await sha256Hex(JSON.stringify(choice))}`,
    definition,
    parts,
  );
}

function build(key: string, stored: Team, parts: TeamParts): LoadedTeam {
  const definition = withAgents(stored, (name) => parts.resources.get("agents", name));
  return {
    key,
    definition,
    examples: () => parts.examples.of(definition),
    meaning: (text) => parts.examples.meaning(parts.tenantId, definition, text),
    tools: ({ tools, memories = [] }) =>
      parts.resources.tools(tools.map(toolRefOf), [...definition.memories, ...memories]),
    allows: parts.allows ?? (() => true),
    supervisors: parts.supervisorsNamed(definition.supervisors),
    items: ({ rules, references }) => ({
      rules: parts.resources.items("rules", rules),
      references: parts.resources.items("references", references),
    }),
    supervisorsOf: (workerId) => {
      const agent = stored.workers.find(({ id }) => id === workerId)?.agent;
      const found = agent === undefined ? undefined : parts.resources.get("agents", agent);
      return found === undefined ? [] : parts.supervisorsNamed(found.supervisors);
    },
    panel: (workerId) => {
      const named = definition.workers.find(({ id }) => id === workerId)?.panel;
      const panel = typeof named === "string" ? parts.resources.get("panels", named) : named;
      if (panel === undefined) return { ok: false, detail: "its panel doesn't exist any more" };
      const name = typeof named === "string" ? named : "inline";
      const built = buildPanel(name, panel, parts);
      return built.ok ? { ...built, supervisors: parts.supervisorsNamed(panel.supervisors) } : built;
    },
    nested: (workerId) => {
      const inner = definition.workers.find(({ id }) => id === workerId)?.team;
      const found = typeof inner === "string" ? parts.resources.get("teams", inner) : inner;
      if (found === undefined) return undefined;
      return build(typeof inner === "string" ? inner : `${key}/${workerId}`, found, parts);
    },
  };
}

/** @param agentNamed the stored agent; a worker whose agent isn't there stays as it is, and fails when it is chosen. */
function withAgents(team: Team, agentNamed: (name: string) => AgentDefinition | undefined): Team {
  if (team.workers.every(({ agent }) => agent === undefined)) return team;
  return { ...team, workers: team.workers.map((worker) => withAgent(worker, agentNamed)) };
}

function withAgent(worker: Worker, agentNamed: (name: string) => AgentDefinition | undefined): Worker {
  const { agent: name, ...rest } = worker;
  const agent = name === undefined ? undefined : agentNamed(name);
  if (agent === undefined) return worker;
  const both = {
    ...rest,
    rules: [...agent.rules, ...worker.rules],
    references: [...agent.references, ...worker.references],
  };
  switch (agent.kind) {
    case "model":
      return {
        ...both,
        model: agent.model,
        systemPrompt: agent.instructions,
        tools: [...agent.tools.map(({ server, tool }) => `${server}/${tool}`), ...worker.tools],
        memories: [...agent.memories, ...worker.memories],
        context: [...(agent.context ?? []), ...(worker.context ?? [])],
        temperature: agent.temperature,
        maxToolRounds: agent.maxToolRounds,
        maxOutputTokens: agent.maxOutputTokens,
      };
    case "team":
      return { ...both, team: agent.team };
    case "panel":
      return { ...both, panel: agent.panel };
  }
}
