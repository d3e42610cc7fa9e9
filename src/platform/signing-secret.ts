/** The secret that signs a tenant's outgoing calls where a resource has none of its own. */

/**
 * Made from the deployment's secret and the tenant's id, so it is there from the first call on and needs no room.
 * @returns for a tenant `whsec_<base64 of 32 bytes>`
 */
export function createSigningSecrets(masterSecret: string): (tenantId: string) => Promise<string> {
  const encoder = new TextEncoder();
  const key = crypto.subtle
    .digest("SHA-256", encoder.encode(`conclave signing ${masterSecret}`))
    .then((bytes) => crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]));
  return async (tenantId) => {
    const bytes = new Uint8Array(await crypto.subtle.sign("HMAC", await key, encoder.encode(tenantId)));
    return `whsec_${btoa(String.fromCharCode(...bytes))}`;
  };
}
