/** The addresses of a tenant's providers have to be such as may be called. */
import { problem } from "../../conversation/problem.js";
import { type OutgoingPolicy, refuseAddress } from "../../platform/outgoing.js";

export function checkProviders(
  providers: Readonly<Record<string, { readonly baseUrl: string }>>,
  policy: OutgoingPolicy,
): void {
  const errors = Object.entries(providers).flatMap(([name, { baseUrl }]) => {
    const message = refuseAddress(baseUrl, policy);
    return message === undefined ? [] : [{ path: `settings.providers.${name}.baseUrl`, message }];
  });
  if (errors.length > 0) throw problem("invalid", "A provider's address can't be called; see errors.", { errors });
}
