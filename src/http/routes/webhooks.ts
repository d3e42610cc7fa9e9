/** Webhooks out: subscriptions to events, and what became of what was sent. */
import { z } from "zod";
import { listWebhookDeliveries, retryWebhookDelivery } from "../../application/webhooks/list-deliveries.js";
import { deleteWebhook, listWebhooks, putWebhook, readWebhook } from "../../application/webhooks/manage-webhooks.js";
import { testWebhook } from "../../application/webhooks/test-webhook.js";
import {
  deliveryStatuses,
  webhookDeliverySchema,
  webhookSchema,
  webhookViewSchema,
} from "../../catalogues/webhooks.js";
import { itemName } from "../../conversation/names.js";
import { actorOf, unwrap } from "../context.js";
import { json, jsonBody, listOf, named, newRouter, pageQuery, route } from "../routing.js";

const tags = ["Webhooks"];
const nameParam = z.object({ name: itemName });
const webhookShape = named("Webhook", webhookViewSchema);
const deliveryShape = named("WebhookDelivery", webhookDeliverySchema);
const storedShape = named(
  "StoredWebhook",
  webhookViewSchema.extend({ secret: z.string().optional().describe("Shown once, where it was made here.") }),
);

export const webhooks = newRouter();

webhooks.openapi(
  route({
    "x-act": "putWebhook",
    method: "put",
    path: "/v1/webhooks/{name}",
    tags,
    summary: "Subscribe an address of yours to events, or change the subscription (operators)",
    request: { params: nameParam, body: jsonBody(webhookSchema) },
    responses: { 200: json("It was changed", storedShape), 201: json("It is new", storedShape) },
  }),
  async (c) => {
    const input = { ...c.req.valid("param"), webhook: c.req.valid("json") };
    const { created, webhook } = unwrap(await putWebhook(actorOf(c), input, c.get("services")));
    return created ? c.json(webhook, 201) : c.json(webhook, 200);
  },
);

webhooks.openapi(
  route({
    "x-act": "readWebhook",
    method: "get",
    path: "/v1/webhooks/{name}",
    tags,
    summary: "Read a subscription and how its receiver does (operators)",
    request: { params: nameParam },
    responses: { 200: json("The subscription, without its secret", webhookShape) },
  }),
  async (c) => c.json(unwrap(await readWebhook(actorOf(c), c.req.valid("param").name, c.get("services"))), 200),
);

webhooks.openapi(
  route({
    "x-act": "listWebhooks",
    method: "get",
    path: "/v1/webhooks",
    tags,
    summary: "The tenant's subscriptions, by name (operators)",
    request: { query: pageQuery },
    responses: { 200: json("A page of subscriptions", listOf(webhookShape)) },
  }),
  async (c) => c.json(unwrap(await listWebhooks(actorOf(c), c.req.valid("query"), c.get("services"))), 200),
);

webhooks.openapi(
  route({
    "x-act": "deleteWebhook",
    method: "delete",
    path: "/v1/webhooks/{name}",
    tags,
    summary: "End a subscription; nothing more is sent (operators)",
    request: { params: nameParam },
    responses: { 204: { description: "It is gone" } },
  }),
  async (c) => {
    unwrap(await deleteWebhook(actorOf(c), c.req.valid("param").name, c.get("services")));
    return c.body(null, 204);
  },
);

webhooks.openapi(
  route({
    "x-act": "listWebhookDeliveries",
    method: "get",
    path: "/v1/webhooks/{name}/deliveries",
    tags,
    summary: "What was sent, what waits and what was given up, newest first (operators)",
    request: { params: nameParam, query: pageQuery.extend({ status: z.enum(deliveryStatuses).optional() }) },
    responses: { 200: json("A page of deliveries", listOf(deliveryShape)) },
  }),
  async (c) => {
    const query = { ...c.req.valid("param"), ...c.req.valid("query") };
    return c.json(unwrap(await listWebhookDeliveries(actorOf(c), query, c.get("services"))), 200);
  },
);

webhooks.openapi(
  route({
    "x-act": "retryWebhookDelivery",
    method: "post",
    path: "/v1/webhooks/{name}/deliveries/{deliveryId}/retry",
    tags,
    summary: "Try a delivery again at once (operators)",
    request: { params: nameParam.extend({ deliveryId: z.string().max(100) }) },
    responses: { 200: json("The delivery, which waits to be sent", deliveryShape) },
  }),
  async (c) => c.json(unwrap(await retryWebhookDelivery(actorOf(c), c.req.valid("param"), c.get("services"))), 200),
);

webhooks.openapi(
  route({
    "x-act": "testWebhook",
    method: "post",
    path: "/v1/webhooks/{name}/test",
    tags,
    summary: "Send the receiver a `webhook.test` event, at once and once (operators)",
    request: { params: nameParam },
    responses: {
      200: json(
        "Whether it took it",
        named("WebhookTest", z.object({ delivered: z.boolean(), failure: z.string().optional() })),
      ),
    },
  }),
  async (c) => c.json(unwrap(await testWebhook(actorOf(c), c.req.valid("param").name, c.get("services"))), 200),
);
