/** What a resource names and isn't there: it is stored all the same, for things may be stored in any order, and says so. */
import { modelList } from "../../agent/definition.js";
import { builtInServer, type ToolRef } from "../../agent/tools.js";
import type { ProblemIssue } from "../../conversation/problem.js";
import { whatProviderTakes } from "../../model/provider-table.js";
import { type Team, teamsWithin, toolRefOf } from "../../routing/team.js";
import type { TenantReader } from "../../stores/tenant-snapshots.js";
import { hasDoubts, modelsOf } from "../../supervision/kinds/table.js";
import { givesOrders } from "../../supervision/orders-in-data.js";
import { type ResourceKind, resourceSchemas } from "../../tenancy/resources.js";
import { missingNames, missingTools, type NamedAt, type NameReader, namedAt } from "../name-checks.js";
import type { Services } from "../services.js";
import { mentionsOfPanel } from "../team-checks.js";

/** What a body names, each with its path in the body. */
interface Mentions {
  readonly names: readonly NamedAt[];
  readonly tools: readonly { readonly path: string; readonly ref: ToolRef }[];
  readonly models: readonly { readonly path: string; readonly model: string }[];
}

/** What warnings are read from: `resources` may be those that are going to be. */
export interface WarningServices extends Pick<Services, "providers"> {
  readonly resources: NameReader;
  readonly tenants: TenantReader;
}

type Choice = string | readonly string[] | undefined;

export async function resourceWarnings(
  tenantId: string,
  kind: ResourceKind,
  body: unknown,
  services: WarningServices,
): Promise<ProblemIssue[]> {
  const { names, tools, models } = mentionsOf(kind, body);
  const { resources } = services;
  const [absentNames, absentTools, absentProviders, unsure] = await Promise.all([
    missingNames(resources, tenantId, names),
    missingTools(resources, tenantId, tools),
    missingProviders(tenantId, models, services),
    neverInDoubt(resources, tenantId, names),
  ]);
  return [...absentNames, ...absentTools, ...absentProviders, ...unsure, ...ordersOf(kind, body)];
}

const doubtPath = "when.inDoubt";

/** A supervisor named for its doubts that never has any. */
async function neverInDoubt(
  resources: NameReader,
  tenantId: string,
  names: readonly NamedAt[],
): Promise<ProblemIssue[]> {
  const named = names.filter(({ path }) => path === doubtPath);
  if (named.length === 0) return [];
  const stored = await resources.versions(tenantId, await resources.pins(tenantId, named));
  return stored.flatMap(({ kind, name, body }) => {
    if (kind !== "supervisors" || hasDoubts(resourceSchemas.supervisors.parse(body))) return [];
    const message = `supervisors/${name} is never in doubt: name one of kind rules with a rule {"match":{"type":"injection"}}`;
    return [{ path: doubtPath, message }];
  });
}

/** A reference is data: what it orders is marked, so that nobody follows it. */
function ordersOf(kind: ResourceKind, body: unknown): ProblemIssue[] {
  if (kind !== "references" || !givesOrders(resourceSchemas.references.parse(body).text)) return [];
  const message =
    "it reads like orders to a model; agents get it as the tenant's setting ordersInData says, which by default marks it as data whose orders are not followed. What agents have to do belongs into rules or instructions";
  return [{ path: "text", message }];
}

function mentionsOf(kind: ResourceKind, body: unknown): Mentions {
  switch (kind) {
    case "agents":
      return mentionsOfAgent(body);
    case "teams":
      return mentionsOfTeam(resourceSchemas.teams.parse(body));
    case "supervisors": {
      const supervisor = resourceSchemas.supervisors.parse(body);
      const models = modelsAt("config.model", modelsOf(supervisor));
      const name = supervisor.when?.inDoubt;
      const names = name === undefined ? [] : [{ path: doubtPath, kind: "supervisors" as const, name }];
      if (supervisor.kind !== "agent") return { names, tools: [], models };
      const { ownTools = [], references = [] } = supervisor.config;
      return {
        names: [...names, ...namedAt("config.references", "references", references)],
        tools: storedTools(ownTools.map((ref, at) => ({ path: `config.ownTools.${at}`, ref }))),
        models,
      };
    }
    case "panels": {
      const { names, tools, models } = mentionsOfPanel(resourceSchemas.panels.parse(body));
      return { names, tools: storedTools(tools), models };
    }
    case "rules":
    case "references":
    case "tools":
    case "prompts":
      return { names: [], tools: [], models: [] };
  }
}

