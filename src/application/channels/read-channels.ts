/** Read connections to chat platforms and their health, and the messages that could not be delivered there. */
import { z } from "zod";
import { channelDeliverySchema, channelSchema } from "../../channels/connection.js";
import { deliveryStatuses } from "../../conversation/delivery.js";
import { itemName } from "../../conversation/names.js";
import { act } from "../act.js";
import { listOf, pageInput, readPage } from "../page.js";
import { channelTag, channelView, findChannel } from "./channel-view.js";

export const readChannel = act("readChannel", {
  role: "operator",
  route: {
    method: "get",
    path: "/v1/channels/{name}",
    tag: channelTag,
    summary: "A connection to a chat platform and its health (operators)",
    answer: "The channel",
  },
  input: () => z.object({ name: itemName }),
  output: () => channelSchema(),
  run: async (actor, { name }, services) => channelView(await findChannel(actor, name, services)),
});

/** By name. */
export const listChannels = act("listChannels", {
  role: "operator",
  route: {
    method: "get",
    path: "/v1/channels",
    tag: channelTag,
    summary: "All connections to chat platforms, by name, with their health (operators)",
    answer: "A page of channels",
  },
  input: () => z.object(pageInput()),
  output: () => listOf(channelSchema()),
  run: async ({ tenantId }, page, { channels }) => {
    const read = async (after = "", limit: number) =>
      Promise.all((await channels.list(tenantId, after, limit)).map(channelView));
    return readPage(page, read, ({ name }) => name);
  },
});

/** Newest first. */
export const listChannelDeliveries = act("listChannelDeliveries", {
  role: "operator",
  route: {
    method: "get",
    path: "/v1/channels/{name}/deliveries",
    tag: channelTag,
    summary: "Messages that could not be delivered at first, newest first, without their texts (operators)",
    answer: "A page of deliveries",
  },
  input: () => z.object({ name: itemName, ...pageInput(), status: z.enum(deliveryStatuses).optional() }),
  output: () => listOf(channelDeliverySchema),
  run: async (actor, { name, status, ...page }, services) => {
    const { tenantId, channelId } = await findChannel(actor, name, services);
    const read = (before: string | undefined, limit: number) =>
      services.channels.deliveries(tenantId, channelId, status, before, limit);
    return readPage(page, read, ({ deliveryId }) => deliveryId);
  },
});
