/** Teams with everything that they name: which versions work begins with, and the team built from them. */
import { builtInServer, type ToolRef } from "../agent/tools.js";
import { sha256Hex } from "../platform/digest.js";
import type { LoadedTeam } from "../routing/ports.js";
import { maxTeamDepth, type Team, type TeamChoice, teamsWithin, toolRefOf } from "../routing/team.js";
import type { ResourceReader } from "../stores/tenant-snapshots.js";
import type { Supervisor } from "../supervision/supervisor.js";
import { isOfKind, type ResourcePin } from "../tenancy/resources.js";
import type { ExampleClassifiers } from "./example-classifiers.js";
import type { WorkResources } from "./work-resources.js";

export interface TeamNames {
  readonly pins: readonly ResourcePin[];
  /** Of the outermost team. */
  readonly ownSupervisors: readonly string[];
  /** Of all the teams within one another. */
  readonly supervisors: readonly string[];
  readonly tools: readonly ToolRef[];
  /** Teams that are named and don't exist. */
  readonly missing: readonly string[];
}

/** The versions of all teams, nested ones included, and the names of what they use. */
export async function pinTeams(resources: ResourceReader, tenantId: string, root: TeamChoice): Promise<TeamNames> {
  const pins = new Map<string, ResourcePin>();
  const missing: string[] = [];
  const supervisors = new Set<string>();
  const tools = new Map<string, ToolRef>();
  let named = new Set<string>();
  const take = (taken: Team): void => {
    for (const { team } of teamsWithin(taken)) {
      for (const name of team.supervisors) supervisors.add(name);
      for (const tool of [team.supervisor, ...team.workers].flatMap((agent) => agent.tools))
        tools.set(tool, toolRefOf(tool));
      for (const { team: inner } of team.workers) if (typeof inner === "string") named.add(inner);
    }
  };

  if (typeof root === "string") named.add(root);
  else take(root);
  for (let depth = 0; depth <= maxTeamDepth && named.size > 0; depth++) {
    const names = [...named].filter((name) => !pins.has(name) && !missing.includes(name));
    named = new Set();
    const found = await resources.pins(
      tenantId,
      names.map((name) => ({ kind: "teams" as const, name })),
    );
    const teams = found.filter(({ kind, name }) => kind === "teams" && names.includes(name));
    for (const pin of teams) pins.set(pin.name, pin);
    missing.push(...names.filter((name) => !pins.has(name)));
    for (const version of await resources.versions(tenantId, teams)) if (isOfKind("teams", version)) take(version.body);
  }
  const ownSupervisors = [...((await rootTeam(resources, tenantId, root, pins))?.supervisors ?? [])];
  return {
    ownSupervisors,
    pins: [...pins.values()],
    supervisors: [...supervisors],
    tools: [...tools.values()],
    missing,
  };
}

async function rootTeam(
  resources: ResourceReader,
  tenantId: string,
  root: TeamChoice,
  pins: ReadonlyMap<string, ResourcePin>,
): Promise<Team | undefined> {
  if (typeof root !== "string") return root;
  const pin = pins.get(root);
  const [version] = pin === undefined ? [] : await resources.versions(tenantId, [pin]);
  return version !== undefined && isOfKind("teams", version) ? version.body : undefined;
}

/** The versions of the tools that these teams use: stored ones by their names, those of remote servers with their server. */
export async function pinTools(
  resources: ResourceReader,
  tenantId: string,
  { tools }: TeamNames,
): Promise<ResourcePin[]> {
  const servers = tools.map(({ server }) => server).filter((server) => server !== builtInServer);
  return servers.length === 0 ? [] : resources.toolPins(tenantId, servers);
}

export interface TeamParts {
  readonly resources: WorkResources;
  readonly supervisors: (names: readonly string[]) => readonly Supervisor[];
  readonly examples: ExampleClassifiers;
  readonly tenantId: string;
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

function build(key: string, definition: Team, parts: TeamParts): LoadedTeam {
  return {
    key,
    definition,
    examples: () => parts.examples.of(definition),
    meaning: (text) => parts.examples.meaning(parts.tenantId, definition, text),
    tools: ({ tools, memories = [] }) =>
      parts.resources.tools(tools.map(toolRefOf), [...definition.memories, ...memories]),
    allows: parts.allows ?? (() => true),
    supervisors: parts.supervisors(definition.supervisors),
    nested: (workerId) => {
      const inner = definition.workers.find(({ id }) => id === workerId)?.team;
      const found = typeof inner === "string" ? parts.resources.get("teams", inner) : inner;
      if (found === undefined) return undefined;
      return build(typeof inner === "string" ? inner : `${key}/${workerId}`, found, parts);
    },
  };
}
