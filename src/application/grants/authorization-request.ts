/** What a program asks for when it sends somebody to the console: read from the address, checked, and answered at the program's own address. */
import { audienceOf, isResource, matchesRedirect, redirectHost } from "../../platform/oauth-addresses.js";
import type { Reach } from "../../tenancy/grant.js";
import type { Services } from "../services.js";
import { findClient, type OAuthClient, OAuthError } from "./clients.js";

export interface AuthorizationRequest {
  readonly client: OAuthClient;
  /** Where the answer goes, and that address for people. */
  readonly redirectUri: string;
  readonly host: string;
  readonly challenge: string;
  readonly audience: string;
  /** What it asks for, as far as it says. */
  readonly reach: Reach;
  /** The program's address with an answer. */
  readonly answer: (fields: Readonly<Record<string, string>>) => string;
}

/** A request that its program is told is wrong. @property to where it is told */
export interface WrongRequest {
  readonly to: string;
}

/**
 * @param search of the address, as the browser was sent to it
 * @throws {OAuthError} where the program or its address isn't known: then nobody is sent anywhere
 */
export async function readAuthorizationRequest(
  search: string,
  services: Services,
): Promise<AuthorizationRequest | WrongRequest> {
  const params = new URLSearchParams(search);
  const names = ["client_id", "redirect_uri", "response_type", "code_challenge", "code_challenge_method", "resource"];
  const doubled = [...names, "state", "scope"].find((name) => params.getAll(name).length > 1);
  const client = await findClient(params.get("client_id") ?? "", services);
  const [only] = client.redirectUris.length === 1 ? client.redirectUris : [];
  const redirectUri = params.get("redirect_uri") ?? only ?? "";
  if (
    doubled === "client_id" ||
    doubled === "redirect_uri" ||
    !client.redirectUris.some((one) => matchesRedirect(one, redirectUri))
  )
    throw new OAuthError("invalid_request", "The program asks to be answered where it hasn't registered.");
  const resource = params.get("resource");
  const isOurs = resource === null || isResource(resource, services.origin);
  // What the program was told that we are called: locally the machine has two names.
  const issuer = resource !== null && isOurs ? new URL(resource).origin : services.origin;
  const answer = (fields: Readonly<Record<string, string>>): string => {
    const to = new URL(redirectUri);
    const state = params.get("state");
    for (const [name, value] of Object.entries({ ...fields, ...(state !== null && { state }), iss: issuer }))
      to.searchParams.set(name, value);
    return to.href;
  };
  const wrong = (error: string, error_description: string) => ({ to: answer({ error, error_description }) });
  if (doubled !== undefined) return wrong("invalid_request", `${doubled} stands there twice.`);
  if (params.get("response_type") !== "code") return wrong("unsupported_response_type", "Ask for response_type=code.");
  const challenge = params.get("code_challenge") ?? "";
  if (params.get("code_challenge_method") !== "S256" || !/^[\w-]{43}$/.test(challenge))
    return wrong("invalid_request", "PKCE is needed: code_challenge with code_challenge_method=S256.");
  if (!isOurs) return wrong("invalid_target", "Tokens of this server open its /mcp alone.");
  const reach = (params.get("scope") ?? "").split(" ").includes("role") ? "role" : "own";
  const host = redirectHost(redirectUri);
  return { client, redirectUri, host, challenge, audience: audienceOf(services.origin), reach, answer };
}
