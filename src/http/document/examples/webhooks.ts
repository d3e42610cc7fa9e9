/** Examples of webhooks, by the name of the shape or the operation. */

const at = "2026-11-22T09:30:00.000Z";
const subscription = {
  url: "https://shop.example/conclave",
  events: ["turn.completed", "ask.opened"],
  filter: { agent: "clerk" },
  includeTexts: false,
};
const webhook = { ...subscription, name: "shop", status: "active", createdAt: at, updatedAt: at, lastSuccessAt: at };

export const webhookExamples = {
  "putWebhook request": subscription,
  Webhook: webhook,
  StoredWebhook: { ...webhook, secret: "whsec_…" },
  WebhookDelivery: {
    deliveryId: "whd_01m8072fx3xw2y7q4w92ev76va",
    type: "turn.completed",
    status: "pending",
    attempts: 1,
    sessionId: "ses_01m8072fx3xw2y7q4w92ev76va",
    eventId: 4,
    nextAttemptAt: "2026-11-22T09:30:05.000Z",
    failure: "it answered 503",
    createdAt: at,
    updatedAt: at,
  },
  WebhookTest: { delivered: true },
};
