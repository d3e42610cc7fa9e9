/** Deletions of connections that were interrupted go on: for the schedule. */
import { removeConversations } from "../removal.js";
import type { Services } from "../services.js";

/** After which time one that isn't finished counts as interrupted, in milliseconds; how many go on at once. */
const interruptedMs = 60_000;
const resumedAtOnce = 20;

export async function resumeRemovals(at: number, services: Services): Promise<void> {
  const begunBefore = at - interruptedMs;
  for (const { tenantId, channelId } of await services.channels.going(begunBefore, resumedAtOnce)) {
    await removeConversations(tenantId, services, channelId);
    await services.channels.removeGoing(tenantId, channelId, begunBefore);
  }
}
