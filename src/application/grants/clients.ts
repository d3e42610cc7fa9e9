/**
 * Programs that ask to be let in. One registers itself (RFC 7591): its id is then what it said of itself, sealed, so that nothing is stored and
 * nobody can fill anything up. Or its id is an https address, where what it says of itself stands (a client id metadata document).
 */
import { z } from "zod";
import { sha256Hex } from "../../platform/digest.js";
import { isRedirectAddress } from "../../platform/oauth-addresses.js";
import { OutgoingError, sendOutgoing } from "../../platform/outgoing.js";
import { registrationMs } from "../../tenancy/grant.js";
import { readJson } from "../../text/json.js";
import type { Services } from "../services.js";
import { openClaims, sealClaims } from "./claims.js";

export interface OAuthClient {
  readonly id: string;
  /** What it calls itself. */
  readonly name: string;
  readonly redirectUris: readonly string[];
}

/** Bounds of what a program says of itself; the document may take so long to come, in milliseconds. */
const mostRedirects = 10;
const mostRedirectCharacters = 2_000;
const documentMs = 5_000;

/** What a program says of itself, as far as it matters here. */
const metadataSchema = z.object({
  redirect_uris: z
    .array(z.string().refine(isRedirectAddress, "has to be https, http on the own machine, or an application's scheme"))
    .min(1)
    .max(mostRedirects)
    .refine((uris) => uris.join("").length <= mostRedirectCharacters, "too long in all"),
  client_name: z.string().trim().min(1).max(100).default("A program without a name"),
});

/** What is wrong with a request, as OAuth's clients read it. */
export class OAuthError extends Error {
  override readonly name = "OAuthError";
  constructor(
    readonly code:
      | "invalid_request"
      | "invalid_client"
      | "invalid_grant"
      | "unsupported_grant_type"
      | "invalid_target"
      | "invalid_client_metadata"
      | "invalid_redirect_uri",
    message: string,
  ) {
    super(message);
  }
}

/** @param body what the program says of itself, as JSON @throws {OAuthError} */
export async function registerClient(body: string, { sealer, now }: Pick<Services, "sealer" | "now">) {
  const read = metadataSchema.safeParse(readJson(body).value);
  if (!read.success) {
    const [issue] = read.error.issues;
    const code = issue?.path[0] === "redirect_uris" ? "invalid_redirect_uri" : "invalid_client_metadata";
    throw new OAuthError(code, `${issue?.path.join(".") ?? ""}: ${issue?.message ?? "not JSON"}`);
  }
  const { client_name, redirect_uris } = read.data;
  const expiresAt = now() + registrationMs;
  const client_id = await sealClaims("cnc", { name: client_name, redirectUris: redirect_uris, expiresAt }, sealer);
  return {
    client_id,
    client_id_issued_at: Math.floor(now() / 1_000),
    client_name,
    redirect_uris,
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
  };
}

/** Who asks to be let in. @throws {OAuthError} */
export async function findClient(clientId: string, services: Services): Promise<OAuthClient> {
  if (clientId.startsWith("https://")) return readDocument(clientId, services);
  const claims = await openClaims("cnc", clientId, services.sealer);
  if (claims === undefined || claims.expiresAt <= services.now())
    throw new OAuthError("invalid_client", "This program isn't registered here, or its registration is over.");
  return { id: clientId, name: claims.name, redirectUris: claims.redirectUris };
}

async function readDocument(clientId: string, { policy }: Services): Promise<OAuthClient> {
  const url = URL.parse(clientId);
  const refuse = (why: string) =>
    new OAuthError("invalid_client", `The document at the program's id can't be used: ${why}.`);
  if (url === null || url.href !== clientId || url.pathname === "/" || clientId.length > 500)
    throw refuse("not an address of one");
  const request = { method: "GET", url: clientId, headers: { accept: "application/json" }, timeoutMs: documentMs };
  const answer = await sendOutgoing(request, policy).catch((error: unknown) => {
    throw refuse(error instanceof OutgoingError ? error.message : "it did not come in time");
  });
  const { value } = answer.status === 200 ? readJson(answer.text) : { value: undefined };
  const document = metadataSchema.extend({ client_id: z.literal(clientId) }).safeParse(value);
  if (!document.success) throw refuse("it has to name its own address as client_id, and redirect_uris");
  const { client_name, redirect_uris } = document.data;
  return { id: clientId, name: client_name, redirectUris: redirect_uris };
}

/** Stands for a program's id in what it is given. */
export function digestOfClient(clientId: string): Promise<string> {
  return sha256Hex(clientId);
}
