/** Makes a key of a tenant: once for each request with an `Idempotency-Key`, whatever happens in between. */
import type { KeyRole } from "../../asks/ask.js";
import { recordOf } from "../../conversation/actor-record.js";
import { ok, type Result } from "../../conversation/problem.js";
import type { Actor } from "../../tenancy/actor.js";
import { claimRefused, creationKey } from "../creation.js";
import type { Services } from "../services.js";

export interface NewKeyInput {
  readonly tenantId: string;
  readonly role: KeyRole;
  readonly label?: string | undefined;
  /** A key made twice under one Idempotency-Key is one key. */
  readonly idempotencyKey?: string | undefined;
}

export async function makeTenantKey(
  actor: Actor,
  { tenantId, role, label, idempotencyKey }: NewKeyInput,
  { tenants }: Pick<Services, "tenants">,
): Promise<Result<{ keyId: string; key: string; role: KeyRole }>> {
  const request = ["key", tenantId, role, label];
  const keyed = idempotencyKey === undefined ? undefined : await creationKey(actor, { request, idempotencyKey });
  const made = await tenants.createKey(tenantId, { role, label, by: recordOf(actor) }, keyed);
  return made.kind === "made" ? ok({ keyId: made.keyId, key: made.key, role }) : claimRefused(made.kind);
}
