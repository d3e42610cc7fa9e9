/** Limits stored, read, listed, deleted: a tenant's own, and those that who runs the deployment sets for tenants. */
import { z } from "zod";
import { modelList } from "../../agent/definition.js";
import { recordOf } from "../../conversation/actor-record.js";
import { itemName } from "../../conversation/names.js";
import { type ProblemIssue, problem } from "../../conversation/problem.js";
import { maxLimits } from "../../stores/limit-store.js";
import type { WorkClaim } from "../../stores/work-claims.js";
import { type Actor, deploymentScope } from "../../tenancy/actor.js";
import { homeOf } from "../../tenancy/home.js";
import {
  deploymentLimitSchema,
  deploymentLimitViewSchema,
  type LimitView,
  limitSchema,
  limitViewSchema,
  type NewLimit,
} from "../../tenancy/limits/limit.js";
import type { ResourceBody } from "../../tenancy/resources.js";
import { act } from "../act.js";
import { readPut } from "../as-read.js";
import { doOnce } from "../creation.js";
import { servicesForAct } from "../home.js";
import { listOf, pageInput, readPage } from "../page.js";
import type { Services } from "../services.js";
import { copyLimits } from "../system/copy-to-databases.js";
import { findTenant } from "../tenants/tenant-view.js";

export const limitTag = "Limits";

/** What a limit's GET adds to what was put. */
const serverFields = ["version", "updatedAt", "raises", "warnings"];

export const putLimit = act("putLimit", {
  role: "admin",
  route: {
    method: "put",
    path: "/v1/limits/{name}",
    tag: limitTag,
    summary: "Store a limit of the tenant (admins)",
    body: "limit",
    bodyShape: () => limitSchema(),
    shows: "limit",
    answer: "It was changed",
    other: { when: "created", status: 201, answer: "It is new" },
  },
  input: () => z.object({ name: itemName, limit: z.unknown() }),
  output: () => z.object({ created: z.boolean(), limit: limitViewSchema() }),
  run: async (actor, { name, limit }, services) => store(actor, name, await checkLimit(name, limit), services),
});

const readLimit = act("readLimit", {
  role: "admin",
  route: {
    method: "get",
    path: "/v1/limits/{name}",
    tag: limitTag,
    summary: "Read a limit (admins)",
    answer: "The limit",
  },
  input: () => z.object({ name: itemName }),
  output: () => limitViewSchema(),
  run: findLimit,
});

const listLimits = act("listLimits", {
  role: "admin",
  route: {
    method: "get",
    path: "/v1/limits",
    tag: limitTag,
    summary: "The tenant's limits, by name (admins)",
    answer: "A page of limits",
  },
  input: () => z.object(pageInput()),
  output: () => listOf(limitViewSchema()),
  run: list,
});

const deleteLimit = act("deleteLimit", {
  role: "admin",
  route: {
    method: "delete",
    path: "/v1/limits/{name}",
    tag: limitTag,
    summary: "Delete a limit: nothing has to have room in it any more (admins)",
    answer: "It is gone",
  },
  input: () => z.object({ name: itemName }),
  run: remove,
});

export const putDeploymentLimit = act("putDeploymentLimit", {
  role: "deployment",
  route: {
    method: "put",
    path: "/v1/admin/limits/{name}",
    tag: limitTag,
    summary: "Store a limit of every tenant, each by itself, or of the one that `match.tenantId` names",
    body: "limit",
    bodyShape: () => deploymentLimitSchema(),
    shows: "limit",
    answer: "It was changed",
    other: { when: "created", status: 201, answer: "It is new" },
  },
  input: () => z.object({ name: itemName, limit: z.unknown() }),
  output: () => z.object({ created: z.boolean(), limit: deploymentLimitViewSchema() }),
  run: async (actor, { name, limit: sent }, services) => {
    const limit = await read(deploymentLimitSchema(), name, sent);
    const tenantId = limit.match?.tenantId;
    if (tenantId !== undefined) await findTenant(tenantId, servicesForAct(actor.tenantId, { tenantId }, services));
    const stored = await store(actor, name, limit, services);
    await copyLimits(services);
    return stored;
  },
});

const readDeploymentLimit = act("readDeploymentLimit", {
  role: "deployment",
  route: {
    method: "get",
    path: "/v1/admin/limits/{name}",
    tag: limitTag,
    summary: "Read a limit of tenants",
    answer: "The limit",
  },
  input: () => z.object({ name: itemName }),
  output: () => deploymentLimitViewSchema(),
  run: findLimit,
});

const listDeploymentLimits = act("listDeploymentLimits", {
  role: "deployment",
  route: {
    method: "get",
    path: "/v1/admin/limits",
    tag: limitTag,
    summary: "The limits that the deployment sets for tenants, by name",
    answer: "A page of limits",
  },
  input: () => z.object(pageInput()),
  output: () => listOf(deploymentLimitViewSchema()),
  run: list,
});

