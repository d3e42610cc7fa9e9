/** Deliveries of a session or a run that were tried to the end: listed for operators, and sent again. */
import type { ParkedDelivery } from "../../conversation/parked-delivery.js";
import { ok, type Result, refuse } from "../../conversation/problem.js";
import type { Actor } from "../../tenancy/actor.js";
import { authorize } from "../../tenancy/authority.js";
import type { Services } from "../services.js";

/** @param ownerId of the session or the run */
export async function listParkedDeliveries(
  actor: Actor,
  ownerId: string,
  services: Services,
): Promise<Result<readonly ParkedDelivery[]>> {
  const allowed = authorize(actor, "listParkedDeliveries");
  if (!allowed.ok) return allowed;
  const parked = await rootsOf(ownerId, services).parked(actor.tenantId, ownerId);
  return parked === undefined ? noOwner : ok(parked);
}

/** Sends all of them again, in the background. @returns how many there are */
export async function retryParkedDeliveries(
  actor: Actor,
  ownerId: string,
  services: Services,
): Promise<Result<{ readonly retried: number }>> {
  const allowed = authorize(actor, "retryParkedDeliveries");
  if (!allowed.ok) return allowed;
  const retried = await rootsOf(ownerId, services).retryParked(actor.tenantId, ownerId);
  return retried === undefined ? noOwner : ok({ retried });
}

function rootsOf(ownerId: string, { sessions, runs }: Services) {
  return ownerId.startsWith("run_") ? runs : sessions;
}

const noOwner = refuse("not_found", "There is no such session or run.");
