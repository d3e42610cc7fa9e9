import { z } from "zod";
import { unknownBuiltIn } from "../../agent/built-in-tools.js";
import type { AgentDefinition } from "../../agent/definition.js";
import type { Services } from "../../application/services.js";
import { checkMemories, checkTeam } from "../../application/team-checks.js";
import { maxAutoItems } from "../../chat/context.js";
import { itemName } from "../../conversation/names.js";
import type { ProblemIssue } from "../../conversation/problem.js";
import { hiddenSecret } from "../../conversation/secret-text.js";
import { refuseAddress } from "../../platform/outgoing.js";
import type { Team } from "../../routing/team.js";
import { memoriesOf } from "../../routing/team.js";
import { type ResourceKind, type ResourceVersion, resourceKinds, resourceSchemas } from "../../tenancy/resources.js";
import { mapSecrets } from "../../tenancy/secrets.js";
import { callerOf, demandRole } from "../context.js";
import { problem } from "../problems.js";
import { decodeCursor, json, jsonBody, listOf, named, newRouter, pageOf, pageQuery, route } from "../routing.js";

const singular: Record<ResourceKind, string> = {
  agents: "agent",
  supervisors: "supervisor",
  rules: "rule",
  references: "reference",
  tools: "tool",
  prompts: "prompt",
  teams: "team",
};

const nameParam = z.object({ name: itemName });
/** What every kind shows; the kind's own fields stand beside these. */
const shownSchema = named("Stored", z.object({ name: z.string(), version: z.int(), updatedAt: z.iso.datetime() }));
type Shown = z.infer<typeof shownSchema>;

const ifMatch = z.object({
  "if-match": z
    .string()
    .regex(/^(\*|"\d+")$/, 'an ETag as GET gave it, such as "3"')
    .optional(),
});

export const resources = newRouter();

for (const kind of resourceKinds) addRoutes(kind);

function addRoutes<K extends ResourceKind>(kind: K): void {
  const path: string = `/v1/${kind}`;
  const one = singular[kind];
  const tags = [capital(kind)];
  const shown: z.ZodType<Shown> = named(`Stored${capital(one)}`, shownSchema.and(resourceSchemas[kind]));

  resources.openapi(
    route({
      method: "put",
      path: `${path}/{name}`,
      tags,
      summary: `Store ${article(one)}; a body that differs makes a new version`,
      request: { params: nameParam, headers: ifMatch, body: jsonBody(resourceSchemas[kind]) },
      responses: { 200: json("Stored", shown), 201: json("Stored for the first time", shown) },
    }),
    async (c) => {
      const { tenantId } = demandRole(c, "operator");
      const { name } = c.req.valid("param");
      const body = resourceSchemas[kind].parse(c.req.valid("json"));
      checkAddresses(body, c.get("services").policy);
      if (kind === "teams")
        demandUsable(await faultsOfTeam(resourceSchemas.teams.parse(body), tenantId, c.get("services")), one);
      if (kind === "agents")
        demandUsable(await faultsOfAgent(resourceSchemas.agents.parse(body), tenantId, c.get("services")), one);
      const { resources: store } = c.get("services");
      const wanted = c.req.valid("header")["if-match"];
      const expected = wanted === undefined || wanted === "*" ? undefined : Number(wanted.slice(1, -1));
      if (wanted === "*" && (await store.get(tenantId, kind, name)) === undefined) throw changed(undefined);
      const outcome = await store.put(tenantId, kind, name, body, expected);
      if (outcome.kind === "precondition_failed") throw changed(outcome.current);
      if (outcome.kind === "too_many_auto") throw tooManyAuto(kind);
      const stored = await store.get(tenantId, kind, name);
      if (stored === undefined) throw missing(one, name);
      c.header("etag", `"${stored.version}"`);
      return c.json(show(stored), outcome.created ? 201 : 200);
    },
  );

  resources.openapi(
    route({
      method: "get",
      path: `${path}/{name}`,
      tags,
      summary: `Read ${article(one)}`,
      request: { params: nameParam },
      responses: { 200: json("As it counts now; its version is the ETag", shown) },
    }),
    async (c) => {
      const { tenantId } = callerOf(c);
      const { name } = c.req.valid("param");
      const found = await c.get("services").resources.get(tenantId, kind, name);
      if (found === undefined) throw missing(one, name);
      c.header("etag", `"${found.version}"`);
      return c.json(show(found), 200);
    },
  );

  resources.openapi(
    route({
      method: "get",
      path,
      tags,
      summary: `All ${kind}, by name`,
      request: { query: pageQuery },
      responses: { 200: json(`A page of ${kind}`, listOf(shown)) },
    }),
    async (c) => {
      const { tenantId } = callerOf(c);
      const { limit, cursor } = c.req.valid("query");
      const rows = await c.get("services").resources.list(tenantId, kind, decodeCursor(cursor) ?? "", limit + 1);
      return c.json(
        pageOf(rows, limit, ({ name }) => name, show),
        200,
      );
    },
  );

  resources.openapi(
    route({
      method: "delete",
      path: `${path}/{name}`,
      tags,
      summary: `Delete ${article(one)}`,
      request: { params: nameParam },
      responses: { 204: { description: "It is gone; turns under way keep the version they began with" } },
    }),
    async (c) => {
      const { tenantId } = demandRole(c, "operator");
      const { name } = c.req.valid("param");
      if (!(await c.get("services").resources.remove(tenantId, kind, name))) throw missing(one, name);
      return c.body(null, 204);
    },
  );
}

