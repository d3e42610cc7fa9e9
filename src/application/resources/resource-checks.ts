/** What is wrong with a resource beyond its form, before it is stored: addresses, memories and built-in tools that it names. */
import { unknownBuiltIn } from "../../agent/built-in-tools.js";
import type { AgentDefinition } from "../../agent/definition.js";
import { schemaProblem } from "../../agent/schema-limits.js";
import { builtInServer } from "../../agent/tools.js";
import { type ContextItem, maxAutoCharacters } from "../../chat/context.js";
import { type ProblemIssue, problem } from "../../conversation/problem.js";
import { promptNames } from "../../memory/prompts.js";
import { type OutgoingPolicy, refuseAddress } from "../../platform/outgoing.js";
import type { Panel } from "../../roundtable/panel.js";
import { routingServer } from "../../routing/routing-tools.js";
import { memoriesOf, type Team } from "../../routing/team.js";
import { type ResourceBody, type ResourceKind, resourceNoun, resourceSchemas } from "../../tenancy/resources.js";
import { referencesIn } from "../../tenancy/secrets.js";
import { serverTemplateIssues, templateIssues } from "../endpoint-checks.js";
import type { Services } from "../services.js";
import { checkMemories, checkPanel, checkTeam } from "../team-checks.js";
import { nestingIssues } from "../team-nesting.js";
import { isReserved } from "../tool-builder.js";
import type { ResourceRef } from "../work-resources.js";

/** What checks read: `resources` may be those that are going to be. */
export type CheckServices = Pick<Services, "policy" | "memory" | "secrets"> & {
  readonly resources: Pick<Services["resources"], "pins" | "versions">;
};

export async function checkResource<K extends ResourceKind>(
  tenantId: string,
  kind: K,
  name: string,
  body: ResourceBody<K>,
  services: CheckServices,
): Promise<void> {
  checkAddresses(body, services.policy);
  const [parts, secrets] = await Promise.all([
    unusableParts(tenantId, { kind, name }, body, services),
    services.secrets.refusedUses(tenantId, referencesIn(body)),
  ]);
  const errors = [...parts, ...secrets];
  if (errors.length === 0) return;
  const detail = `The ${resourceNoun(kind)} can't be stored like this: it is too long, or names what doesn't exist or can't be used; see errors.`;
  throw problem("invalid", detail, { errors });
}

function unusableParts(
  tenantId: string,
  { kind, name }: ResourceRef,
  body: unknown,
  services: CheckServices,
): Promise<ProblemIssue[]> {
  switch (kind) {
    case "teams":
      return issuesOfTeam(name, resourceSchemas.teams.parse(body), tenantId, services);
    case "agents":
      return issuesOfAgent(name, resourceSchemas.agents.parse(body), tenantId, services);
    case "tools":
      return Promise.resolve(issuesOfTool(name, resourceSchemas.tools.parse(body)));
    case "rules":
    case "references":
      return Promise.resolve(issuesOfItem(resourceSchemas[kind].parse(body)));
    case "panels":
      return issuesOfPanel(resourceSchemas.panels.parse(body), tenantId, services);
    case "prompts":
      return Promise.resolve(issuesOfPrompt(name));
    case "supervisors":
      return Promise.resolve([]);
  }
}

/** One of any other name would never be read. */
function issuesOfPrompt(name: string): ProblemIssue[] {
  if (promptNames.some((known) => known === name)) return [];
  return [{ path: "name", message: `no prompt is called so; those of the memory agent are ${promptNames.join(", ")}` }];
}

/** What is longer than all that a message may bring in would never be brought in. */
function issuesOfItem({ include, text }: ContextItem): ProblemIssue[] {
  if (include !== "auto" || text.length <= maxAutoCharacters) return [];
  const message = `with include "auto" it may have at most ${maxAutoCharacters} characters, and has ${text.length}`;
  return [{ path: "text", message }];
}

async function issuesOfTeam(
  name: string,
  team: Team,
  tenantId: string,
  { policy, memory, resources }: CheckServices,
): Promise<ProblemIssue[]> {
  const [memories, nesting] = await Promise.all([
    checkMemories(memory, tenantId, memoriesOf(team)),
    nestingIssues(resources, tenantId, { kind: "teams", name }, team),
  ]);
  return [...checkTeam(team, policy), ...memories, ...nesting];
}

async function issuesOfPanel(panel: Panel, tenantId: string, { memory }: CheckServices): Promise<ProblemIssue[]> {
  return checkPanel(panel, tenantId, memory);
}

async function issuesOfAgent(
  name: string,
  agent: AgentDefinition,
  tenantId: string,
  { memory, resources }: CheckServices,
): Promise<ProblemIssue[]> {
  if (agent.kind === "team") return nestingIssues(resources, tenantId, { kind: "agents", name }, agent.team);
  if (agent.kind === "panel") return [];
  const tools = agent.tools.flatMap((ref, index) => {
    const message = unknownBuiltIn(ref);
    return message === undefined ? [] : [{ path: `tools.${index}.tool`, message }];
  });
  const memories = agent.memories.map((memoryId, index) => ({ path: ["memories", index], memoryId }));
  return [...tools, ...(await checkMemories(memory, tenantId, memories))];
}

/** Placeholders that nobody fills, and schemas that can't be checked in bounded time. */
function issuesOfTool(name: string, tool: ResourceBody<"tools">): ProblemIssue[] {
  return [...issuesOfToolName(name, tool), ...issuesOfToolBody(tool)];
}

/** A model must never take a tenant's tool for one of the system's. */
function issuesOfToolName(name: string, tool: ResourceBody<"tools">): ProblemIssue[] {
  const server = reservedServers.includes(tool.server)
    ? [{ path: "server", message: `"${tool.server}" is the name of the system's own tools; choose another` }]
    : [];
  if ("mcp" in tool || !isReserved(name)) return server;
  return [...server, { path: "name", message: `"${name}" is a tool of the system; store yours under another name` }];
}

const reservedServers: readonly string[] = [builtInServer, routingServer];

function issuesOfToolBody(tool: ResourceBody<"tools">): ProblemIssue[] {
  if ("mcp" in tool) return serverTemplateIssues("mcp", tool.mcp);
  const problem = schemaProblem(tool.parameters);
  return [
    ...(problem === undefined ? [] : [{ path: "parameters", message: problem }]),
    ...templateIssues("http", tool.http),
  ];
}

/** The fields of resources that hold an address which is going to be called. */
const addressFields = ["http", "mcp", "config"] as const;

function checkAddresses(body: object, policy: OutgoingPolicy): void {
  const fields = new Map<string, unknown>(Object.entries(body));
  for (const field of addressFields) {
    const value = fields.get(field);
    if (typeof value !== "object" || value === null || !("url" in value)) continue;
    const message = refuseAddress(String(value.url), policy);
    if (message === undefined) continue;
    throw problem("invalid", `The address can't be called: ${message}.`, {
      errors: [{ path: `${field}.url`, message }],
    });
  }
}
