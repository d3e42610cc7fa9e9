/** Give a connection another address, delete it, and try again what could not be delivered. */
import type { Channel } from "../../channels/connection.js";
import { recordOf } from "../../conversation/actor-record.js";
import { ok, type Result, refuse } from "../../conversation/problem.js";
import { newAddressId } from "../../platform/ids.js";
import type { Actor } from "../../tenancy/actor.js";
import { authorize } from "../../tenancy/authority.js";
import { removeConversations } from "../removal.js";
import type { Services } from "../services.js";
import { channelView, noChannel } from "./channel-view.js";

/** The former address is unknown from then on: the new one has to be entered at the platform. */
export async function rotateChannelAddress(actor: Actor, name: string, services: Services): Promise<Result<Channel>> {
  const allowed = authorize(actor, "rotateChannelAddress");
  if (!allowed.ok) return allowed;
  const done = { by: recordOf(actor), at: services.now() };
  await services.channels.rotate(actor.tenantId, name, newAddressId(), done);
  const stored = await services.channels.find(actor.tenantId, name);
  return stored === undefined ? noChannel(name) : ok(await channelView(stored));
}

/** Its conversations go too; their sessions stay. */
export async function deleteChannel(actor: Actor, name: string, services: Services): Promise<Result<void>> {
  const allowed = authorize(actor, "deleteChannel");
  if (!allowed.ok) return allowed;
  const { tenantId } = actor;
  const stored = await services.channels.find(tenantId, name);
  if (stored === undefined) return noChannel(name);
  // From here on nothing comes in that would make another conversation.
  await services.channels.beginRemoval(stored, newAddressId(), { by: recordOf(actor), at: services.now() });
  await removeConversations(tenantId, services, stored.channelId);
  return ok(await services.channels.remove(tenantId, stored.channelId));
}

/** What was parked is sent again at once, and from then on as any other message. */
export async function retryChannelDelivery(
  actor: Actor,
  { name, deliveryId }: { readonly name: string; readonly deliveryId: string },
  services: Services,
): Promise<Result<void>> {
  const allowed = authorize(actor, "retryChannelDelivery");
  if (!allowed.ok) return allowed;
  const { tenantId } = actor;
  const stored = await services.channels.find(tenantId, name);
  if (stored === undefined) return noChannel(name);
  const { channelId } = stored;
  const delivery = await services.channels.delivery(tenantId, channelId, deliveryId);
  if (delivery === undefined) return noDelivery;
  const identity = { tenantId, channelId, conversation: delivery.conversation };
  return (await services.conversations.retry(identity, deliveryId)) ? ok(undefined) : notParked;
}

const noDelivery = refuse("not_found", "There is no such delivery of this channel.");
const notParked = refuse("conflict", "This delivery isn't parked: it was delivered, or is tried again already.");
