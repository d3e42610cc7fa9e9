/** Gathers what holds for a turn: the agent, its supervisors, rules, references and tools, at the versions pinned when it began. */
import { z } from "zod";
import { defaultAgentLimits } from "../agent/budget.js";
import { modelList } from "../agent/definition.js";
import type { Journal } from "../agent/journal.js";
import type { HistoryMessage } from "../agent/prompt.js";
import type { AgentTool, ToolRef } from "../agent/tools.js";
import { type ItemKind, isToolExcluded, mentionsIn, type SessionContext } from "../chat/context.js";
import type { NewSession } from "../chat/session.js";
import type { TurnSetup } from "../chat/turn.js";
import type { ResourceStore } from "../stores/resource-store.js";
import { parseBody } from "../stores/sealed-bodies.js";
import type { TenantStore } from "../stores/tenant-store.js";
import type { HealthStore } from "../supervision/breaker.js";
import type { ContextEditor } from "../supervision/environment.js";
import type { Supervisor } from "../supervision/supervisor.js";
import { type ResourceKind, type ResourcePin, resourcePinSchema } from "../tenancy/resources.js";
import { settingsSchema } from "../tenancy/tenant.js";
import { selectAutoIncludes } from "./auto-includes.js";
import { type ChangeSessionContext, SessionContextEditor } from "./context-editor.js";
import type { SessionMemory } from "./memory/session-memory.js";
import type { SupervisorBuilder } from "./supervisor-builder.js";
import { loadTeam, pinTeams, pinTools } from "./team-loader.js";
import type { ToolBuilder } from "./tool-builder.js";
import { TurnResources } from "./turn-resources.js";

export interface SetupSources {
  readonly memory: SessionMemory;
  readonly resources: ResourceStore;
  readonly tenants: TenantStore;
  readonly tools: ToolBuilder;
  readonly supervisors: SupervisorBuilder;
}

export interface SessionFacts {
  readonly tenantId: string;
  readonly sessionId: string;
  readonly definition: NewSession;
  readonly context: () => SessionContext;
  readonly changeContext: ChangeSessionContext;
  readonly history: () => readonly HistoryMessage[];
  /** How its supervisors are. */
  readonly health: HealthStore;
}

/** What decides which resources a session has. */
type PinnedFacts = Pick<SessionFacts, "tenantId" | "definition" | "context">;

export type LoadedSetup =
  | {
      readonly ok: true;
      readonly setup: TurnSetup;
      readonly strict: boolean;
      readonly reviews: AskPolicies["reviews"];
      readonly approvals: AskPolicies["approvals"];
      readonly desk: ContextEditor;
      /** Loads what the session's context has come to name. */
      readonly refresh: () => Promise<void>;
    }
  | { readonly ok: false; readonly detail: string };

const { reviews, approvals } = settingsSchema.shape;
const pinnedSchema = z.object({
  strict: z.boolean(),
  reviews,
  approvals,
  supervisors: z.array(z.string()),
  /** Of teams within the agent's team. */
  teamSupervisors: z.array(z.string()).default([]),
  pins: z.array(resourcePinSchema),
  /** What the message may bring in: loaded only if it does. */
  auto: z.array(resourcePinSchema).default([]),
});
type AskPolicies = Pick<z.infer<typeof pinnedSchema>, "reviews" | "approvals">;

/** What a turn begins with is journalled as versions: a replay sees the same, whatever was changed meanwhile. */
export async function loadTurnSetup(
  session: SessionFacts,
  journal: Journal,
  sources: SetupSources,
): Promise<LoadedSetup> {
  const pinned = await journal.step({ id: "setup", kind: "load", schema: pinnedSchema, interrupted: "again" }, () =>
    pin(session, sources),
  );
  const found = new TurnResources(session.tenantId, journal, sources, session.definition.memory?.memoryId);
  await found.load(pinned.pins);

  const stored = found.get("agents", session.definition.agent);
  if (stored === undefined) return { ok: false, detail: missing("agents", session.definition.agent) };
  const agent = stored.kind === "model" ? stored : { ...nobody, ...stored };
  const absent = [...pinned.supervisors, ...pinned.teamSupervisors].find((name) => !found.has("supervisors", name));
  // A supervisor that is gone must not be a supervisor that allows.
  if (absent !== undefined) return { ok: false, detail: missing("supervisors", absent) };

  const refresh = (): Promise<void> => {
    const context = session.context();
    return found.need(
      [...named("rules", context.rules), ...named("references", context.references)],
      [...agent.tools, ...context.tools],
    );
  };
  // What supervisors or operators added since the turn began, before an interruption.
  await refresh();

  const supervisorsOf = (names: readonly string[]): Supervisor[] =>
    found
      .all("supervisors")
      .filter(({ name }) => names.includes(name))
      .map((version) => sources.supervisors.build(session.tenantId, version, session.health));
  // A team's agents have the tools that the team names, as far as the session doesn't exclude them.
  const allows = (ref: ToolRef): boolean => !isToolExcluded(session.context(), ref);
  const team =
    stored.kind === "team" ? await loadTeam(stored.team, { found, supervisors: supervisorsOf, allows }) : undefined;
  if (stored.kind === "team" && team === undefined) return { ok: false, detail: missing("teams", stored.team) };
  /** The message of this turn, once its verdict is in: what it mentions and what it is like comes into force with it. */
  let decided = "";
  let autoIncluded: readonly ResourcePin[] = [];
  let recalled: z.infer<typeof recalledSchema> = [];
  const inForce = (kind: ItemKind, message: string): string[] => {
    const context = session.context();
    const always = found.all(kind).filter(({ body }) => body.include === "always");
    const all = [
      ...always.map(({ name }) => name),
      ...agent[kind],
      ...context[kind],
      ...mentionsIn(message)[kind],
      ...autoIncluded.filter((pin) => pin.kind === kind).map(({ name }) => name),
    ];
    return [...new Set(all)].filter((name) => found.has(kind, name) && !context.excluded[kind].includes(name));
  };
  const tools = (): AgentTool[] => {
    const context = session.context();
    return found
      .tools([...agent.tools, ...context.tools], agent.memories)
      .filter(({ ref }) => !isToolExcluded(context, ref));
  };
  return {
    ok: true,
    strict: pinned.strict,
    reviews: pinned.reviews,
    approvals: pinned.approvals,
    refresh,
    desk: new SessionContextEditor({
      tenantId: session.tenantId,
      store: sources.resources,
      resources: found,
      inForce: () => ({
        rules: inForce("rules", decided),
        references: inForce("references", decided),
        tools: tools().map(({ ref }) => ref),
      }),
      changeContext: session.changeContext,
    }),
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
      prepare: async (message) => {
        decided = message;
        const { excluded } = session.context();
        const here = { tenantId: session.tenantId, store: sources.resources };
        autoIncluded = await selectAutoIncludes(message, pinned.auto, excluded, journal, here);
        await found.load(autoIncluded);
        const { rules, references } = mentionsIn(message);
        await found.need([...named("rules", rules), ...named("references", references)]);
        recalled = await recall(session, message, journal, sources);
      },
      context: (message) => ({
        rules: found.items("rules", inForce("rules", message)),
        references: found.items("references", inForce("references", message)),
      }),
      tools,
      removedTool: ({ name, ref }) =>
        found
          .loadedTools()
          .find((tool) =>
            ref === undefined ? tool.name === name || fullName(tool) === name : fullName(tool) === fullName({ ref }),
          ),
      history: session.history(),
      memory: () => recalled,
    },
  };
}