function show<K extends ResourceKind>({
  name,
  version,
  body,
  updatedAt,
}: ResourceVersion<K> & { updatedAt: number }): Shown {
  return { name, version, updatedAt: new Date(updatedAt).toISOString(), ...mapSecrets(body, () => hiddenSecret) };
}

function demandUsable(errors: readonly ProblemIssue[], one: string): void {
  if (errors.length > 0)
    throw problem("invalid", `The ${one} names what doesn't exist or can't be used; see errors.`, { errors });
}

async function faultsOfTeam(team: Team, tenantId: string, { policy, memory }: Services): Promise<ProblemIssue[]> {
  return [...checkTeam(team, policy), ...(await checkMemories(memory, tenantId, memoriesOf(team)))];
}

async function faultsOfAgent(agent: AgentDefinition, tenantId: string, { memory }: Services): Promise<ProblemIssue[]> {
  if (agent.kind !== "model") return [];
  const tools = agent.tools.flatMap((ref, index) => {
    const message = unknownBuiltIn(ref);
    return message === undefined ? [] : [{ path: `tools.${index}.tool`, message }];
  });
  const memories = agent.memories.map((memoryId, index) => ({ path: ["memories", index], memoryId }));
  return [...tools, ...(await checkMemories(memory, tenantId, memories))];
}

/** Where a resource has the address of something that is going to be called. */
const addressFields = ["http", "mcp", "config"] as const;

function checkAddresses(body: object, policy: { allowLoopback: boolean }): void {
  const fields = new Map<string, unknown>(Object.entries(body));
  for (const field of addressFields) {
    const value = fields.get(field);
    if (typeof value !== "object" || value === null || !("url" in value)) continue;
    const refused = refuseAddress(String(value.url), policy);
    if (refused === undefined) continue;
    throw problem("invalid", `The address can't be called: ${refused}.`, {
      errors: [{ path: `${field}.url`, message: refused }],
    });
  }
}

function changed(current: number | undefined) {
  const now = current === undefined ? "It doesn't exist" : `Its version is "${current}" now`;
  return problem("precondition_failed", `${now}. Read it again, and decide on what it says.`);
}

function tooManyAuto(kind: ResourceKind) {
  return problem(
    "invalid",
    `${maxAutoItems} ${kind} have include "auto" already. Give it another, or another to one of them.`,
    {
      errors: [{ path: "include", message: `at most ${maxAutoItems} ${kind} may include themselves` }],
    },
  );
}

function missing(one: string, name: string) {
  return problem("not_found", `There is no ${one} "${name}".`);
}

function capital(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}

function article(one: string): string {
  return `${/^[aeiou]/.test(one) ? "an" : "a"} ${one}`;
}
