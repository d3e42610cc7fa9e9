/** What a handler finds in its request: who calls, and the services. */
import type { Context } from "hono";
import type { Services } from "../application/services.js";
import { type Role, roles } from "../asks/ask.js";
import type { Result } from "../conversation/problem.js";
import type { Caller } from "../stores/tenant-store.js";
import { ProblemError, problem } from "./problems.js";

export interface AppEnv {
  Bindings: Env;
  Variables: {
    requestId: string;
    services: Services;
    /** Set on every route of a tenant. */
    caller?: Caller;
    /** The body's text, once read. */
    bodyText?: string;
  };
}

export function callerOf(c: Context<AppEnv>): Caller {
  const caller = c.get("caller");
  if (caller === undefined) throw problem("unauthorized", "Send a tenant's key as `Authorization: Bearer cnk_…`.");
  return caller;
}

export function hasRole({ role }: Caller, needed: Role): boolean {
  return roles.indexOf(role) >= roles.indexOf(needed);
}

export function demandRole(c: Context<AppEnv>, needed: Role): Caller {
  const caller = callerOf(c);
  if (!hasRole(caller, needed)) {
    throw problem("forbidden", `This needs a key of role ${needed}; yours is of role ${caller.role}.`);
  }
  return caller;
}

/** The value, or the refusal as a problem. */
export function unwrap<T>(result: Result<T>): T {
  if (result.ok) return result.value;
  throw new ProblemError(result.problem);
}