const deleteDeploymentLimit = act("deleteDeploymentLimit", {
  role: "deployment",
  route: {
    method: "delete",
    path: "/v1/admin/limits/{name}",
    tag: limitTag,
    summary: "Delete a limit of tenants",
    answer: "It is gone",
  },
  input: () => z.object({ name: itemName }),
  run: async (actor, limit, services) => {
    await remove(actor, limit, services);
    await copyLimits(services);
  },
});

export const tenantLimits = [putLimit, readLimit, listLimits, deleteLimit];
export const deploymentLimits = [putDeploymentLimit, readDeploymentLimit, listDeploymentLimits, deleteDeploymentLimit];

/** The limit of this name, of whoever acts: a tenant, or the deployment. */
export async function findLimit(
  { tenantId }: Actor,
  { name }: { readonly name: string },
  { limits }: Pick<Services, "limits">,
): Promise<LimitView> {
  const found = await limits.get(tenantId, name);
  if (found === undefined) throw noLimit(name);
  return found;
}

export function noLimit(name: string) {
  return problem("not_found", `There is no limit "${name}".`);
}

/**
 * A tenant's limit as it is sent.
 * @throws {ProblemError} `invalid`, with the places
 */
export const checkLimit = (name: string, sent: unknown) => read(limitSchema(), name, sent);

function read<T extends NewLimit>(schema: z.ZodType<T>, name: string, sent: unknown): Promise<T> {
  return readPut(schema, sent, { name, serverFields, current: async () => undefined });
}

function list({ tenantId }: Actor, page: Parameters<typeof readPage>[0], { limits }: Pick<Services, "limits">) {
  return readPage(
    page,
    (after = "", limit) => limits.list(tenantId, after, limit),
    ({ name }) => name,
  );
}

/**
 * Does once, under the key of a request, what is done to a limit. Keys are kept with a tenant: of a limit that the deployment sets for all of
 * them there is none to keep it with, nor here of one that lives in another database; a repetition stores the same again.
 */
export function doOnceFor<T>(
  actor: Actor,
  { match }: Pick<NewLimit, "match">,
  services: Services,
  work: (claim: WorkClaim | undefined) => Promise<T>,
  again: (note: string) => Promise<T>,
): Promise<T> {
  if (actor.tenantId !== deploymentScope) return doOnce(actor, services, work, again);
  const isHere = match?.tenantId !== undefined && homeOf(match.tenantId, services.moved) === services.database;
  return isHere ? doOnce(actor, services, work, again, match.tenantId) : work(undefined);
}

async function store(
  actor: Actor,
  name: string,
  limit: NewLimit,
  services: Services,
): Promise<{ readonly created: boolean; readonly limit: LimitView }> {
  const put = async (claim?: WorkClaim): Promise<boolean> => {
    const stored = await services.limits.put(actor.tenantId, name, limit, recordOf(actor), claim);
    if (stored === "too_many") throw problem("conflict", `There are ${maxLimits} limits already. Delete one first.`);
    return stored === "created";
  };
  const created = await doOnceFor(actor, limit, services, put, async (note) => note === "created");
  const stored = await findLimit(actor, { name }, services);
  const warnings = await unpriced(actor, stored, services);
  return { created, limit: warnings.length === 0 ? stored : { ...stored, warnings } };
}

/**
 * Models of the tenant's agents that nobody has priced: a limit of money lets no call of them through.
 * @param planned agents that are going to be others
 */
export async function unpriced(
  actor: Actor,
  { measure }: NewLimit,
  services: Services,
  planned: ReadonlyMap<string, ResourceBody<"agents">> = new Map(),
): Promise<ProblemIssue[]> {
  if (measure !== "money") return [];
  const table = await (await services.prices()).tableAt(services.now());
  if (table === undefined)
    return [{ path: "measure", message: "there is no table of prices: no model of a provider can be called" }];
  if (actor.tenantId === deploymentScope) return [];
  const agents = await services.resources.list(actor.tenantId, "agents", "", maxAgentsLooked);
  const others = agents.filter(({ name }) => !planned.has(name)).map(({ body }) => body);
  const models = [...others, ...planned.values()].flatMap((body) =>
    body.kind === "model" ? modelList(body.model) : [],
  );
  const isPriced = (model: string): boolean =>
    model === "offline" || model === "default" || Object.hasOwn(table.models, model);
  return [...new Set(models)]
    .filter((model) => !isPriced(model))
    .map((model) => ({ path: "measure", message: `"${model}" has no price: its calls are refused` }));
}

/** Agents whose models are looked at. */
const maxAgentsLooked = 200;

async function remove(actor: Actor, { name }: { readonly name: string }, services: Services): Promise<void> {
  const done = { by: recordOf(actor), at: services.now() };
  const limit = { name, ...(await services.limits.get(actor.tenantId, name)) };
  const removeOnce = async (claim?: WorkClaim): Promise<void> => {
    if (!(await services.limits.remove(actor.tenantId, limit, done, claim))) throw noLimit(name);
  };
  await doOnceFor(actor, limit, services, removeOnce, async () => {});
}
