/** A tenant's own keys, made, listed and deleted by its admin. */
import { z } from "zod";
import { recordOf } from "../../conversation/actor-record.js";
import { problem } from "../../conversation/problem.js";
import { keySchema, newKeySchema } from "../../tenancy/tenant.js";
import { act } from "../act.js";
import { listOf, pageInput } from "../page.js";
import { closeKey, createdKey, makeKey, pageOfKeys } from "./keys.js";

const tag = "A tenant's own administration";

export const createOwnKey = act("createOwnKey", {
  role: "admin",
  route: {
    method: "post",
    path: "/v1/keys",
    tag,
    summary: "Make a key, which is shown this once (admins)",
    body: "key",
    answer: "The key",
    status: 201,
  },
  input: () => z.object({ key: newKeySchema }),
  output: createdKey,
  run: (actor, { key }, services) => makeKey(actor, actor.tenantId, key, services),
});

export const listOwnKeys = act("listOwnKeys", {
  role: "admin",
  route: {
    method: "get",
    path: "/v1/keys",
    tag,
    summary: "The tenant's keys, without their secrets (admins)",
    answer: "A page of keys",
  },
  input: () => z.object(pageInput()),
  output: () => listOf(keySchema),
  run: (actor, page, services) => pageOfKeys(actor.tenantId, page, services),
});

/** Deletes a key, and closes what it and the tokens minted with it have open. The last admin's stays: nobody could make another. */
export const deleteOwnKey = act("deleteOwnKey", {
  role: "admin",
  route: {
    method: "delete",
    path: "/v1/keys/{keyId}",
    tag,
    summary:
      "Delete a key: it is refused from then on, with the tokens minted with it, and what they have open is closed (admins)",
    description: "The last key of role admin can't be deleted here; who runs the deployment can.",
    answer: "It is gone",
  },
  input: () => z.object({ keyId: z.string().max(100) }),
  run: async (actor, { keyId }, services) => {
    const outcome = await services.tenants.removeKeyUnlessLast(actor.tenantId, keyId, recordOf(actor));
    if (outcome === "last_admin") {
      throw problem("conflict", "This is the tenant's last key of role admin. Make another one first: POST /v1/keys.");
    }
    await closeKey(actor.tenantId, keyId, outcome === "removed", services);
  },
});
