/** What whoever writes of a tenant hears while it goes to another database. */
import { type ProblemError, problem } from "./problem.js";

/** What the databases refuse writes with. It is found in what other objects and D1 make of the error. */
export const movingMark = "tenant_is_moving";

export function tenantIsMoving(): ProblemError {
  return problem("unavailable", "This tenant is being moved to another database. Nothing is lost: send it again.", {
    retryAfterSeconds: 5,
  });
}

/** @throws {ProblemError} while the caller's tenant goes to another database */
export function refuseMoving({ isMoving }: { readonly isMoving: boolean }): void {
  if (isMoving) throw tenantIsMoving();
}
