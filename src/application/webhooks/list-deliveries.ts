/** What was sent to a receiver, what waits and what was given up; and having one tried again. */
import { z } from "zod";
import { webhookDeliverySchema } from "../../catalogues/webhooks.js";
import { deliveryStatuses } from "../../conversation/delivery.js";
import { itemName } from "../../conversation/names.js";
import { problem } from "../../conversation/problem.js";
import { act } from "../act.js";
import { listOf, pageInput, readPage } from "../page.js";
import { findWebhook, webhookTag } from "./find-webhook.js";

/** Newest first. */
export const listWebhookDeliveries = act("listWebhookDeliveries", {
  role: "operator",
  route: {
    method: "get",
    path: "/v1/webhooks/{name}/deliveries",
    tag: webhookTag,
    summary: "What was sent, what waits and what was given up, newest first (operators)",
    answer: "A page of deliveries",
  },
  input: () => z.object({ name: itemName, ...pageInput(), status: z.enum(deliveryStatuses).optional() }),
  output: () => listOf(webhookDeliverySchema),
  run: async (actor, { name, status, ...page }, services) => {
    await findWebhook(actor, { name }, services);
    const read = (before: string | undefined, limit: number) =>
      services.webhookDeliveries.deliveries(actor.tenantId, name, status, before, limit);
    return readPage(page, read, ({ deliveryId }) => deliveryId);
  },
});

/** Tries a delivery again at once, whatever became of it; after it, the growing waits begin anew. */
export const retryWebhookDelivery = act("retryWebhookDelivery", {
  role: "operator",
  route: {
    method: "post",
    path: "/v1/webhooks/{name}/deliveries/{deliveryId}/retry",
    tag: webhookTag,
    summary: "Try a delivery again at once (operators)",
    answer: "The delivery, which waits to be sent",
  },
  input: () => z.object({ name: itemName, deliveryId: z.string().max(100) }),
  output: () => webhookDeliverySchema,
  run: async (actor, { name, deliveryId }, services) => {
    const { tenantId } = actor;
    if ((await findWebhook(actor, { name }, services)).status === "disabled") {
      throw problem("conflict", "This webhook is switched off: its receiver answered 410. PUT it again first.");
    }
    const delivery = await services.webhookDeliveries.again(tenantId, name, deliveryId);
    if (delivery === undefined) throw problem("not_found", "There is no such delivery of this webhook.");
    const rootId = delivery.sessionId ?? delivery.runId ?? delivery.roundtableId ?? "";
    await services.sendWebhookJobs([{ tenantId, name, rootId, inMs: 0 }]);
    return delivery;
  },
});
