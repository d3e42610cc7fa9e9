/**
 * How people come in: by a link or a passkey (by Cloudflare Access: `access.ts`). No acts: acts begin with the person that these find. Whoever is refused and known stands
 * in the tenant's audit; who guesses is slowed down.
 */
import { z } from "zod";
import { type ProblemError, problem } from "../../conversation/problem.js";
import { sha256Hex } from "../../platform/digest.js";
import { log } from "../../platform/logging.js";
import { isSignedBy, readAuthenticatorData } from "../../platform/webauthn.js";
import type { Member } from "../../stores/console-store.js";
import type { Actor } from "../../tenancy/actor.js";
import { databaseOfSecret, homeOf, markSecret } from "../../tenancy/home.js";
import { invitationState, type PersonRole, type SignInMethod, sessionCounts } from "../../tenancy/person.js";
import { everywhere, findFrom, servicesAt, servicesOf } from "../home.js";
import type { Services } from "../services.js";
import { newChallenge, openChallenge, type wayInSchema } from "./challenges.js";
import { newCode } from "./invitations.js";

/** Somebody who has signed in. */
export interface SignedIn {
  readonly actor: Actor;
  readonly name: string;
  readonly email: string;
  readonly role: PersonRole;
  readonly tenantName: string;
  readonly sessionHash: string;
  /** Of the database where the tenant lives. */
  readonly services: Services;
}

/** Who has this session; nobody where it has ended. @param secret what the cookie holds */
export async function authenticateSession(
  secret: string,
  anywhere: Services,
  isThere = true,
): Promise<SignedIn | undefined> {
  const sessionHash = await sha256Hex(secret);
  const known = await findFrom([databaseOfSecret(secret), sessionHash], anywhere, async ({ consoles }) =>
    (await consoles()).session(sessionHash),
  );
  if (known === undefined) return undefined;
  const { found, services } = known;
  const { consoles, now } = services;
  if (!sessionCounts(found, now())) return undefined;
  if (isThere) await (await consoles()).touch(sessionHash, found);
  const { tenantId, personId, name, email, role, tenantName, revision } = found;
  return {
    actor: { tenantId, kind: "person", id: personId, role, revision },
    name,
    email,
    role,
    tenantName,
    sessionHash,
    services,
  };
}

/** Wrong tries of one address in a minute that are answered as such. */
const freeTries = 5;

/** Counts a try that failed, and says what to answer. Who comes with what is right is let in whatever others tried. */
export async function failedSignIn(
  address: string,
  services: Services,
  known?: { who: Member; method: SignInMethod; reason: string },
): Promise<ProblemError> {
  const failures = await servicesAt(0, services).readers.failure(`console ${address}`);
  log("warn", "console.refused", {
    ...(known && { tenantId: known.who.tenantId }),
    code: known?.reason ?? "unknown",
    attempts: failures,
  });
  if (failures > freeTries) {
    const retryAfterSeconds = 60 - (Math.floor(services.now() / 1_000) % 60);
    return problem("too_many_requests", "Too many failed tries in a minute. Wait a little.", { retryAfterSeconds });
  }
  if (known !== undefined) await (await services.consoles()).refused(known.who, known.method, known.reason);
  return problem("unauthorized", known?.reason ?? "unknown");
}

/** @returns what the cookie is to hold @throws {ProblemError} whose detail is `unknown`, `used`, `expired` or `suspended` */
export async function signInByLink(code: string, address: string, anywhere: Services): Promise<string> {
  const codeHash = await sha256Hex(code);
  const known = await findFrom([databaseOfSecret(code), codeHash], anywhere, async ({ consoles }) =>
    (await consoles()).invitation(codeHash),
  );
  if (known === undefined) throw await failedSignIn(address, anywhere);
  const { found, services } = known;
  const { expiresAt, usedAt, status } = found;
  const state = invitationState({ expiresAt, usedAt, suspended: status === "suspended" }, services.now());
  if (state !== "usable") throw await failedSignIn(address, services, { who: found, method: "link", reason: state });
  const secret = markSecret(newCode(32), services.database);
  if (await (await services.consoles()).signInByLink(found, codeHash, await sha256Hex(secret))) return secret;
  throw await failedSignIn(address, services, { who: found, method: "link", reason: "used" });
}

const signIn = "sign in";

export function passkeyChallenge(services: Services): Promise<string> {
  return newChallenge(signIn, services);
}

/** A browser gives its keys names of its own, which say nothing of a database: each is asked. */
async function findPasskey(credentialId: string, anywhere: Services) {
  const found = await Promise.all(
    everywhere(anywhere).map(async ({ consoles, database }) => {
      const passkey = await (await consoles()).passkey(credentialId);
      return passkey && homeOf(passkey.tenantId, anywhere.moved) === database ? passkey : undefined;
    }),
  );
  return found.find((one) => one !== undefined);
}

const base64 = z.string().min(1).max(4_000);
export const assertionSchema = z.object({
  challenge: z.string().max(500),
  credentialId: base64,
  clientDataJSON: base64,
  authenticatorData: base64,
  signature: base64,
});

/** @returns what the cookie is to hold */
export async function signInByPasskey(
  sent: z.infer<typeof assertionSchema>,
  { address, at }: { readonly address: string; readonly at: z.infer<typeof wayInSchema> },
  anywhere: Services,
): Promise<string> {
  const passkey = await findPasskey(sent.credentialId, anywhere);
  if (passkey === undefined) throw await failedSignIn(address, anywhere);
  const services = servicesOf(passkey.tenantId, anywhere);
  const { consoles } = services;
  const refuse = (reason: string) => failedSignIn(address, services, { who: passkey, method: "passkey", reason });
  if (passkey.status === "suspended") throw await refuse("suspended");
  if (!(await openChallenge(sent.challenge, signIn, services))) throw await refuse("expired");
  const count = await readAuthenticatorData("webauthn.get", sent, { ...at, challenge: sent.challenge });
  if (count === undefined || !(await isSignedBy(passkey, sent))) throw await refuse("signature");
  // Keys that are copied between devices count nothing: 0 each time. One that counts and didn't go up was copied by somebody else.
  if ((count !== 0 || passkey.signCount !== 0) && count <= passkey.signCount) throw await refuse("count");
  if (!(await (await consoles()).useChallenge(await sha256Hex(sent.challenge)))) throw await refuse("used");
  const secret = markSecret(newCode(32), services.database);
  const used = { credentialId: sent.credentialId, before: passkey.signCount, count };
  if (await (await consoles()).signInByPasskey(passkey, used, await sha256Hex(secret))) return secret;
  throw await refuse("used");
}
