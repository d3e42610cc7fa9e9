/** What an actor sees of asks, and of the turns and runs that show them. */
import { type Ask, askShownTo } from "../../asks/ask.js";
import { type Actor, roleOf } from "../../tenancy/actor.js";

/** Proposals and answers are there for those only who may answer the ask. */
export function askFor(actor: Actor, ask: Ask): Ask {
  return askShownTo(ask, roleOf(actor));
}

/** A turn or a run, with its asks as the actor sees them. */
export function withAsksFor<T extends { readonly asks: readonly Ask[] }>(actor: Actor, work: T): T {
  return { ...work, asks: work.asks.map((ask) => askFor(actor, ask)) };
}
