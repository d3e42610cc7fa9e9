/** What was sent to a receiver, what waits and what was given up; and having one tried again. */

import type { WebhookDelivery } from "../../catalogues/webhooks.js";
import { ok, type Result, refuse } from "../../conversation/problem.js";
import type { Actor } from "../../tenancy/actor.js";
import { type Page, type PageRequest, readPage } from "../page.js";
import type { Services } from "../services.js";
import { findWebhook } from "./manage-webhooks.js";

export interface DeliveryQuery extends PageRequest {
  readonly name: string;
  readonly status?: WebhookDelivery["status"] | undefined;
}

/** Newest first. */
export async function listWebhookDeliveries(
  actor: Actor,
  { name, status, ...page }: DeliveryQuery,
  services: Services,
): Promise<Result<Page<WebhookDelivery>>> {
  const webhook = await findWebhook(actor, "listWebhookDeliveries", name, services);
  if (!webhook.ok) return webhook;
  return readPage(
    page,
    (before, limit) => services.webhookDeliveries.deliveries(actor.tenantId, name, status, before, limit),
    ({ deliveryId }) => deliveryId,
  );
}

/** Tries a delivery again at once, whatever became of it; after it, the growing waits begin anew. */
export async function retryWebhookDelivery(
  actor: Actor,
  { name, deliveryId }: { readonly name: string; readonly deliveryId: string },
  services: Services,
): Promise<Result<WebhookDelivery>> {
  const webhook = await findWebhook(actor, "retryWebhookDelivery", name, services);
  if (!webhook.ok) return webhook;
  if (webhook.value.status === "disabled") {
    return refuse("conflict", "This webhook is switched off: its receiver answered 410. PUT it again first.");
  }
  const delivery = await services.webhookDeliveries.again(actor.tenantId, name, deliveryId);
  if (delivery === undefined) return refuse("not_found", "There is no such delivery of this webhook.");
  const rootId = delivery.sessionId ?? delivery.runId ?? delivery.roundtableId ?? "";
  await services.sendWebhookJobs([{ tenantId: actor.tenantId, name, rootId, inMs: 0 }]);
  return ok(delivery);
}
