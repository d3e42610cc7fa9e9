/** Give a connection another address, delete it, and try again what could not be delivered. */
import type { Channel } from "../../channels/connection.js";
import { recordOf } from "../../conversation/actor-record.js";
import { ok, type Result, refuse } from "../../conversation/problem.js";
import { newAddressId } from "../../platform/ids.js";
import type { WorkClaim } from "../../stores/work-claims.js";
import { type Actor, commandOf } from "../../tenancy/actor.js";
import { authorize } from "../../tenancy/authority.js";
import { doOnce } from "../creation.js";
import { removeConversations } from "../removal.js";
import type { Services } from "../services.js";
import { channelView, noChannel } from "./channel-view.js";

/** The former address is unknown from then on: the new one has to be entered at the platform. */
export async function rotateChannelAddress(actor: Actor, name: string, services: Services): Promise<Result<Channel>> {
  const allowed = authorize(actor, "rotateChannelAddress");
  if (!allowed.ok) return allowed;
  const done = { by: recordOf(actor), at: services.now() };
  const rotate = async (claim: WorkClaim | undefined): Promise<Result<void>> =>
    ok(await services.channels.rotate(actor.tenantId, name, newAddressId(), done, claim));
  const rotated = await doOnce(actor, services, rotate, async () => ok(undefined));
  if (!rotated.ok) return rotated;
  const stored = await services.channels.find(actor.tenantId, name);
  return stored === undefined ? noChannel(name) : ok(await channelView(stored));
}

/** Its conversations go too; their sessions stay. */
export async function deleteChannel(actor: Actor, name: string, services: Services): Promise<Result<void>> {
  const allowed = authorize(actor, "deleteChannel");
  if (!allowed.ok) return allowed;
  const remove = (claim: WorkClaim | undefined): Promise<Result<void>> => removeChannel(actor, name, claim, services);
  return doOnce(actor, services, remove, async () => ok(undefined));
}

async function removeChannel(
  actor: Actor,
  name: string,
  claim: WorkClaim | undefined,
  services: Services,
): Promise<Result<void>> {
  const { tenantId } = actor;
  const stored = await services.channels.find(tenantId, name);
  if (stored === undefined) return noChannel(name);
  // From here on nothing comes in that would make another conversation.
  await services.channels.beginRemoval(stored, newAddressId(), { by: recordOf(actor), at: services.now() });
  await removeConversations(tenantId, services, stored.channelId);
  // Last, and with the key: what is interrupted goes on when it comes again.
  return ok(await services.channels.remove(tenantId, stored.channelId, claim));
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
  const isSent = await services.conversations.retry(identity, deliveryId, commandOf(actor));
  return isSent ? ok(undefined) : notParked;
}

const noDelivery = refuse("not_found", "There is no such delivery of this channel.");
const notParked = refuse("conflict", "This delivery isn't parked: it was delivered, or is tried again already.");
