/**
 * Sessions of one turn that are still there though the turn has ended: nobody called again for the answer to its question, or the Worker
 * died before it could remove them.
 */

import type { SessionGateway } from "../../gateways/session-gateway.js";
import { describeError, log } from "../../platform/logging.js";
import type { SessionIndex } from "../../stores/session-index.js";
import type { Actor } from "../../tenancy/actor.js";
import { type RemovalPorts, removeSession } from "../removal.js";
import type { Services } from "../services.js";
import { maxFollowed } from "./conversation-before.js";

/**
 * How long the outcome of such a turn is kept for its caller, in milliseconds. Housekeeping comes every half an hour: an hour after its end it
 * is gone.
 */
const keptMs = 25 * 60_000;
/** Sessions that one run forgets, at most; the next one goes on. */
const maxAtOnce = 500;

export interface ForgetPorts extends RemovalPorts {
  readonly index: RemovalPorts["index"] & Pick<SessionIndex, "endedStateless" | "renewStateless">;
  readonly sessions: RemovalPorts["sessions"] & Pick<SessionGateway, "describe">;
}

/**
 * Forgets those whose turn ended longest ago.
 * @param at milliseconds since the epoch
 */
export async function forgetStateless(at: number, ports: ForgetPorts, atOnce = maxAtOnce): Promise<void> {
  const { index, sessions } = ports;
  for (const { tenantId, sessionId } of await index.endedStateless(at - keptMs, atOnce)) {
    try {
      const session = await sessions.describe(tenantId, sessionId);
      if (!session.ok || session.value.status === "idle") {
        await removeSession(tenantId, sessionId, ports);
        continue;
      }
      // The index is behind: what goes on again is left alone.
    } catch (error) {
      log("warn", "session.forget_failed", { tenantId, sessionId, ...describeError(error) });
    }
    // It comes again behind all others: however many can't be removed, they don't keep those from it that can.
    await index.renewStateless(tenantId, [sessionId], at);
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
