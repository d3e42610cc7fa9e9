/**
 * Sessions of one turn that are still there though the turn has ended: nobody called again for the answer to its question, or the Worker
 * died before it could remove them.
 */
import { describeError, log } from "../../platform/logging.js";
import type { Actor } from "../../tenancy/actor.js";
import { removeSession } from "../removal.js";
import type { Services } from "../services.js";
import { maxFollowed } from "./conversation-before.js";

/**
 * How long the outcome of such a turn is kept for its caller, in milliseconds. Housekeeping comes every half an hour: an hour after its end it
 * is gone.
 */
const keptMs = 25 * 60_000;
/** Sessions that one run forgets, at most; the next one goes on. */
const atOnce = 500;

/** @param at milliseconds since the epoch */
export async function forgetStateless(at: number, services: Services): Promise<void> {
  for (const { tenantId, sessionId } of await services.index.endedStateless(at - keptMs, atOnce)) {
    try {
      const session = await services.sessions.describe(tenantId, sessionId);
      // The index is a moment behind: what goes on again is left alone.
      if (!session.ok || session.value.status === "idle") await removeSession(tenantId, sessionId, services);
    } catch (error) {
      // One that can't be removed now doesn't keep the others.
      log("warn", "session.forget_failed", { tenantId, sessionId, ...describeError(error) });
    }
  }
}

/**
 * Sessions of one turn that somebody still goes on from, one after the other: they are kept as long again as from their end. To be
 * called with every response.
 */
export async function keepStateless(
  { tenantId }: Pick<Actor, "tenantId">,
  sessionIds: readonly string[],
  { index, now }: Pick<Services, "index" | "now">,
): Promise<void> {
  await index.renewStateless(tenantId, sessionIds.slice(-maxFollowed), now());
}
