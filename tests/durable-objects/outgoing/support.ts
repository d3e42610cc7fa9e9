/** What a receiver of outgoing calls sees of them, verified as the documentation tells receivers to. */
import { Webhook } from "standardwebhooks";
import type { TestTenant } from "../../support/conclave.js";
import type { SeenRequest } from "../../support/upstream-client.js";

export const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

/** Throws unless the request is signed. @param body as it was sent; nothing with GET and DELETE */
export function verifyCall(seen: SeenRequest | undefined, signingSecret = secret): void {
  if (seen === undefined) throw new Error("nothing was called");
  const body = seen.body === "" ? "" : JSON.stringify(seen.body);
  new Webhook(signingSecret).verify(body, seen.headers, { jsonParse: false });
}

/** The context of a request, once its signature is verified. */
export function contextOf(seen: SeenRequest | undefined, signingSecret = secret): unknown {
  const [context = "", signature = ""] = seen?.headers["conclave-context"]?.split(".") ?? [];
  const headers = { ...seen?.headers, "webhook-signature": signature };
  new Webhook(signingSecret).verify(context, headers, { jsonParse: false });
  return JSON.parse(new TextDecoder().decode(Uint8Array.from(fromBase64Url(context), (c) => c.charCodeAt(0))));
}

function fromBase64Url(text: string): string {
  return atob(text.replaceAll("-", "+").replaceAll("_", "/"));
}

/** The secret that signs where a resource has none. */
export async function tenantSecret(tenant: TestTenant): Promise<string> {
  return (await tenant.call("GET", "/v1/tenant/signing-secret")).body.signingSecret;
}
