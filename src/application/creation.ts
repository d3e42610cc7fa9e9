/** How acts that make something settle its id before they make it, so that a retry after a crash makes nothing twice. */
import { type ProblemError, problem } from "../conversation/problem.js";
import { sha256Hex } from "../platform/digest.js";
import type { CreationKey } from "../stores/creation-claims.js";
import { KeyTakenError, type WorkClaim } from "../stores/work-claims.js";
import { type Actor, authorOf } from "../tenancy/actor.js";
import type { Services } from "./services.js";

/**
 * The id to make something under: the new one, or the one that this actor's request with this key got before.
 * @throws {ProblemError} where the key came with another request
 */
export async function claimId(
  actor: Actor,
  newId: string,
  request: unknown,
  { claims }: Pick<Services, "claims">,
): Promise<string> {
  const key = await commandedCreation(actor, request);
  if (key === undefined) return newId;
  const claim = await claims.claimKey(key, newId);
  if (claim.kind === "claimed") return claim.id;
  throw claimRefused(claim.kind);
}

/** What an actor's command asks for under its key, as stores tell it from others; undefined where it has none. */
export async function commandedCreation(actor: Actor, request: unknown): Promise<CreationKey | undefined> {
  if (actor.command === undefined) return undefined;
  const hash = await sha256Hex(JSON.stringify(request));
  return { tenantId: actor.tenantId, sender: authorOf(actor), key: actor.command.key, hash };
}

/**
 * Does once, under the key of the actor's command, what one batch of D1 does: the batch claims the key. Without a key it is just done.
 * @param again what a repetition is told; it gets the note that the batch left with the key
 * @param tenantId whose data it is, of who runs the deployment
 * @example
 * doOnce(actor, services, (claim) => stores.remove(name, claim), async () => {});
 */
export async function doOnce<T>(
  actor: Actor,
  { claims, now }: Pick<Services, "claims" | "now">,
  work: (claim: WorkClaim | undefined) => Promise<T>,
  again: (note: string) => Promise<T>,
  tenantId = actor.tenantId,
): Promise<T> {
  const { command } = actor;
  if (command === undefined) return work(undefined);
  const request = { tenantId, sender: authorOf(actor), ...command };
  const before = async (): Promise<{ readonly done: T } | undefined> => {
    const known = await claims.find(request);
    if (known === undefined) return undefined;
    if (known.kind !== "claimed") throw claimRefused(known.kind);
    return { done: await again(known.id.slice("done ".length)) };
  };
  const known = await before();
  if (known !== undefined) return known.done;
  try {
    return await work({ request, at: now() });
  } catch (error) {
    // Sent twice at the same time: the other one was first.
    const meanwhile = error instanceof KeyTakenError ? await before() : undefined;
    if (meanwhile === undefined) throw error;
    return meanwhile.done;
  }
}

/** What a request is told whose key stands for something else. */
export function claimRefused(kind: "other_request" | "deleted"): ProblemError {
  switch (kind) {
    case "other_request":
      return problem("idempotency_conflict", "This Idempotency-Key came with another request before. Use a new key.");
    case "deleted":
      return problem("conflict", "What was made under this Idempotency-Key has been deleted since. Use a new key.");
  }
}

/**
 * Something else has the caller's own id.
 * @param id what has it; left out where the caller may not know of it
 */
export function externalIdTaken(externalId: string, id?: string): ProblemError {
  const [detail, message] =
    id === undefined
      ? [`The externalId "${externalId}" is taken. Use another one.`, "it is taken"]
      : [
          `The externalId "${externalId}" is that of ${id} already. Use that one, or another externalId.`,
          `it belongs to ${id}`,
        ];
  return problem("conflict", detail, { errors: [{ path: "externalId", message }] });
}
