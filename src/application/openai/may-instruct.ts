/** Who may give an agent instructions beside its own: `system` and `developer` messages, and `instructions` of a response. */
import type { TurnRequest } from "../../chat/turn-request.js";
import { ok, type Result, refuse } from "../../conversation/problem.js";
import type { Actor } from "../../tenancy/actor.js";
import { authorize } from "../../tenancy/authority.js";

/** An end user's token talks to the agent as it is stored: its instructions are the tenant's, and those of its backends. */
export function mayInstruct(actor: Actor, { instructions }: Pick<TurnRequest, "instructions">): Result<void> {
  if (instructions === undefined || authorize(actor, "instructAgent").ok) return ok(undefined);
  return refuse(
    "forbidden",
    "An end user's token can't instruct the agent: leave `system` and `developer` messages and `instructions` out. Store them in the agent, or have your backend send them with its key.",
    { errors: [{ path: "instructions", message: "they can't be sent with a token" }] },
  );
}
