/**
 * How programs come to tokens, and give them up. No acts: acts begin with the actor that a token gives. A code and a refresh token count once;
 * what comes a second time was in two hands, and takes all of the grant with it.
 */
import { base64Url } from "../../platform/bytes.js";
import { isResource } from "../../platform/oauth-addresses.js";
import { accessTokenMs } from "../../tenancy/grant.js";
import { servicesOf } from "../home.js";
import type { Services } from "../services.js";
import { type Claims, openClaims, sealClaims } from "./claims.js";
import { digestOfClient, findClient, OAuthError } from "./clients.js";

export interface IssuedTokens {
  readonly access_token: string;
  readonly token_type: "Bearer";
  /** In seconds. */
  readonly expires_in: number;
  readonly refresh_token: string;
  readonly scope: string;
}

/** @param form what was sent, as OAuth names it @throws {OAuthError} */
export async function issueTokens(form: URLSearchParams, anywhere: Services): Promise<IssuedTokens> {
  const clientId = form.get("client_id") ?? "";
  const resource = form.get("resource");
  if (resource !== null && !isResource(resource, anywhere.origin))
    throw new OAuthError("invalid_target", "Tokens of this server open its /mcp alone.");
  switch (form.get("grant_type")) {
    case "authorization_code":
      return exchangeCode(form, clientId, anywhere);
    case "refresh_token":
      return refresh(form, clientId, anywhere);
    default:
      throw new OAuthError("unsupported_grant_type", "Send grant_type=authorization_code or refresh_token.");
  }
}

async function exchangeCode(form: URLSearchParams, clientId: string, anywhere: Services): Promise<IssuedTokens> {
  const code = await openClaims("code", form.get("code") ?? "", anywhere.sealer);
  if (code === undefined || code.client !== (await digestOfClient(clientId)))
    throw new OAuthError("invalid_grant", "This code was not given to this program.");
  if ((form.get("redirect_uri") ?? code.redirectUri) !== code.redirectUri)
    throw new OAuthError("invalid_grant", "The code was sent to another redirect_uri.");
  const verifier = form.get("code_verifier") ?? "";
  if (!/^[\w.~-]{43,128}$/.test(verifier) || (await challengeOf(verifier)) !== code.challenge)
    throw new OAuthError("invalid_grant", "The code_verifier isn't what the code_challenge was made of.");
  if (code.expiresAt <= anywhere.now()) throw new OAuthError("invalid_grant", "The code is too old. Ask again.");
  return take(code, 0, anywhere);
}

async function refresh(form: URLSearchParams, clientId: string, anywhere: Services): Promise<IssuedTokens> {
  const token = await openClaims("cnr", form.get("refresh_token") ?? "", anywhere.sealer);
  if (token === undefined || token.client !== (await digestOfClient(clientId)))
    throw new OAuthError("invalid_grant", "This refresh token was not given to this program.");
  // Whose registration is over registers again. A document is asked for when somebody is to let the program in, not here.
  if (!clientId.startsWith("https://")) await findClient(clientId, anywhere);
  return take(token, token.count, anywhere);
}

/** Takes what counts once, and gives out the next tokens. */
async function take(
  { tenantId, grantId, client, audience, scope }: Claims["cnr"] | Claims["code"],
  count: number,
  anywhere: Services,
): Promise<IssuedTokens> {
  const { grants, sealer, now } = servicesOf(tenantId, anywhere);
  switch (await (await grants()).take(tenantId, grantId, count)) {
    case "gone":
      throw new OAuthError("invalid_grant", "The access was taken back, or was not used for long. Ask again.");
    case "used_before":
      throw new OAuthError("invalid_grant", "This was used before: the access is taken back. Ask again.");
    case "done":
  }
  const of = { tenantId, grantId, client, audience };
  const at = now();
  const access = { ...of, issuedAt: Math.floor(at / 1_000), expiresAt: at + accessTokenMs };
  return {
    access_token: await sealClaims("cno", access, sealer),
    token_type: "Bearer",
    expires_in: accessTokenMs / 1_000,
    refresh_token: await sealClaims("cnr", { ...of, scope, count: count + 1 }, sealer),
    scope,
  };
}

/** A program gives up what it has (RFC 7009). What isn't a token of its own does nothing. */
export async function giveUp(form: URLSearchParams, anywhere: Services): Promise<void> {
  const sent = form.get("token") ?? "";
  const claims = (await openClaims("cnr", sent, anywhere.sealer)) ?? (await openClaims("cno", sent, anywhere.sealer));
  if (claims === undefined || claims.client !== (await digestOfClient(form.get("client_id") ?? ""))) return;
  const { tenantId, grantId } = claims;
  const { grants } = servicesOf(tenantId, anywhere);
  await (await grants()).revoke(tenantId, grantId, undefined, { reason: "the program gave it up" });
}

async function challengeOf(verifier: string): Promise<string> {
  return base64Url(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier))));
}
