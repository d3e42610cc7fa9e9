/** Gathers what holds for a turn: the agent, its supervisors, rules, references and tools, at the versions pinned when it began. */
import { z } from "zod";
import { defaultAgentLimits } from "../agent/budget.js";
import { type CallOrigin, contextFacts } from "../agent/call-context.js";
import { type AgentDefinition, modelList } from "../agent/definition.js";
import type { Journal } from "../agent/journal.js";
import type { HistoryMessage } from "../agent/prompt.js";
import type { ToolRef } from "../agent/tools.js";
import { isToolExcluded, type SessionContext } from "../chat/context.js";
import type { SessionDefinition } from "../chat/session.js";
import type { TurnSetup } from "../chat/turn-ports.js";
import { defined } from "../conversation/defined.js";
import { boundIds } from "../conversation/memory-binding.js";
import type { ModelReply } from "../conversation/message.js";
import { servedBy } from "../evidence/experiment.js";
import type { Panel } from "../roundtable/panel.js";
import type { LoadedTeam } from "../routing/ports.js";
import type { TeamChoice } from "../routing/team.js";
import type { HealthStore } from "../supervision/breaker.js";
import type { ContextEditor } from "../supervision/environment.js";
import type { Supervisor } from "../supervision/supervisor.js";
import { isOfKind, type ResourceVersion, resourcePinSchema } from "../tenancy/resources.js";
import { type ChangeSessionContext, SessionContextEditor } from "./context-editor.js";
import { linksOf } from "./memory/session-memory.js";
import { buildPanel, pinPanels, pinTools } from "./panel-loader.js";
import type { SupervisedWork } from "./supervisor-builder.js";
import { loadTeam, pinTeams } from "./team-loader.js";
import { TurnContext } from "./turn-context.js";
import {
  type Loaded,
  loadWork,
  missing,
  named,
  pinnedWorkSchema,
  pinsOf,
  type SetupSources,
  tenantPolicies,
  type WorkPolicies,
} from "./work-setup.js";

export interface SessionFacts {
  readonly tenantId: string;
  readonly sessionId: string;
  readonly definition: SessionDefinition;
  /** What the turn's outgoing calls say of it. */
  readonly origin: CallOrigin;
  readonly context: () => SessionContext;
  readonly changeContext: ChangeSessionContext;
  readonly history: () => readonly HistoryMessage[];
  /** What the newest reply before this turn says of itself. */
  readonly lastReply?: () => ModelReply["metadata"];
  /** Where the failures of its supervisors are counted. */
  readonly health: HealthStore;
  /** Who answers in place of the session's agent, where that is tried. */
  readonly answering?: Answering | undefined;
  /** Versions in which supervisors of the tenant and of the session judge, by name, where that is tried as it was; all others as they are now. */
  readonly versions?: ReadonlyMap<string, number> | undefined;
}

/** An agent as it is stored, or one whose team or panel is stored nowhere. */
export type Answering =
  | Extract<AgentDefinition, { kind: "model" }>
  | (Omit<Extract<AgentDefinition, { kind: "team" }>, "team"> & { readonly team: TeamChoice })
  | (Omit<Extract<AgentDefinition, { kind: "panel" }>, "panel"> & { readonly panel: string | Panel });

/** What decides which resources a session has. */
type PinnedFacts = Pick<SessionFacts, "tenantId" | "definition" | "context" | "answering" | "versions">;

export type LoadedSetup = Loaded<{
  readonly setup: TurnSetup;
  readonly policies: WorkPolicies;
  readonly contextEditor: ContextEditor;
  /** Loads what the session's context has come to name. */
  readonly refresh: () => Promise<void>;
}>;

const pinnedTurnSchema = pinnedWorkSchema.extend({
  /** Of teams within the agent's team. */
  teamSupervisors: z.array(z.string()).default([]),
  /** The stored agent whose definition answers, where an experiment has another than the session's. */
  answering: z.string().optional(),
  /** What the message may bring in: loaded only if it does. */
  auto: z.array(resourcePinSchema).default([]),
});
type PinnedTurn = z.infer<typeof pinnedTurnSchema>;

