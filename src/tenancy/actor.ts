/** Who acts. Every act has an actor: faces make it out of what a caller presents, and acts record it with what they change. */
import { z } from "zod";
import { type Role, roles } from "../asks/ask.js";

const actorKinds = ["key", "token", "channel", "supervisor", "agent", "deadline", "system"] as const;

export const actorSchema = z.object({
  /** Whose data the actor acts on; {@link deploymentScope} for who runs the deployment. */
  tenantId: z.string(),
  kind: z.enum(actorKinds),
  /** The key's id, the supervisor's name …: what distinguishes actors of one kind. */
  id: z.string(),
  /** What a person or program may do. Actors inside the system have none. */
  role: z.enum(roles).optional(),
  /** The end user on whose behalf it acts, by the application's own name for them. */
  subject: z.string().optional(),
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

/** How an actor is named in the records of what it changed: `key key_01k…`. */
export function authorOf({ kind, id }: Actor): string {
  return `${kind} ${id}`;
}

/** By which role an actor reads and answers. Without a role of its own it sees what everybody sees. */
export function roleOf({ role }: Actor): Role {
  return role ?? "client";
}
