/** What an actor gets of a roundtable, and what becomes of a round in which all seats failed. */
import { ok, type Result, refuse } from "../../conversation/problem.js";
import type { Roundtable } from "../../roundtable/roundtable.js";
import type { Actor } from "../../tenancy/actor.js";
import { withAsksFor } from "../asks/ask-view.js";

export function seenBy(actor: Actor, roundtable: Result<Roundtable>): Result<Roundtable> {
  return roundtable.ok ? ok(withAsksFor(actor, roundtable.value)) : roundtable;
}

/** The answer to a command: a round in which all seats failed is none, and an error. */
export function shownTo(actor: Actor, roundtable: Result<Roundtable>): Result<Roundtable> {
  if (!roundtable.ok) return roundtable;
  const { running, error, sessionId } = roundtable.value;
  if (running || error?.code !== "all_seats_failed") return seenBy(actor, roundtable);
  const failures = error.failures ?? [];
  return refuse("all_seats_failed", error.detail, {
    sessionId,
    errors: failures.map(({ agentId, error: why }) => ({ path: agentId, message: why })),
  });
}