/** What is brought in from the session's memory is journalled: a replay sees the same, whatever was said elsewhere meanwhile. */
async function recall(
  { tenantId, sessionId, definition }: SessionFacts,
  message: string,
  journal: Journal,
  { memory }: SetupSources,
): Promise<z.infer<typeof recalledSchema>> {
  if (definition.memory === undefined) return [];
  const { memoryId, threadId = sessionId } = definition.memory;
  return journal.step({ id: "recall", kind: "load", schema: recalledSchema, interrupted: "again" }, () =>
    memory.recall({ tenantId, memoryId, threadId }, message),
  );
}

const recalledSchema = z.array(z.object({ kind: z.string(), text: z.string() }));

/** The rules supervisors of a session as they are now: what nobody's words may pass, an operator's neither. */
export async function loadRules(session: PinnedFacts, sources: SetupSources): Promise<Supervisor[]> {
  const { tenantId } = session;
  const { supervisors, pins } = await pin(session, sources);
  const wanted = pins.filter(({ kind, name }) => kind === "supervisors" && supervisors.includes(name));
  const versions = await sources.resources.versions(tenantId, wanted);
  return versions.flatMap((version) => {
    const body = version.kind === "supervisors" ? parseBody("supervisors", version.body) : undefined;
    if (body?.kind !== "rules") return [];
    return [sources.supervisors.build(tenantId, { ...version, kind: "supervisors", body })];
  });
}

/** As a tool is shown beside another of its name. */
function fullName({ ref }: Pick<AgentTool, "ref">): string {
  return `${ref.server}__${ref.tool}`;
}

function named(kind: ResourceKind, names: readonly string[]): { kind: ResourceKind; name: string }[] {
  return names.map((name) => ({ kind, name }));
}

async function pin(session: PinnedFacts, sources: SetupSources): Promise<z.infer<typeof pinnedSchema>> {
  const { definition, tenantId } = session;
  const [tenant, first, auto] = await Promise.all([
    sources.tenants.get(tenantId),
    sources.resources.pins(tenantId, [{ kind: "agents", name: definition.agent }]),
    sources.resources.autoPins(tenantId),
  ]);
  const agentPin = first.find(({ kind }) => kind === "agents");
  const [agent] = agentPin === undefined ? [] : await sources.resources.versions(tenantId, [agentPin]);
  const body = agent === undefined ? undefined : parseBody("agents", agent.body);

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
  const rest = await sources.resources.pins(tenantId, [
    ...named("supervisors", [...supervisors, ...(teams?.supervisors ?? [])]),
    ...named("rules", [...(body?.rules ?? []), ...context.rules]),
    ...named("references", [...(body?.references ?? []), ...context.references]),
    ...named(
      "tools",
      [...(body?.kind === "model" ? body.tools : []), ...context.tools].map(({ tool }) => tool),
    ),
  ]);
  const teamPins = teams === undefined ? [] : [...teams.pins, ...(await pinTools(sources.resources, tenantId, teams))];
  return {
    strict: tenant?.settings.strict ?? true,
    reviews: tenant?.settings.reviews ?? reviews.parse(undefined),
    approvals: tenant?.settings.approvals ?? approvals.parse(undefined),
    supervisors,
    teamSupervisors: [...(teams?.supervisors ?? [])],
    pins: [...(agentPin === undefined ? [] : [agentPin]), ...teamPins, ...rest],
    auto,
  };
}

/** What a team has none of itself: its supervisor and its workers have their own. */
const nobody = {
  model: "default",
  instructions: "",
  tools: [],
  memories: [],
  temperature: undefined,
  maxToolRounds: undefined,
  maxOutputTokens: undefined,
};

function missing(kind: ResourceKind, name: string): string {
  return `${kind}/${name} doesn't exist any more. Store it again at PUT /v1/${kind}/${name}, or take it out of what uses it.`;
}
