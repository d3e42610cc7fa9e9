/** What an actor sees of asks, and of the turns and runs that show them. */
import { type Answerer, type Ask, askOwner, mayAnswer } from "../../asks/ask.js";
import { askShownTo } from "../../asks/views.js";
import { recordOf } from "../../conversation/actor-record.js";
import type { EventAudience } from "../../conversation/event.js";
import { need, ok, type Result, refuse } from "../../conversation/problem.js";
import type { Actor } from "../../tenancy/actor.js";
import { authorize } from "../../tenancy/authority.js";
import { permission } from "../act.js";
import type { Services } from "../services.js";
import { ownSession } from "../sessions/own-session.js";

/** What staff is asked: reviews, approvals, questions to staff. */
export const answerStaffAsks = permission("answerStaffAsks", {
  role: "operator",
  clientMay: true,
  reviewers: true,
});

/** As whom an actor answers, cancels and reads asks. */
export function answererOf(actor: Actor): Answerer {
  return { by: recordOf(actor), asStaff: authorize(actor, answerStaffAsks).ok };
}

/** As whom an actor reads what agents asked people. */
export function questionReader(actor: Actor): EventAudience {
  if (actor.role === "user") return "user";
  return authorize(actor, answerStaffAsks).ok ? "operator" : "client";
}

/** Proposals and answers are there for those only who may answer the ask. */
export function askFor(actor: Actor, ask: Ask): Ask {
  return askShownTo(ask, answererOf(actor));
}

/** An end user knows of the asks of their own sessions, and of those of them alone that they may answer. */
export async function ownAsk(actor: Actor, ask: Ask, services: Pick<Services, "sessions">): Promise<Result<void>> {
  if (actor.role !== "user") return ok(undefined);
  const owner = askOwner(ask.askId);
  if (owner === undefined || !owner.startsWith("ses_") || !mayAnswer(ask, answererOf(actor))) return noAsk;
  return (await ownSession(actor, owner, services)).ok ? ok(undefined) : noAsk;
}

/** An ask that an end user is about to close has to be their own; anybody else's object decides. */
export async function needOwnAsk(
  actor: Actor,
  askId: string,
  services: Pick<Services, "sessions" | "asks">,
): Promise<void> {
  if (actor.role !== "user") return;
  need(await ownAsk(actor, need(await services.asks.get(actor.tenantId, askId)), services));
}

const noAsk = refuse("not_found", "There is no such ask.");

/** A turn or a run, with its asks as the actor sees them. */
export function withAsksFor<T extends { readonly asks: readonly Ask[] }>(actor: Actor, work: T): T {
  return { ...work, asks: work.asks.map((ask) => askFor(actor, ask)) };
}
