/** The keys of a tenant, made, listed and deleted by who runs the deployment. What holds of an admin's own (`own-keys.ts`) too is here. */
import { z } from "zod";
import { recordOf } from "../../conversation/actor-record.js";
import { defined } from "../../conversation/defined.js";
import { problem } from "../../conversation/problem.js";
import type { Actor } from "../../tenancy/actor.js";
import { keySchema, newKeySchema } from "../../tenancy/tenant.js";
import { act } from "../act.js";
import { disconnect } from "../connections.js";
import { claimRefused, commandedCreation } from "../creation.js";
import { listOf, type PageRequest, pageInput, readPage } from "../page.js";
import type { Services } from "../services.js";
import { findTenant } from "./tenant-view.js";

const tag = "Tenants and keys";

/** A key as it is given out, once. */
export const createdKey = () => z.object({ keyId: z.string(), key: z.string(), role: keySchema.shape.role });

export const createKey = act("createKey", {
  role: "deployment",
  route: {
    method: "post",
    path: "/v1/admin/tenants/{tenantId}/keys",
    tag,
    summary: "Make a key, which is shown this once",
    body: "key",
    answer: "The key",
    status: 201,
  },
  input: () => z.object({ tenantId: z.string().max(100), key: newKeySchema }),
  output: createdKey,
  run: async (actor, { tenantId, key }, services) => {
    await findTenant(tenantId, services);
    return makeKey(actor, tenantId, key, services);
  },
});

export const listKeys = act("listKeys", {
  role: "deployment",
  route: {
    method: "get",
    path: "/v1/admin/tenants/{tenantId}/keys",
    tag,
    summary: "The keys of a tenant, without their secrets",
    answer: "A page of keys",
  },
  input: () => z.object({ tenantId: z.string().max(100), ...pageInput() }),
  output: () => listOf(keySchema),
  run: async (_actor, { tenantId, ...page }, services) => {
    await findTenant(tenantId, services);
    return pageOfKeys(tenantId, page, services);
  },
});

/** It is refused from then on, and what it has open is closed. */
export const deleteKey = act("deleteKey", {
  role: "deployment",
  route: {
    method: "delete",
    path: "/v1/admin/tenants/{tenantId}/keys/{keyId}",
    tag,
    summary: "Delete a key: it is refused from then on",
    answer: "It is gone",
  },
  input: () => z.object({ tenantId: z.string().max(100), keyId: z.string().max(100) }),
  run: async (actor, { tenantId, keyId }, services) => {
    const wasThere = await services.tenants.removeKey(tenantId, keyId, recordOf(actor));
    await closeKey(tenantId, keyId, wasThere, services);
  },
});

const past = { errors: [{ path: "expiresAt", message: "has to lie in the future" }] };
const timeOf = (at: number | undefined): string | undefined =>
  at === undefined ? undefined : new Date(at).toISOString();

/** Makes a key of a tenant: once for each request with an `Idempotency-Key`, whatever happens in between. */
export async function makeKey(
  actor: Actor,
  tenantId: string,
  { role, label, expiresAt }: z.infer<typeof newKeySchema>,
  { tenants, now }: Services,
): Promise<z.infer<ReturnType<typeof createdKey>>> {
  const until = expiresAt === undefined ? undefined : Date.parse(expiresAt);
  if (until !== undefined && until <= now())
    throw problem("invalid", "The key would have expired before it was made.", past);
  const keyed = await commandedCreation(actor, [
    "key",
    tenantId,
    role,
    label,
    ...(expiresAt === undefined ? [] : [expiresAt]),
  ]);
  const made = await tenants.createKey(tenantId, { role, label, expiresAt: until, by: recordOf(actor) }, keyed);
  if (made.kind !== "made") throw claimRefused(made.kind);
  return { keyId: made.keyId, key: made.key, role };
}

export async function pageOfKeys(tenantId: string, query: PageRequest, { tenants }: Services) {
  const read = async (after = "", limit: number) =>
    (await tenants.listKeys(tenantId, after, limit)).map(
      ({ keyId, role, label, createdAt, expiresAt, lastUsedAt }) => ({
        ...{ keyId, role, ...defined({ label }) },
        createdAt: new Date(createdAt).toISOString(),
        ...defined({ expiresAt: timeOf(expiresAt), lastUsedAt: timeOf(lastUsedAt) }),
      }),
    );
  return readPage(query, read, ({ keyId }) => keyId);
}

/** Closes what a deleted key has open; also of one that was deleted before: a deletion that was interrupted goes on. */
export async function closeKey(tenantId: string, keyId: string, wasThere: boolean, services: Services): Promise<void> {
  await disconnect(tenantId, keyId, services);
  if (!wasThere) throw problem("not_found", "There is no such key of this tenant.");
}
