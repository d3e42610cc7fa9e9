/** What a conversation in a chat sends out: where it is, and what could not be delivered, for D1. */
import type { ChannelPlatform } from "../../src/application/channels/channel-platform.js";
import type { OutboxMessage } from "../kit/outbox-rows.js";
import type { ConversationState } from "./store.js";

/** All or throws. */
export async function deliverFromConversation(
  messages: readonly OutboxMessage[],
  { tenantId, channelId, conversation }: ConversationState,
  platform: ChannelPlatform,
): Promise<void> {
  await platform.deliver({ tenantId, ownerId: `${channelId}/${conversation}`, messages });
}
