/** Who may tell an agent how to behave: an application may, an end user may not. */
import type { TurnRequest } from "../../chat/turn-request.js";
import { ok, type Result, refuse } from "../../conversation/problem.js";
import type { Actor } from "../../tenancy/actor.js";

/** Instructions stand behind the agent's own; from a browser they would be the end user's word against the application's. */
export function mayInstruct({ role }: Actor, { instructions }: Pick<TurnRequest, "instructions">): Result<void> {
  if (role !== "user" || instructions === undefined) return ok(undefined);
  return refuse(
    "forbidden",
    "A token is an end user's: it sends no instructions and no system or developer messages. They belong into the agent, or come with a key.",
    { errors: [{ path: "instructions", message: "they can't be sent with a token" }] },
  );
}