export async function loadTurnSetup(
  session: SessionFacts,
  journal: Journal,
  sources: SetupSources,
): Promise<LoadedSetup> {
  const { tenantId, sessionId, definition, origin, health } = session;
  const loaded = await loadWork<PinnedTurn>(
    { tenantId, origin, health, memoryIds: boundIds(definition.memory) },
    {
      schema: pinnedTurnSchema,
      pin: () => pin(session, sources),
      requiredSupervisors: ({ supervisors, teamSupervisors }) => [...supervisors, ...teamSupervisors],
    },
    journal,
    sources,
  );
  if (!loaded.ok) return loaded;
  const { pinned, policies, resources, supervisorsNamed } = loaded;

  const answering = pinned.answering ?? definition.agent;
  const stored = session.answering ?? resources.get("agents", answering);
  if (stored === undefined) return { ok: false, detail: missing("agents", answering) };
  const agent = asModelAgent(stored);
  // A team's agents, and a panel's seats, have the tools that it names, as far as the session doesn't exclude them.
  const parts = { ...loaded, allows: (ref: ToolRef) => !isToolExcluded(session.context(), ref) };
  const team = stored.kind === "team" ? await loadTeam(stored.team, parts) : undefined;
  if (stored.kind === "team" && team === undefined) return { ok: false, detail: missing("teams", nameOf(stored.team)) };
  const chosen = stored.kind === "panel" ? stored.panel : undefined;
  const body = typeof chosen === "string" ? resources.get("panels", chosen) : chosen;
  if (chosen !== undefined && body === undefined) return { ok: false, detail: missing("panels", nameOf(chosen)) };
  const panel = chosen !== undefined && body !== undefined ? buildPanel(nameOf(chosen), body, parts) : undefined;
  if (panel?.ok === false) return panel;

  const context = new TurnContext({
    tenantId,
    agent,
    session: session.context,
    mentionable: definition.mentionable,
    memories: linksOf({ tenantId, sessionId, definition }),
    resources,
    auto: pinned.auto,
    journal,
    sources,
  });
  // What supervisors or operators added since the turn began, before an interruption.
  await context.refresh();
  return {
    ok: true,
    policies,
    refresh: () => context.refresh(),
    contextEditor: new SessionContextEditor({
      tenantId,
      store: sources.resources,
      resources,
      inForce: () => context.inForce(),
      changeContext: session.changeContext,
    }),
    setup: {
      models: modelList(agent.model),
      instructions: agent.instructions,
      temperature: agent.temperature,
      limits: {
        ...defaultAgentLimits,
        ...defined({
          maxToolRounds: agent.maxToolRounds,
          maxOutputTokens: agent.maxOutputTokens,
          modelTimeoutMs: agent.modelTimeoutMs,
        }),
      },
      supervisors: supervisorsNamed(pinned.supervisors),
      questions: agent.questions,
      team,
      facts: contextFacts(origin, agent.context),
      subject: origin.subject,
      metadata: { ...origin.metadata },
      activeWorker: activeIn(team, session.lastReply),
      panel: panel?.panel,
      prepare: (message) => context.prepare(message),
      context: (message) => context.items(message),
      tools: () => context.tools(),
      removedTool: (requested) => context.removedTool(requested),
      history: session.history(),
      memory: () => context.memory,
    },
  };
}

/** The worker that answered last, if it was one of this team. */
function activeIn(team: LoadedTeam | undefined, lastReply: SessionFacts["lastReply"]): string | undefined {
  if (team?.definition.supervisor.sticky !== true) return undefined;
  const { team: key, activeWorker } = lastReply?.() ?? {};
  return key === team.key && typeof activeWorker === "string" ? activeWorker : undefined;
}

/** The rules supervisors of a session as they are now: what nobody's words may pass, an operator's neither. */
export async function loadRules(session: PinnedFacts, sources: SetupSources): Promise<Supervisor[]> {
  const { attached } = await attachedSupervisors(session, sources);
  return attached
    .filter(({ body }) => body.kind === "rules")
    .map((version) => sources.supervisors.build(session.tenantId, version));
}

/** All supervisors of a session as they are now, for what is judged outside of a turn. */
export async function loadSupervisors(
  session: PinnedFacts,
  sources: SetupSources,
  work: SupervisedWork,
): Promise<Loaded<{ readonly supervisors: readonly Supervisor[]; readonly policies: WorkPolicies }>> {
  const { attached, pinned } = await attachedSupervisors(session, sources);
  const absent = pinned.supervisors.find((name) => !attached.some((version) => version.name === name));
  if (absent !== undefined) return { ok: false, detail: missing("supervisors", absent) };
  const supervisors = attached.map((version) => sources.supervisors.build(session.tenantId, version, work));
  return { ok: true, supervisors, policies: pinned };
}

