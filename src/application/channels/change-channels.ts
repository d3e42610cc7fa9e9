/** Give a connection another address, delete it, and try again what could not be delivered. */
import { z } from "zod";
import { channelSchema } from "../../channels/connection.js";
import { recordOf } from "../../conversation/actor-record.js";
import { itemName } from "../../conversation/names.js";
import { problem } from "../../conversation/problem.js";
import { newAddressId } from "../../platform/ids.js";
import type { WorkClaim } from "../../stores/work-claims.js";
import { commandOf } from "../../tenancy/actor.js";
import { markAddress } from "../../tenancy/home.js";
import { act } from "../act.js";
import { doOnce } from "../creation.js";
import { removeConversations } from "../removal.js";
import { channelTag, channelView, findChannel } from "./channel-view.js";

/** The former address is unknown from then on: the new one has to be entered at the platform. */
export const rotateChannelAddress = act("rotateChannelAddress", {
  role: "operator",
  route: {
    method: "post",
    path: "/v1/channels/{name}/rotate",
    tag: channelTag,
    summary: "Give a connection another address; the former one is unknown at once (operators)",
    answer: "The channel with its new address",
  },
  input: () => z.object({ name: itemName }),
  output: () => channelSchema(),
  run: async (actor, { name }, services) => {
    const done = { by: recordOf(actor), at: services.now() };
    const rotate = (claim?: WorkClaim) =>
      services.channels.rotate(actor.tenantId, name, markAddress(newAddressId(), services.database), done, claim);
    await doOnce(actor, services, rotate, async () => {});
    return channelView(await findChannel(actor, name, services));
  },
});

/** Its conversations go too; their sessions stay. */
export const deleteChannel = act("deleteChannel", {
  role: "operator",
  route: {
    method: "delete",
    path: "/v1/channels/{name}",
    tag: channelTag,
    summary: "Delete a connection to a chat platform; its sessions stay (operators)",
    answer: "It is gone, and its address unknown",
  },
  input: () => z.object({ name: itemName }),
  run: async (actor, { name }, services) => {
    const { tenantId } = actor;
    const remove = async (claim?: WorkClaim): Promise<void> => {
      const stored = await findChannel(actor, name, services);
      // From here on nothing comes in that would make another conversation.
      await services.channels.beginRemoval(stored, markAddress(newAddressId(), services.database), {
        by: recordOf(actor),
        at: services.now(),
      });
      await removeConversations(tenantId, services, stored.channelId);
      // Last, and with the key: what is interrupted goes on when it comes again.
      await services.channels.remove(tenantId, stored.channelId, claim);
    };
    await doOnce(actor, services, remove, async () => {});
  },
});

/** What was parked is sent again at once, and from then on as any other message. */
export const retryChannelDelivery = act("retryChannelDelivery", {
  role: "operator",
  route: {
    method: "post",
    path: "/v1/channels/{name}/deliveries/{deliveryId}/retry",
    tag: channelTag,
    summary: "Send a parked message again (operators)",
    answer: "It is on its way",
    status: 202,
  },
  input: () => z.object({ name: itemName, deliveryId: z.string().max(100) }),
  run: async (actor, { name, deliveryId }, services) => {
    const { tenantId, channelId } = await findChannel(actor, name, services);
    const delivery = await services.channels.delivery(tenantId, channelId, deliveryId);
    if (delivery === undefined) throw problem("not_found", "There is no such delivery of this channel.");
    const identity = { tenantId, channelId, conversation: delivery.conversation };
    if (await services.conversations.retry(identity, deliveryId, commandOf(actor))) return;
    throw problem("conflict", "This delivery isn't parked: it was delivered, or is tried again already.");
  },
});
