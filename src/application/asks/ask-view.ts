/** What an actor sees of asks, and of the turns and runs that show them. */
import { type Answerer, type Ask, askShownTo } from "../../asks/ask.js";
import { recordOf } from "../../conversation/actor-record.js";
import type { Actor } from "../../tenancy/actor.js";
import { authorize } from "../../tenancy/authority.js";

/** As whom an actor answers, cancels and reads asks. */
export function answererOf(actor: Actor): Answerer {
  return { by: recordOf(actor), asStaff: authorize(actor, "answerStaffAsks").ok };
}

/** Proposals and answers are there for those only who may answer the ask. */
export function askFor(actor: Actor, ask: Ask): Ask {
  return askShownTo(ask, answererOf(actor));
}

/** A turn or a run, with its asks as the actor sees them. */
export function withAsksFor<T extends { readonly asks: readonly Ask[] }>(actor: Actor, work: T): T {
  return { ...work, asks: work.asks.map((ask) => askFor(actor, ask)) };
}
