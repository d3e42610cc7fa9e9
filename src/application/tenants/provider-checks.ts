/** The addresses of a tenant's providers have to be such as may be called. */
import { problem } from "../../conversation/problem.js";
import { referredSecret } from "../../conversation/secret-text.js";
import { type OutgoingPolicy, refuseAddress } from "../../platform/outgoing.js";
import type { SecretStore } from "../../stores/secret-store.js";

export async function checkProviders(
  tenantId: string,
  providers: Readonly<Record<string, { readonly baseUrl: string; readonly apiKey: string }>>,
  { policy, secrets }: { readonly policy: OutgoingPolicy; readonly secrets: Pick<SecretStore, "refusedUses"> },
): Promise<void> {
  const errors = Object.entries(providers).flatMap(([name, { baseUrl }]) => {
    const message = refuseAddress(baseUrl, policy);
    return message === undefined ? [] : [{ path: `settings.providers.${name}.baseUrl`, message }];
  });
  if (errors.length > 0) throw problem("invalid", "A provider's address can't be called; see errors.", { errors });
  const uses = Object.entries(providers).flatMap(([provider, { apiKey, baseUrl: url }]) => {
    const name = referredSecret(apiKey);
    return name === undefined ? [] : [{ name, url, path: `settings.providers.${provider}.apiKey` }];
  });
  const missing = await secrets.refusedUses(tenantId, uses);
  if (missing.length > 0) throw problem("invalid", "A provider's key can't be used; see errors.", { errors: missing });
}
