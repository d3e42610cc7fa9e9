/** Vaults: created, listed, read, and deleted with all their memories. */
import { ok, type Result, refuse } from "../../conversation/problem.js";
import type { Vault } from "../../memory/memory.js";
import type { Actor } from "../../tenancy/actor.js";
import { type Act, authorize } from "../../tenancy/authority.js";
import { type Page, type PageRequest, readPage } from "../page.js";
import type { Services } from "../services.js";

export async function createVault(
  actor: Actor,
  { title }: { readonly title: string },
  services: Services,
): Promise<Result<Vault>> {
  const allowed = authorize(actor, "createVault");
  if (!allowed.ok) return allowed;
  return ok(await services.memory.ports.memories.createVault(actor.tenantId, title));
}

export async function listVaults(actor: Actor, page: PageRequest, services: Services): Promise<Result<Page<Vault>>> {
  const allowed = authorize(actor, "listVaults");
  if (!allowed.ok) return allowed;
  const { memories } = services.memory.ports;
  return readPage(
    page,
    (after = "", limit) => memories.vaults(actor.tenantId, after, limit),
    ({ vaultId }) => vaultId,
  );
}

export function readVault(actor: Actor, vaultId: string, services: Services): Promise<Result<Vault>> {
  return findVault(actor, "readVault", vaultId, services);
}

export async function deleteVault(actor: Actor, vaultId: string, services: Services): Promise<Result<void>> {
  const vault = await findVault(actor, "deleteVault", vaultId, services);
  if (!vault.ok) return vault;
  return ok(await services.memory.deleteVault(actor.tenantId, vaultId));
}

/** How acts on a vault begin: whether the actor may, and whether the vault is its tenant's. */
export async function findVault(actor: Actor, act: Act, vaultId: string, services: Services): Promise<Result<Vault>> {
  const allowed = authorize(actor, act);
  if (!allowed.ok) return allowed;
  const vault = await services.memory.ports.memories.vault(actor.tenantId, vaultId);
  return vault === undefined ? refuse("not_found", "There is no such vault.") : ok(vault);
}