async function attachedSupervisors(
  session: PinnedFacts,
  sources: SetupSources,
): Promise<{ readonly pinned: PinnedTurn; readonly attached: readonly ResourceVersion<"supervisors">[] }> {
  const pinned = await pin(session, sources);
  const pins = pinsOf("supervisors", pinned.pins).filter(({ name }) => pinned.supervisors.includes(name));
  const versions = await sources.resources.versions(session.tenantId, pins);
  return { pinned, attached: versions.filter((version) => isOfKind("supervisors", version)) };
}

/** @param choice a stored team or panel, or one that is stored nowhere */
function nameOf(choice: string | object): string {
  return typeof choice === "string" ? choice : "inline";
}

async function pin(facts: PinnedFacts, sources: SetupSources): Promise<PinnedTurn> {
  const { definition, tenantId, context, answering, versions } = facts;
  const { resources } = sources;
  const served = answering === undefined ? await servedIn(definition, tenantId, sources) : undefined;
  const [tenant, first, auto] = await Promise.all([
    tenantPolicies(tenantId, sources),
    served?.version === undefined
      ? resources.pins(tenantId, named("agents", [served?.name ?? definition.agent]))
      : [{ kind: "agents" as const, name: served.name, version: served.version }],
    resources.autoPins(tenantId),
  ]);
  const agentPins = pinsOf("agents", first);
  const [version] = agentPins.length === 0 ? [] : await resources.versions(tenantId, agentPins);
  const stored = version !== undefined && isOfKind("agents", version) ? version.body : undefined;
  const agent = answering ?? stored;
  const teams = agent?.kind === "team" ? await pinTeams(resources, tenantId, agent.team) : undefined;
  const panels = agent?.kind === "panel" ? await pinPanelOf(agent.panel) : undefined;

  function pinPanelOf(panel: string | Panel) {
    const [names, inline] = typeof panel === "string" ? [[panel], []] : [[], [panel]];
    return pinPanels(resources, tenantId, names, inline);
  }

  const ofAgent = [...(agent?.supervisors ?? []), ...(teams?.ownSupervisors ?? []), ...(panels?.supervisors ?? [])];
  const supervisors = [...new Set([...tenant.supervisors, ...ofAgent, ...definition.supervisors])];
  const teamSupervisors = [...(teams?.supervisors ?? [])];
  const isOfAgent = (name: string): boolean => ofAgent.includes(name) || teamSupervisors.includes(name);
  const { rules, references, tools } = context();
  const agentTools = agent?.kind === "model" ? agent.tools : [];
  const rest = await resources.pins(tenantId, [
    ...named("supervisors", [...supervisors, ...teamSupervisors]),
    ...named("rules", [...(agent?.rules ?? []), ...rules]),
    ...named("references", [...(agent?.references ?? []), ...references]),
    ...named(
      "tools",
      [...agentTools, ...tools].map(({ tool }) => tool),
    ),
  ]);
  const teamPins = teams === undefined ? [] : [...teams.pins, ...(await pinTools(resources, tenantId, teams.tools))];
  return {
    ...tenant,
    supervisors,
    teamSupervisors,
    ...defined({ answering: served?.name }),
    pins: [...agentPins, ...teamPins, ...(panels?.pins ?? []), ...rest].map((pin) => {
      const asThen = pin.kind === "supervisors" && !isOfAgent(pin.name) ? versions?.get(pin.name) : undefined;
      return asThen === undefined ? pin : { ...pin, version: asThen };
    }),
    auto,
  };
}

/** Another agent than the session's own, where an experiment has one answer. */
async function servedIn({ experiment }: SessionDefinition, tenantId: string, { tenants }: SetupSources) {
  if (experiment === undefined) return undefined;
  return servedBy(experiment, (await tenants.get(tenantId))?.experiments ?? []);
}

/** A team or a panel has no model, instructions and tools itself: those who work in it have their own. */
function asModelAgent(agent: Answering): Extract<AgentDefinition, { kind: "model" }> {
  switch (agent.kind) {
    case "model":
      return agent;
    case "team":
    case "panel":
      return { ...agent, kind: "model", model: "default", instructions: "", tools: [], memories: [] };
  }
}
