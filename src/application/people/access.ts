/**
 * How people come in whom Cloudflare Access has let through. It says who they are in a token of its own, which is held against the team's keys;
 * who isn't invited here isn't let in, whatever it says. The cookie of Access is never read: the header alone is checked by it.
 */
import { attempt } from "../../conversation/problem.js";
import { sha256Hex } from "../../platform/digest.js";
import { readSignedClaims } from "../../platform/signed-claims.js";
import type { Member } from "../../stores/console-store.js";
import { accessClaimsSchema, accessCounts, issuerOf } from "../../tenancy/access.js";
import { homeOf, markSecret } from "../../tenancy/home.js";
import { everywhere } from "../home.js";
import type { Services } from "../services.js";
import { newCode } from "./invitations.js";
import { failedSignIn } from "./sign-in.js";

/** A tenant that somebody may enter. */
export interface AccessOffer extends Member {
  readonly tenantName: string;
  readonly email: string;
  readonly services: Services;
}

/**
 * Where somebody may enter whom Access has let through.
 * @param token what the header `Cf-Access-Jwt-Assertion` holds
 * @param tenantId the one that was chosen
 * @throws {ProblemError} whose detail is `unknown`, `expired` or `suspended`
 */
async function accessOffers(
  token: string,
  address: string,
  anywhere: Services,
  tenantId?: string,
): Promise<AccessOffer[]> {
  const signed = readSignedClaims(token);
  const read = accessClaimsSchema().safeParse(signed?.claims);
  if (signed === undefined || !read.success) throw await failedSignIn(address, anywhere);
  const { iss, aud, email } = read.data;
  const found = await Promise.all(
    everywhere(anywhere).map(async (services) =>
      (await (await services.consoles()).membersOfAudience(aud, email, tenantId)).map((one) => ({ ...one, services })),
    ),
  );
  const members = found
    .flat()
    .filter(
      (one) => issuerOf(one.teamDomain) === iss && homeOf(one.tenantId, anywhere.moved) === one.services.database,
    );
  const [known] = members;
  if (known === undefined) throw await failedSignIn(address, anywhere);
  // What nobody signed says nothing of anybody, and is answered as a stranger is: else it would tell who is invited.
  const keys = await (await anywhere.publishedKeys()).at(`${iss}/cdn-cgi/access/certs`, signed.kid);
  if (!(await signed.isSigned(keys))) throw await failedSignIn(address, anywhere);
  const refuse = (reason: string) => failedSignIn(address, known.services, { who: known, method: "access", reason });
  if (!accessCounts(read.data, anywhere.now())) throw await refuse("expired");
  const active = members.filter(({ status }) => status !== "suspended");
  if (active.length === 0) throw await refuse("suspended");
  return active;
}

/** @returns what the cookie is to hold */
export async function signInByAccess(
  token: string,
  tenantId: string,
  address: string,
  anywhere: Services,
): Promise<string> {
  const [chosen] = await accessOffers(token, address, anywhere, tenantId);
  if (chosen === undefined) throw await failedSignIn(address, anywhere);
  const { services } = chosen;
  const secret = markSecret(newCode(32), services.database);
  if (await (await services.consoles()).signInByAccess(chosen, await sha256Hex(secret))) return secret;
  throw await failedSignIn(address, services, { who: chosen, method: "access", reason: "suspended" });
}

/** The same for a page that shows what there is; nothing where Access says nothing. */
export async function offersAtDoor(token: string | undefined, address: string, services: Services) {
  return token === undefined ? undefined : attempt(() => accessOffers(token, address, services));
}
