/** Gathers what holds for a turn: the agent, its supervisors, rules, references and tools, at the versions pinned when it began. */
import { z } from "zod";
import { defaultAgentLimits } from "../agent/budget.js";
import { modelList } from "../agent/definition.js";
import type { Journal } from "../agent/journal.js";
import type { AgentTool, ToolRef } from "../agent/tools.js";
import type { SessionContext } from "../chat/context.js";
import type { HistoryMessage, ReferenceItem } from "../chat/prompt.js";
import type { NewSession } from "../chat/session.js";
import type { TurnSetup } from "../chat/turn.js";
import { buildSupervisor } from "../supervision/definition.js";
import { type ResourceKind, type ResourceVersion, resourcePinSchema } from "../tenancy/resources.js";
import type { ResourceStore } from "./resource-store.js";
import type { TenantStore } from "./tenant-store.js";
import type { ToolBuilder } from "./tool-builder.js";

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

  const agent = found.get("agents", session.definition.agent);
  if (agent === undefined) return { ok: false, detail: missing("agents", session.definition.agent) };
  const absent = pinned.supervisors.find((name) => found.get("supervisors", name) === undefined);
  // A supervisor that is gone must not be a supervisor that allows.
  if (absent !== undefined) return { ok: false, detail: missing("supervisors", absent) };

  const supervisors = found
    .all("supervisors")
    .filter(({ name }) => pinned.supervisors.includes(name))
    .map(({ name, body }) => buildSupervisor(name, body));
  const always = (kind: "rules" | "references"): string[] =>
    found.all(kind).flatMap(({ name, body }) => (body.include === "always" ? [name] : []));
  const toolsOf = (refs: readonly ToolRef[]): AgentTool[] =>
    sources.tools.build(session.tenantId, refs, found.all("tools"));
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
      supervisors,
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
  const supervisors = [
    ...new Set([...(tenant?.settings.supervisors ?? []), ...(body?.supervisors ?? []), ...definition.supervisors]),
  ];
  const names = (kind: ResourceKind, list: readonly string[]) => list.map((name) => ({ kind, name }));
  const rest = await sources.resources.pins(tenantId, [
    ...names("supervisors", supervisors),
    ...names("rules", [...(body?.rules ?? []), ...context.rules]),
    ...names("references", [...(body?.references ?? []), ...context.references]),
    ...names(
      "tools",
      [...(body?.tools ?? []), ...context.tools].map(({ tool }) => tool),
    ),
  ]);
  return {
    strict: tenant?.settings.strict ?? true,
    supervisors,
    pins: agentPin === undefined ? rest : [agentPin, ...rest],
  };
}

function missing(kind: ResourceKind, name: string): string {
  return `${kind}/${name} doesn't exist any more. Store it again at PUT /v1/${kind}/${name}, or take it out of what uses it.`;
}

/** The pinned versions, by kind and name. */
class Versions {
  constructor(private readonly versions: readonly ResourceVersion[]) {}

  all<K extends ResourceKind>(kind: K): readonly ResourceVersion<K>[] {
    return this.versions.filter((version): version is ResourceVersion<K> => version.kind === kind);
  }

  get<K extends ResourceKind>(kind: K, name: string): ResourceVersion<K>["body"] | undefined {
    return this.all(kind).find((version) => version.name === name)?.body;
  }

  /** In the order of the names, each once; those that don't exist any more are left out. */
  items(kind: "rules" | "references", names: readonly string[]): ReferenceItem[] {
    return [...new Set(names)].flatMap((name) => {
      const item = this.get(kind, name);
      return item === undefined
        ? []
        : [{ name, text: item.text, priority: item.priority, description: item.description }];
    });
  }
}
