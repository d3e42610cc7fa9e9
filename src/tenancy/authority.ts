/** Whether an actor may do an act: the wrapper of every act (`src/application/act.ts`) asks here first. */
import { type Role, roles } from "../asks/ask.js";
import { ok, type Result, refuse } from "../conversation/problem.js";
import { type Actor, deploymentScope } from "./actor.js";
import type { Permission } from "./acts.js";

/**
 * Whether an actor may do an act at all, whatever it is about. Acts look after the rest: that what is named belongs to the
 * actor's tenant and, for an end user's token, to its subject; and what of it the actor sees.
 *
 * @example
 * need(authorize(actor, sendTeam));
 */
export function authorize(
  actor: Actor,
  { act, role: needed, clientMay, ofSubject, reviewers }: Permission,
): Result<void> {
  switch (needed) {
    case "deployment":
      return isSystem(actor) && actor.tenantId === deploymentScope ? ok(undefined) : forDeployment;
    case "system":
      return isSystem(actor) && actor.tenantId !== deploymentScope ? ok(undefined) : forSystem;
    case "person":
      return actor.kind === "person" ? ok(undefined) : forPeople;
    case "client":
    case "operator":
    case "admin":
      if (reviewers && actor.role === "reviewer") return ok(undefined);
      if (hasRole(actor, needed) || (ofSubject && actor.role === "user")) return ok(undefined);
      if (clientMay && actor.role === "client" && actor.clientMay?.includes(act)) return ok(undefined);
      return tooLow(actor, needed, clientMay ? act : undefined);
  }
}

/** Whether an actor's role is this one, or one above it. */
function hasRole({ role }: Actor, needed: Role): boolean {
  return role !== undefined && role !== "reviewer" && roles.indexOf(role) >= roles.indexOf(needed);
}

function isSystem({ kind }: Actor): boolean {
  return kind === "system";
}

/** @param widenable the act, where the tenant's settings may allow it to clients */
function tooLow({ role }: Actor, needed: Role, widenable: string | undefined): Result<never> {
  const own = role === undefined ? "this has none" : `yours is of role ${role}`;
  const setting =
    widenable === undefined ? "" : ` An admin can let clients do it: name "${widenable}" in settings.clientMay.`;
  return refuse("forbidden", `This needs a key of role ${needed}; ${own}.${setting}`);
}

const forPeople = refuse("forbidden", "Only people do this, who have signed in at /console.");
const forDeployment = refuse("forbidden", "This needs the deployment's ADMIN_SECRET.");
const forSystem = refuse("forbidden", "Only the system itself does this.");
