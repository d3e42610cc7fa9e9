/** Refuses to erase what a hold names. To be asked before the first thing goes. */
import { problem } from "../../conversation/problem.js";
import type { HoldStore } from "../../stores/hold-store.js";
import type { Erasable } from "../../tenancy/subjects.js";

interface Holds {
  readonly holds: Pick<HoldStore, "holding">;
}

/** @throws {ProblemError} `on_hold` */
export async function refuseHeld(tenantId: string, erasable: Erasable, { holds }: Holds): Promise<void> {
  if (erasable.subject === undefined && erasable.sessionId === undefined) return;
  refuseFor(await holds.holding(tenantId, erasable));
}

/**
 * The same of a memory and what is in it: holds that name a session of its subject don't keep it.
 * @throws {ProblemError} `on_hold`
 */
export function refuseHeldMemory(
  { tenantId, subject }: { readonly tenantId: string; readonly subject?: string | undefined },
  services: Holds,
): Promise<void> {
  return refuseHeld(tenantId, { subject, sessionId: "" }, services);
}

/** @throws {ProblemError} `on_hold`, where there are any */
export function refuseFor(names: readonly string[]): void {
  if (names.length === 0) return;
  const which = names.map((name) => `"${name}"`).join(", ");
  throw problem(
    "on_hold",
    `Nothing is erased of what the hold ${which} names. An admin can change or delete it: /v1/holds.`,
  );
}