function mentionsOfAgent(body: unknown): Mentions {
  const agent = resourceSchemas.agents.parse(body);
  const names = [
    ...namedAt("supervisors", "supervisors", agent.supervisors),
    ...namedAt("rules", "rules", agent.rules),
    ...namedAt("references", "references", agent.references),
  ];
  switch (agent.kind) {
    case "model":
      return {
        names,
        tools: storedTools(agent.tools.map((ref, at) => ({ path: `tools.${at}`, ref }))),
        models: modelsAt("model", agent.model),
      };
    case "team":
      return { names: [...names, { path: "team", kind: "teams", name: agent.team }], tools: [], models: [] };
    case "panel":
      return { names: [...names, { path: "panel", kind: "panels", name: agent.panel }], tools: [], models: [] };
  }
}

function mentionsOfTeam(outermost: Team): Mentions {
  const all = teamsWithin(outermost).map(({ team, path }): Mentions => {
    const at = (...inner: (string | number)[]): string => [...path, ...inner].join(".");
    const { supervisor, workers, supervisors } = team;
    const agents = [supervisor, ...workers].map((agent, index) => ({
      agent,
      at: index === 0 ? ["supervisor"] : ["workers", index - 1],
    }));
    return {
      names: [
        ...namedAt(at("supervisors"), "supervisors", supervisors),
        ...workers.flatMap(({ team: inner, agent, panel, rules, references }, index) => [
          ...(typeof inner === "string"
            ? [{ path: at("workers", index, "team"), kind: "teams" as const, name: inner }]
            : []),
          ...(agent === undefined
            ? []
            : [{ path: at("workers", index, "agent"), kind: "agents" as const, name: agent }]),
          ...(typeof panel === "string"
            ? [{ path: at("workers", index, "panel"), kind: "panels" as const, name: panel }]
            : []),
          ...namedAt(at("workers", index, "rules"), "rules", rules),
          ...namedAt(at("workers", index, "references"), "references", references),
        ]),
      ],
      tools: storedTools(
        agents.flatMap(({ agent, at: place }) =>
          agent.tools.map((name, index) => ({ path: at(...place, "tools", index), ref: toolRefOf(name) })),
        ),
      ),
      models: agents.flatMap(({ agent, at: place }) => modelsAt(at(...place, "model"), agent.model)),
    };
  });
  return {
    names: all.flatMap(({ names }) => names),
    tools: all.flatMap(({ tools }) => tools),
    models: all.flatMap(({ models }) => models),
  };
}

/** Those of the system are checked when the resource is stored: one that doesn't exist is refused. */
function storedTools<T extends { readonly ref: ToolRef }>(tools: readonly T[]): T[] {
  return tools.filter(({ ref }) => ref.server !== builtInServer);
}

function modelsAt(path: string, choice: Choice): { path: string; model: string }[] {
  return choice === undefined ? [] : modelList(choice).map((model) => ({ path, model }));
}

async function missingProviders(
  tenantId: string,
  models: Mentions["models"],
  { tenants, providers }: WarningServices,
): Promise<ProblemIssue[]> {
  const named = models.flatMap(({ path, model }) => {
    const slash = model.indexOf("/");
    const provider = slash < 0 ? undefined : model.slice(0, slash);
    return provider === undefined || providers.includes(provider) ? [] : [{ path, provider }];
  });
  if (named.length === 0) return [];
  const own = (await tenants.get(tenantId))?.settings.providers ?? {};
  return named
    .filter(({ provider }) => !Object.hasOwn(own, provider))
    .map(({ path, provider }) => ({ path, message: whatProviderTakes(provider) }));
}
