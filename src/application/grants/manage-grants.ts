/** What people do about programs that ask to be let in, and those that are. */
import { z } from "zod";
import { recordOf } from "../../conversation/actor-record.js";
import { itemName } from "../../conversation/names.js";
import { problem } from "../../conversation/problem.js";
import type { Actor } from "../../tenancy/actor.js";
import { codeMs, grantSchema, mostGrants, reaches } from "../../tenancy/grant.js";
import { act } from "../act.js";
import { listOf, pageInput, readPage } from "../page.js";
import type { Services } from "../services.js";
import { type AuthorizationRequest, readAuthorizationRequest } from "./authorization-request.js";
import { sealClaims } from "./claims.js";
import { digestOfClient, OAuthError } from "./clients.js";

/** The most agents that somebody is shown to choose from. */
const mostAgents = 200;
/** The search of the address that a program sent somebody to. */
const search = z.string().max(16_000);

export const readAccessRequest = act("readAccessRequest", {
  role: "person",
  input: () => z.object({ search }),
  output: () =>
    z.union([
      z.object({ to: z.string() }),
      z.object({
        client: z.string(),
        /** Of a program whose id is an address: its host. */
        clientOf: z.string().optional(),
        host: z.string(),
        /** Where a form may lead after it. */
        redirectUri: z.string(),
        reach: z.enum(reaches),
        agents: z.array(z.object({ name: itemName, description: z.string().optional() })),
      }),
    ]),
  run: async (actor, sent, services) => {
    const asked = await read(sent.search, services);
    if ("to" in asked) return asked;
    const { client, host, redirectUri, reach } = asked;
    const agents = await services.near.resources.list(actor.tenantId, "agents", "", mostAgents);
    return {
      ...{ client: client.name, host, redirectUri, reach },
      ...(client.id.startsWith("https://") && { clientOf: new URL(client.id).hostname }),
      agents: agents.map(({ name }) => ({ name })),
    };
  },
});

export const grantAccess = act("grantAccess", {
  role: "person",
  input: () => z.object({ search, reach: z.enum(reaches), agents: z.array(itemName).min(1).max(50).optional() }),
  output: () => z.object({ to: z.string() }),
  run: async (actor, { search: sent, reach, agents }, services) => {
    const asked = await read(sent, services);
    if ("to" in asked) return asked;
    const { client, host, redirectUri, challenge, audience, answer } = asked;
    const { tenantId, id: personId } = actor;
    const grant = {
      personId,
      client: client.name,
      clientHost: host,
      reach,
      agents: reach === "own" ? agents : undefined,
    };
    const grantId = await (await services.grants()).add(tenantId, grant, recordOf(actor));
    if (grantId === undefined)
      throw problem("conflict", `You have let in ${mostGrants} programs. Take one's access back first.`);
    const expiresAt = services.now() + codeMs;
    const given = { tenantId, grantId, client: await digestOfClient(client.id), audience, scope: reach };
    return {
      to: answer({ code: await sealClaims("code", { ...given, redirectUri, challenge, expiresAt }, services.sealer) }),
    };
  },
});

export const refuseAccess = act("refuseAccess", {
  role: "person",
  input: () => z.object({ search }),
  output: () => z.object({ to: z.string() }),
  run: async (actor, sent, services) => {
    const asked = await read(sent.search, services);
    if ("to" in asked) return asked;
    await (await services.grants()).refuse(actor.tenantId, actor.id, asked.host, recordOf(actor));
    return { to: asked.answer({ error: "access_denied" }) };
  },
});

export const listOwnGrants = act("listOwnGrants", {
  role: "person",
  input: () => z.object({}),
  output: () => z.object({ items: z.array(grantSchema()) }),
  run: async ({ tenantId, id }, _input, services) => ({
    items: await (await services.grants()).list(tenantId, id, "", mostGrants),
  }),
});

const grantInput = () => ({ grantId: z.string().max(100) });

export const revokeOwnGrant = act("revokeOwnGrant", {
  role: "person",
  input: () => z.object(grantInput()),
  run: (actor, { grantId }, services) => revoke(actor, grantId, services, actor.id),
});

const grantsTag = "Grants";

export const listGrants = act("listGrants", {
  role: "admin",
  route: {
    method: "get",
    path: "/v1/grants",
    tag: grantsTag,
    summary: "The programs that people have let in at /mcp (admins)",
    description: "What each calls itself, for whom it acts and how far that reaches. Tokens are never shown.",
    answer: "A page of grants",
  },
  input: () => z.object(pageInput()),
  output: () => listOf(grantSchema()),
  run: async ({ tenantId }, page, services) => {
    const grants = await services.grants();
    return readPage(
      page,
      (after = "", limit) => grants.list(tenantId, undefined, after, limit),
      ({ grantId }) => grantId,
    );
  },
});

export const revokeGrant = act("revokeGrant", {
  role: "admin",
  route: {
    method: "delete",
    path: "/v1/grants/{grantId}",
    tag: grantsTag,
    summary: "Take a program's access back: its tokens count no more (admins)",
    description: "With its next request it is told to ask again. What it did stays on record with the grant's id.",
    answer: "It has no access any more",
  },
  input: () => z.object(grantInput()),
  run: (actor, { grantId }, services) => revoke(actor, grantId, services),
});

async function revoke(actor: Actor, grantId: string, { grants }: Services, personId?: string): Promise<void> {
  const of = personId === undefined ? {} : { personId };
  if (!(await (await grants()).revoke(actor.tenantId, grantId, recordOf(actor), of)))
    throw problem("not_found", "There is no such grant. GET /v1/grants lists those there are.");
}

/** @throws {ProblemError} for what nobody is sent anywhere with */
async function read(sent: string, services: Services): Promise<AuthorizationRequest | { to: string }> {
  try {
    return await readAuthorizationRequest(sent, services);
  } catch (error) {
    if (error instanceof OAuthError) throw problem("invalid", error.message);
    throw error;
  }
}
