/** How acts that make something settle its id before they make it, so that a retry after a crash makes nothing twice. */
import { ok, type Result, refuse } from "../conversation/problem.js";
import { sha256Hex } from "../platform/digest.js";
import type { CreationKey } from "../stores/creation-claims.js";
import { KeyTakenError, type WorkClaim } from "../stores/work-claims.js";
import { type Actor, authorOf } from "../tenancy/actor.js";
import type { Services } from "./services.js";

/** What was asked for, under which key: two requests with one key have to be alike. */
export interface KeyedCreation {
  readonly request: unknown;
  readonly idempotencyKey?: string | undefined;
}

/** The id to make something under: the new one, or the one that this actor's request with this key got before. */
export async function claimId(
  actor: Actor,
  newId: string,
  { request, idempotencyKey }: KeyedCreation,
  { claims }: Pick<Services, "claims">,
): Promise<Result<string>> {
  if (idempotencyKey === undefined) return ok(newId);
  const claim = await claims.claimKey(await creationKey(actor, { request, idempotencyKey }), newId);
  return claim.kind === "claimed" ? ok(claim.id) : claimRefused(claim.kind);
}

/** A request under its key, as stores tell it from others. */
export async function creationKey(
  actor: Actor,
  { request, idempotencyKey }: { readonly request: unknown; readonly idempotencyKey: string },
): Promise<CreationKey> {
  const hash = await sha256Hex(JSON.stringify(request));
  return { tenantId: actor.tenantId, sender: authorOf(actor), key: idempotencyKey, hash };
}

/**
 * Does once, under the key of the actor's command, what one batch of D1 does: the batch claims the key. Without a key it is just done.
 * @param again what a repetition is told; it gets the note that the batch left with the key
 * @param tenantId whose data it is, of who runs the deployment
 * @example
 * doOnce(actor, services, (claim) => stores.remove(name, claim), async () => ok(undefined));
 */
export async function doOnce<T>(
  actor: Actor,
  { claims, now }: Pick<Services, "claims" | "now">,
  work: (claim: WorkClaim | undefined) => Promise<Result<T>>,
  again: (note: string) => Promise<Result<T>>,
  tenantId = actor.tenantId,
): Promise<Result<T>> {
  const { command } = actor;
  if (command === undefined) return work(undefined);
  const request = { tenantId, sender: authorOf(actor), ...command };
  const before = async (): Promise<Result<T> | undefined> => {
    const known = await claims.find(request);
    if (known === undefined) return undefined;
    return known.kind === "claimed" ? again(known.id.slice("done ".length)) : claimRefused(known.kind);
  };
  const known = await before();
  if (known !== undefined) return known;
  try {
    return await work({ request, at: now() });
  } catch (error) {
    // Sent twice at the same time: the other one was first.
    const meanwhile = error instanceof KeyTakenError ? await before() : undefined;
    if (meanwhile === undefined) throw error;
    return meanwhile;
  }
}

/** What a request is told whose key stands for something else. */
export function claimRefused(kind: "other_request" | "deleted"): Result<never> {
  switch (kind) {
    case "other_request":
      return refuse("idempotency_conflict", "This Idempotency-Key came with another request before. Use a new key.");
    case "deleted":
      return refuse("conflict", "What was made under this Idempotency-Key has been deleted since. Use a new key.");
  }
}

/**
 * Something else has the caller's own id.
 * @param id what has it; left out where the caller may not know of it
 */
export function externalIdTaken(externalId: string, id?: string): Result<never> {
  const [detail, message] =
    id === undefined
      ? [`The externalId "${externalId}" is taken. Use another one.`, "it is taken"]
      : [
          `The externalId "${externalId}" is that of ${id} already. Use that one, or another externalId.`,
          `it belongs to ${id}`,
        ];
  return refuse("conflict", detail, { errors: [{ path: "externalId", message }] });
}
