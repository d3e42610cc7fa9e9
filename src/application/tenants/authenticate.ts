/** Who presents a secret: a tenant's key, an end user's token, or the deployment's own secret. Not an act: acts begin with the actor that this gives. */
import { defined } from "../../conversation/defined.js";
import { refuseMoving } from "../../conversation/moving.js";
import { attempt, type Problem, problem } from "../../conversation/problem.js";
import { equalInConstantTime } from "../../platform/digest.js";
import { describeError, log } from "../../platform/logging.js";
import { isToken } from "../../platform/token-signer.js";
import type { Caller } from "../../stores/caller-store.js";
import { type Actor, deploymentActor, tokenIdOf } from "../../tenancy/actor.js";
import { databaseOf } from "../../tenancy/home.js";
import { tokenCounts } from "../../tenancy/user-token.js";
import { findFrom, servicesOf } from "../home.js";
import { takeOf } from "../limits/take.js";
import type { Services } from "../services.js";
import { isLongEnough, leastSecretLength } from "../system/check-health.js";

export interface Authenticated {
  readonly actor: Actor;
  /** Of the database where the actor's tenant lives. */
  readonly services: Services;
  /** The origins of pages that may read the answer. */
  readonly corsOrigins: readonly string[];
  /** What goes on beside the request: noting that the key is used, once an hour. */
  readonly beside?: Promise<void>;
}

const hourMs = 3_600_000;
/** Keys that this isolate has noted as used, with the hour: the row says it a moment later. */
const notedHours = new Map<string, number>();
const mostNoted = 10_000;

/**
 * The holder of a tenant's key, or of a token; nobody when it isn't valid, has expired, or was deleted or revoked.
 * @param takesGrants whether tokens of programs that people let in count there
 * @throws {ProblemError} to the holder of a key that has expired
 * @throws {ProblemError} where a limit of requests is reached
 */
export async function authenticateCaller(
  presented: string,
  services: Services,
  takesGrants = false,
): Promise<Authenticated | undefined> {
  const known = await knownCaller(presented, services, takesGrants);
  if (known === undefined) return undefined;
  const { caller, ...authenticated } = known;
  await takeOf(known.actor, { requests: 1 }, {}, known.services);
  return { ...authenticated, ...defined({ beside: caller && noteUse(caller, known.services) }) };
}

/** Whether what was presented lets the same caller in still. It is no request of theirs, and counts as none. */
export async function isStillLetIn(presented: string, { id }: Actor, services: Services): Promise<boolean> {
  const known = await attempt(() => knownCaller(presented, services));
  return known.ok && known.value?.actor.id === id;
}

type Known = Omit<Authenticated, "beside"> & { readonly caller?: Caller };

async function knownCaller(presented: string, anywhere: Services, takesGrants = false): Promise<Known | undefined> {
  if (isToken(presented)) return tokenHolder(presented, anywhere);
  if (presented.startsWith("cno_"))
    return takesGrants ? (await import("../grants/access-token.js")).grantHolder(presented, anywhere) : undefined;
  const database = databaseOf(presented);
  // A key of no database of ours is nobody's.
  const known = await findFrom([database, presented.slice(0, presented.lastIndexOf("_"))], anywhere, ({ callers }) =>
    callers.authenticate(presented),
  );
  if (known === undefined) return undefined;
  const { found: caller, services } = known;
  refuseMoving(caller);
  const { tenantId, keyId, role, clientMay, corsOrigins, revision, measures, expiresAt } = caller;
  if (expiresAt !== undefined && expiresAt <= services.now()) {
    const at = new Date(expiresAt).toISOString();
    throw problem("unauthorized", `This key expired at ${at}. An admin of the tenant makes another: POST /v1/keys.`);
  }
  const widened = role === "client" && clientMay.length > 0 ? { clientMay } : {};
  const actor: Actor = {
    tenantId,
    kind: "key",
    id: keyId,
    role,
    ...widened,
    revision,
    measures,
    ...defined({ expiresAt }),
  };
  return { actor, services, corsOrigins, caller };
}

function noteUse({ tenantId, keyId, lastUsedAt = 0 }: Caller, { callers, now }: Services): Promise<void> | undefined {
  const hour = Math.floor(now() / hourMs) * hourMs;
  if (lastUsedAt >= hour || notedHours.get(keyId) === hour) return undefined;
  if (notedHours.size >= mostNoted) notedHours.clear();
  notedHours.set(keyId, hour);
  return callers.noteUse(keyId, hour).catch((error: unknown) => {
    notedHours.delete(keyId);
    log("warn", "key.use_not_noted", { tenantId, ...describeError(error) });
  });
}

async function tokenHolder(presented: string, anywhere: Services): Promise<Known | undefined> {
  const claims = await anywhere.tokens.read(presented);
  if (claims === undefined) return undefined;
  const services = servicesOf(claims.tenantId, anywhere);
  const { callers, now } = services;
  const { tenantId, subject, mintedBy, sessionId, agents, issuedAt, expiresAt } = claims;
  const ground = await callers.tokenGround(tenantId, mintedBy, subject);
  if (ground === undefined || !tokenCounts(claims, now(), ground.revokedAt)) return undefined;
  refuseMoving(ground);
  const until = Math.min(expiresAt * 1_000, ground.expiresAt ?? Number.POSITIVE_INFINITY);
  if (until <= now()) return undefined;
  const actor: Actor = {
    tenantId,
    kind: "token",
    id: tokenIdOf(subject),
    role: "user",
    subject,
    mintedBy,
    issuedAt,
    revision: ground.revision,
    measures: ground.measures,
    only: defined({ sessionId, agents }),
    expiresAt: until,
  };
  return { actor, services, corsOrigins: ground.corsOrigins };
}

/** Wrong guesses of one address in a minute that are answered as such. */
const freeGuesses = 5;

/**
 * Who runs the deployment, by its ADMIN_SECRET. Whoever presents it is never locked out: the secret is too long to be guessed, and
 * counting wrong ones is there to show that somebody tries, and to turn them away.
 * @param address from where it is presented
 */
export async function authenticateDeployment(
  presented: string,
  address: string,
  { adminSecret, readers, now }: Services,
): Promise<Actor | Problem> {
  if (!isLongEnough(adminSecret)) return tooShort;
  if (await equalInConstantTime(presented, adminSecret)) return deploymentActor;
  // A tenant's key in the wrong place is no guess.
  if (/^cn[kt]_/.test(presented)) return notTheSecret;
  const failures = await readers.failure(address);
  log("warn", "admin.refused", {
    code: failures > freeGuesses ? "too_many_requests" : "unauthorized",
    attempts: failures,
  });
  if (failures <= freeGuesses) return notTheSecret;
  const retryAfterSeconds = 60 - (Math.floor(now() / 1_000) % 60);
  return {
    code: "too_many_requests",
    detail: "Too many wrong secrets in a minute. Wait, then send the right one.",
    retryAfterSeconds,
  };
}

const notTheSecret: Problem = {
  code: "unauthorized",
  detail: "Send the deployment's ADMIN_SECRET as `Authorization: Bearer …`.",
};
const tooShort: Problem = {
  code: "unavailable",
  detail: `This deployment's ADMIN_SECRET has fewer than ${leastSecretLength} characters. Whoever runs it has to set a longer one.`,
};
