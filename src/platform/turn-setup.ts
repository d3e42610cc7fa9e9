/** Gathers what holds for a turn: the agent, its supervisors, rules, references and tools, at the versions pinned when it began. */
import { z } from "zod";
import { defaultAgentLimits } from "../agent/budget.js";
import { modelList } from "../agent/definition.js";
import type { Journal } from "../agent/journal.js";
import type { AgentTool, ToolRef } from "../agent/tools.js";
import type { SessionContext } from "../chat/context.js";
import type { HistoryMessage } from "../chat/prompt.js";
import type { NewSession } from "../chat/session.js";
import type { TurnSetup } from "../chat/turn.js";
import { buildSupervisor } from "../supervision/definition.js";
import type { Supervisor } from "../supervision/supervisor.js";
import { type ResourceKind, resourcePinSchema } from "../tenancy/resources.js";
import type { ResourceStore } from "./resource-store.js";
import { loadTeam, pinTeams } from "./team-loader.js";
import type { TenantStore } from "./tenant-store.js";
import type { ToolBuilder } from "./tool-builder.js";
import { Versions } from "./versions.js";

export interface SetupSources {
  readonly resources: ResourceStore;
  readonly tenants: TenantStore;
  readonly tools: ToolBuilder;
}

export interface SessionFacts {
  readonly tenantId: string;
  readonly definition: NewSession;
  readonly context: () => SessionContext;
  readonly history: () => readonly HistoryMessage[];
}

export type LoadedSetup =
  | { readonly ok: true; readonly setup: TurnSetup; readonly strict: boolean }
  | { readonly ok: false; readonly detail: string };

const pinnedSchema = z.object({
  strict: z.boolean(),
  supervisors: z.array(z.string()),
  /** Of teams within the agent's team. */
  teamSupervisors: z.array(z.string()).default([]),
  pins: z.array(resourcePinSchema),
});

/** What a turn begins with is journalled as versions: a replay sees the same, whatever was changed meanwhile. */
export async function loadTurnSetup(
  session: SessionFacts,
  journal: Journal,
  sources: SetupSources,
): Promise<LoadedSetup> {
  const pinned = await journal.step({ id: "setup", kind: "load", schema: pinnedSchema, interrupted: "again" }, () =>
    pin(session, sources),
  );
  const versions = await sources.resources.versions(session.tenantId, pinned.pins);
  const found = new Versions(versions);

  const stored = found.get("agents", session.definition.agent);
  if (stored === undefined) return { ok: false, detail: missing("agents", session.definition.agent) };
  const absent = [...pinned.supervisors, ...pinned.teamSupervisors].find(
    (name) => found.get("supervisors", name) === undefined,
  );
  // A supervisor that is gone must not be a supervisor that allows.
  if (absent !== undefined) return { ok: false, detail: missing("supervisors", absent) };

  const supervisorsOf = (names: readonly string[]): Supervisor[] =>
    found
      .all("supervisors")
      .filter(({ name }) => names.includes(name))
      .map(({ name, body }) => buildSupervisor(name, body));
  const always = (kind: "rules" | "references"): string[] =>
    found.all(kind).flatMap(({ name, body }) => (body.include === "always" ? [name] : []));
  const agent = stored.kind === "model" ? stored : { ...nobody, ...stored };
  const toolsOf = (refs: readonly ToolRef[]): AgentTool[] =>
    sources.tools.build(session.tenantId, refs, found.all("tools"));
  const team =
    stored.kind === "team"
      ? await loadTeam(stored.team, { found, tools: toolsOf, supervisors: supervisorsOf })
      : undefined;
  if (stored.kind === "team" && team === undefined) return { ok: false, detail: missing("teams", stored.team) };
  return {
    ok: true,
    strict: pinned.strict,
    setup: {
      models: modelList(agent.model),
      instructions: agent.instructions,
      temperature: agent.temperature,
      limits: {
        ...defaultAgentLimits,
        ...(agent.maxToolRounds === undefined ? {} : { maxToolRounds: agent.maxToolRounds }),
        ...(agent.maxOutputTokens === undefined ? {} : { maxOutputTokens: agent.maxOutputTokens }),
      },
      supervisors: supervisorsOf(pinned.supervisors),
      team,
      context: () => {
        const { rules, references } = session.context();
        return {
          rules: found.items("rules", [...always("rules"), ...agent.rules, ...rules]),
          references: found.items("references", [...always("references"), ...agent.references, ...references]),
        };
      },
      tools: () => toolsOf([...agent.tools, ...session.context().tools]),
      history: session.history(),
      memory: [],
    },
  };
}

async function pin(session: SessionFacts, sources: SetupSources): Promise<z.infer<typeof pinnedSchema>> {
  const { definition, tenantId } = session;
  const [tenant, first] = await Promise.all([
    sources.tenants.get(tenantId),
    sources.resources.pins(tenantId, [{ kind: "agents", name: definition.agent }]),
  ]);
  const agentPin = first.find(({ kind }) => kind === "agents");
  const [agent] = agentPin === undefined ? [] : await sources.resources.versions(tenantId, [agentPin]);
  const body = agent === undefined ? undefined : new Versions([agent]).get("agents", definition.agent);

  const context = session.context();
  const teams = body?.kind === "team" ? await pinTeams(sources.resources, tenantId, body.team) : undefined;
  const supervisors = [
    ...new Set([
      ...(tenant?.settings.supervisors ?? []),
      ...(body?.supervisors ?? []),
      ...(teams?.ownSupervisors ?? []),
      ...definition.supervisors,
    ]),
  ];
  const tools = [...(body?.kind === "model" ? body.tools : []), ...(teams?.tools ?? []), ...context.tools];
  const names = (kind: ResourceKind, list: readonly string[]) => list.map((name) => ({ kind, name }));
  const rest = await sources.resources.pins(tenantId, [
    ...names("supervisors", [...supervisors, ...(teams?.supervisors ?? [])]),
    ...names("rules", [...(body?.rules ?? []), ...context.rules]),
    ...names("references", [...(body?.references ?? []), ...context.references]),
    ...names(
      "tools",
      tools.map(({ tool }) => tool),
    ),
  ]);
  return {
    strict: tenant?.settings.strict ?? true,
    supervisors,
    teamSupervisors: [...(teams?.supervisors ?? [])],
    pins: [...(agentPin === undefined ? [] : [agentPin]), ...(teams?.pins ?? []), ...rest],
  };
}

/** What a team has none of itself: its supervisor and its workers have their own. */
const nobody = {
  model: "default",
  instructions: "",
  tools: [],
  temperature: undefined,
  maxToolRounds: undefined,
  maxOutputTokens: undefined,
};

function missing(kind: ResourceKind, name: string): string {
  return `${kind}/${name} doesn't exist any more. Store it again at PUT /v1/${kind}/${name}, or take it out of what uses it.`;
}
