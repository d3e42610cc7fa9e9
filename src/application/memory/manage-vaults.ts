/** Vaults: created, listed, read, and deleted with all their memories. */
import { recordOf } from "../../conversation/actor-record.js";
import { ok, type Result, refuse } from "../../conversation/problem.js";
import type { Vault } from "../../memory/memory.js";
import { newId } from "../../platform/ids.js";
import { insertDeletion } from "../../stores/audit-log.js";
import type { Actor } from "../../tenancy/actor.js";
import type { Act } from "../../tenancy/acts.js";
import { authorize } from "../../tenancy/authority.js";
import { claimId } from "../creation.js";
import { type Page, type PageRequest, readPage } from "../page.js";
import type { Services } from "../services.js";

export async function createVault(
  actor: Actor,
  {
    title,
    idempotencyKey,
  }: {
    readonly title: string;
    /** A vault made twice under one key is one vault. */
    readonly idempotencyKey?: string | undefined;
  },
  services: Services,
): Promise<Result<Vault>> {
  const allowed = authorize(actor, "createVault");
  if (!allowed.ok) return allowed;
  const vaultId = await claimId(actor, newId("vlt"), { request: ["vault", title], idempotencyKey }, services);
  if (!vaultId.ok) return vaultId;
  return ok(await services.memory.ports.memories.createVault(actor.tenantId, vaultId.value, title));
}

export async function listVaults(actor: Actor, page: PageRequest, services: Services): Promise<Result<Page<Vault>>> {
  const allowed = authorize(actor, "listVaults");
  if (!allowed.ok) return allowed;
  const { memories } = services.near;
  return readPage(
    page,
    (after = "", limit) => memories.vaults(actor.tenantId, after, limit),
    ({ vaultId }) => vaultId,
  );
}

export function readVault(actor: Actor, vaultId: string, services: Services): Promise<Result<Vault>> {
  return lookUpVault(actor, "readVault", vaultId, services);
}

export async function deleteVault(actor: Actor, vaultId: string, services: Services): Promise<Result<void>> {
  const vault = await findVault(actor, "deleteVault", vaultId, services);
  if (!vault.ok) return vault;
  // First: once it is gone, a repetition finds nothing to do.
  const deleted = { type: "vault.deleted", by: recordOf(actor), at: services.now() } as const;
  await insertDeletion(services.db, actor.tenantId, vaultId, deleted).run();
  return ok(await services.memory.deleteVault(actor.tenantId, vaultId));
}

/** How acts on a vault begin: whether the actor may, and whether the vault is its tenant's. */
export async function findVault(actor: Actor, act: Act, vaultId: string, services: Services): Promise<Result<Vault>> {
  const allowed = authorize(actor, act);
  if (!allowed.ok) return allowed;
  return found(await services.memory.ports.memories.vault(actor.tenantId, vaultId));
}

/** The same for acts that only look up: they may read a replica near their caller. */
export async function lookUpVault(actor: Actor, act: Act, vaultId: string, services: Services): Promise<Result<Vault>> {
  const allowed = authorize(actor, act);
  if (!allowed.ok) return allowed;
  return found(await services.near.memories.vault(actor.tenantId, vaultId));
}

function found(vault: Vault | undefined): Result<Vault> {
  return vault === undefined ? refuse("not_found", "There is no such vault.") : ok(vault);
}
