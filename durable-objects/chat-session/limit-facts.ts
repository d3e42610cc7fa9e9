/** Whom a session's limits are counted for. */
import { conversationIdentitySchema } from "../../src/gateways/channel-gateway.js";
import type { LimitFacts } from "../../src/tenancy/limits/demand.js";
import type { SessionRecord } from "./store.js";

/** @param keyId the key that the message was sent with, or that its token was minted with */
export function limitFactsOf(
  { tenantId, sessionId, definition: { agent, subject }, conversation: shownIn }: SessionRecord,
  keyId: string | undefined,
): LimitFacts {
  const conversation = shownIn && conversationIdentitySchema.parse(JSON.parse(shownIn)).conversation;
  return { tenantId, keyId, subject, agent, sessionId, conversation };
}
