/** Who acts. Every act has an actor: faces make it out of what a caller presents, and acts record it with what they change. */
import { z } from "zod";
import { actorKinds, actorRoles } from "../conversation/actor-record.js";
import type { CommandKey } from "../conversation/command-key.js";

export const actorSchema = z.object({
  /** Whose data the actor acts on; {@link deploymentScope} for who runs the deployment. */
  tenantId: z.string(),
  kind: z.enum(actorKinds),
  /** The person's or key's id, the supervisor's name …: what distinguishes actors of one kind. */
  id: z.string(),
  /** What a person or program may do. Actors inside the system have none. */
  role: z.enum(actorRoles).optional(),
  /** The end user on whose behalf it acts, by the application's own name for them. */
  subject: z.string().optional(),
  /** What the tenant's settings let its clients do beyond their role. */
  clientMay: z.array(z.string()).readonly().optional(),
  /** What a token is limited to: one session, some agents. */
  only: z.object({ sessionId: z.string().optional(), agents: z.array(z.string()).readonly().optional() }).optional(),
  /** The key that a token was minted with: it is void without it. */
  mintedBy: z.string().optional(),
  /** When a token was issued; seconds since the epoch. */
  issuedAt: z.number().optional(),
  /** When a token, or the key, expires; milliseconds since the epoch. */
  expiresAt: z.number().optional(),
  /** The tenant's revision when it was authenticated: what is known of the tenant at that revision holds. */
  revision: z.int().optional(),
  /** Of what the tenant has limits, as it was authenticated; unknown of who came another way. */
  measures: z.array(z.string()).readonly().optional(),
  /** The `Idempotency-Key` of the request that it acts by, as it was sent, and the digest of the request. */
  command: z.object({ key: z.string(), hash: z.string() }).optional(),
});
export type Actor = Readonly<z.infer<typeof actorSchema>>;

/** Stands for the tenant of actors that belong to none. No tenant's id is spelled like it. */
export const deploymentScope = "admin";

/** Who holds the deployment's ADMIN_SECRET. */
export const deploymentActor: Actor = { tenantId: deploymentScope, kind: "system", id: "deployment" };

/** Work that the system does for a tenant by itself, such as a job of a queue. */
export function systemActor(tenantId: string, id: string): Actor {
  return { tenantId, kind: "system", id };
}

/** The id of a token's holder: the same for all tokens of a subject. */
export function tokenIdOf(subject: string): string {
  return `tok:${subject}`;
}

/** How an actor is named in the records of what it changed: `key key_01k…`. */
export function authorOf({ kind, id }: Actor): string {
  return `${kind} ${id}`;
}

/** The key of what an actor commands, as the object keeps it that does the work; undefined where the request has none. */
export function commandOf(actor: Actor): CommandKey | undefined {
  const key = ownKey(actor, actor.command?.key);
  return key === undefined || actor.command === undefined ? undefined : { key, hash: actor.command.hash };
}

/**
 * A key under which an actor sends something once: each has keys of its own. A subject may be called with spaces, and a key may have some:
 * without those of the key the last one tells them apart.
 */
export function ownKey({ kind, id }: Actor, key: string | undefined): string | undefined {
  return key === undefined ? undefined : `${kind} ${id} ${key.replaceAll(" ", "%20")}`;
}
