/** A turn as an actor sees it: why it failed is for operators, asks show what their answerers may see. */
import type { Turn } from "../../chat/session.js";
import type { Actor } from "../../tenancy/actor.js";
import { hasRole } from "../../tenancy/authority.js";
import { withAsksFor } from "../asks/ask-view.js";

export function turnFor(actor: Actor, turn: Turn): Turn {
  const { failure, ...shown } = withAsksFor(actor, turn);
  return failure === undefined || !hasRole(actor, "operator") ? shown : { ...shown, failure };
}
