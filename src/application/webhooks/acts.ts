/** The acts on webhooks, in the order in which the document lists them. */
import { deliverWebhooks } from "./deliver-webhooks.js";
import { listWebhookDeliveries, retryWebhookDelivery } from "./list-deliveries.js";
import { deleteWebhook, listWebhooks, putWebhook, readWebhook } from "./manage-webhooks.js";
import { testWebhook } from "./test-webhook.js";

export const webhookActs = [
  putWebhook,
  readWebhook,
  listWebhooks,
  deleteWebhook,
  listWebhookDeliveries,
  retryWebhookDelivery,
  testWebhook,
  deliverWebhooks,
];
