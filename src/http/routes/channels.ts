/** Connections to chat platforms, for operators; and where the platforms send their events, as the document shows it. */
import { z } from "zod";
import {
  deleteChannel,
  retryChannelDelivery,
  rotateChannelAddress,
} from "../../application/channels/change-channels.js";
import { putChannel } from "../../application/channels/put-channel.js";
import { listChannelDeliveries, listChannels, readChannel } from "../../application/channels/read-channels.js";
import {
  channelDeliverySchema,
  channelKinds,
  channelSchema,
  connectionSchema,
  deliveryStatuses,
} from "../../channels/connection.js";
import { genericMessageSchema } from "../../channels/generic-message.js";
import { itemName } from "../../conversation/names.js";
import { actorOf, unwrap } from "../context.js";
import { json, jsonBody, listOf, named, newRouter, pageQuery, route } from "../routing.js";

const tags = ["Channels"];
const nameParam = z.object({ name: itemName });
const channel = named("Channel", channelSchema);
const delivery = named("ChannelDelivery", channelDeliverySchema);

export const channels = newRouter();

channels.openapi(
  route({
    "x-act": "putChannel",
    method: "put",
    path: "/v1/channels/{name}",
    tags,
    summary: "Store a connection to a chat platform: which agent answers there (operators)",
    request: { params: nameParam, body: jsonBody(named("NewChannel", connectionSchema)) },
    responses: { 200: json("Stored", channel), 201: json("Stored for the first time, with its address", channel) },
  }),
  async (c) => {
    const input = { ...c.req.valid("param"), connection: c.req.valid("json") };
    const stored = unwrap(await putChannel(actorOf(c), input, c.get("services")));
    return c.json(stored.channel, stored.created ? 201 : 200);
  },
);

channels.openapi(
  route({
    "x-act": "listChannels",
    method: "get",
    path: "/v1/channels",
    tags,
    summary: "All connections to chat platforms, by name, with their health (operators)",
    request: { query: pageQuery },
    responses: { 200: json("A page of channels", listOf(channel)) },
  }),
  async (c) => c.json(unwrap(await listChannels(actorOf(c), c.req.valid("query"), c.get("services"))), 200),
);

channels.openapi(
  route({
    "x-act": "readChannel",
    method: "get",
    path: "/v1/channels/{name}",
    tags,
    summary: "A connection to a chat platform and its health (operators)",
    request: { params: nameParam },
    responses: { 200: json("The channel", channel) },
  }),
  async (c) => c.json(unwrap(await readChannel(actorOf(c), c.req.valid("param").name, c.get("services"))), 200),
);

channels.openapi(
  route({
    "x-act": "deleteChannel",
    method: "delete",
    path: "/v1/channels/{name}",
    tags,
    summary: "Delete a connection to a chat platform; its sessions stay (operators)",
    request: { params: nameParam },
    responses: { 204: { description: "It is gone, and its address unknown" } },
  }),
  async (c) => {
    unwrap(await deleteChannel(actorOf(c), c.req.valid("param").name, c.get("services")));
    return c.body(null, 204);
  },
);

channels.openapi(
  route({
    "x-act": "rotateChannelAddress",
    method: "post",
    path: "/v1/channels/{name}/rotate",
    tags,
    summary: "Give a connection another address; the former one is unknown at once (operators)",
    request: { params: nameParam },
    responses: { 200: json("The channel with its new address", channel) },
  }),
  async (c) =>
    c.json(unwrap(await rotateChannelAddress(actorOf(c), c.req.valid("param").name, c.get("services"))), 200),
);

channels.openapi(
  route({
    "x-act": "listChannelDeliveries",
    method: "get",
    path: "/v1/channels/{name}/deliveries",
    tags,
    summary: "Messages that could not be delivered at first, newest first, without their texts (operators)",
    request: { params: nameParam, query: pageQuery.extend({ status: z.enum(deliveryStatuses).optional() }) },
    responses: { 200: json("A page of deliveries", listOf(delivery)) },
  }),
  async (c) => {
    const query = { ...c.req.valid("param"), ...c.req.valid("query") };
    return c.json(unwrap(await listChannelDeliveries(actorOf(c), query, c.get("services"))), 200);
  },
);

channels.openapi(
  route({
    "x-act": "retryChannelDelivery",
    method: "post",
    path: "/v1/channels/{name}/deliveries/{deliveryId}/retry",
    tags,
    summary: "Send a parked message again (operators)",
    request: { params: nameParam.extend({ deliveryId: z.string().max(100) }) },
    responses: { 202: { description: "It is on its way" } },
  }),
  async (c) => {
    unwrap(await retryChannelDelivery(actorOf(c), c.req.valid("param"), c.get("services")));
    return c.body(null, 202);
  },
);

// Not served here: src/webhooks reads what each platform sends. The document shows the one body that is our own.
const { middleware: _, ...platformEvents } = route({
  "x-act": "receiveChannelEvents",
  method: "post",
  path: "/webhooks/{kind}/{connectionId}",
  operationId: "receivePlatformEvents",
  tags,
  summary: "Where a chat platform sends its events: the address of a channel",
  security: [],
  request: {
    params: z.object({ kind: z.enum(channelKinds), connectionId: z.string().max(100) }),
    body: jsonBody(named("GenericMessage", genericMessageSchema)),
  },
  responses: {
    200: { description: "Stored; some platforms are answered in their own way" },
    202: { description: "Stored" },
  },
});
channels.openAPIRegistry.registerPath(platformEvents);
