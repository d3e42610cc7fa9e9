/** A turn as an actor sees it. */
import type { Turn } from "../../chat/session.js";
import type { Actor } from "../../tenancy/actor.js";
import { hasRole } from "../../tenancy/authority.js";
import { withAsksFor } from "../asks/ask-view.js";

/** Its asks as the actor may read them; why it failed is for operators, because models, tools and workers word it. */
export function turnFor(actor: Actor, turn: Turn): Turn {
  const { failure, ...shown } = withAsksFor(actor, turn);
  return failure !== undefined && hasRole(actor, "operator") ? { ...shown, failure } : shown;
}
