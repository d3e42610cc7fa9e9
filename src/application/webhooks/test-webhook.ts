/** Send a receiver a test event, at once and once. */
import { z } from "zod";
import { itemName } from "../../conversation/names.js";
import { sha256Hex } from "../../platform/digest.js";
import { newId } from "../../platform/ids.js";
import { commandOf } from "../../tenancy/actor.js";
import { act } from "../act.js";
import { findWebhook, webhookTag } from "./find-webhook.js";
import { sendWebhook } from "./send-webhook.js";

export const testWebhook = act("testWebhook", {
  role: "operator",
  route: {
    method: "post",
    path: "/v1/webhooks/{name}/test",
    tag: webhookTag,
    summary: "Send the receiver a `webhook.test` event, at once and once (operators)",
    answer: "Whether it took it",
    answerName: "WebhookTest",
  },
  input: () => z.object({ name: itemName }),
  output: () => z.object({ delivered: z.boolean(), failure: z.string().optional() }),
  run: async (actor, { name }, services) => {
    await findWebhook(actor, { name }, services);
    const [webhook] = await services.webhooks.secretsOf(actor.tenantId, name);
    if (webhook === undefined) return { delivered: false, failure: "it was deleted meanwhile" };
    const timestamp = new Date(services.now()).toISOString();
    const content = { type: "webhook.test", timestamp, data: { webhook: name } };
    // Sent again it has the id that its receiver knows it by.
    const command = commandOf(actor);
    const id = command === undefined ? newId("whd") : `whd_${(await sha256Hex(command.key)).slice(0, 26)}`;
    const sent = await sendWebhook(webhook, { id, content }, services);
    return sent.kind === "delivered" ? { delivered: true } : { delivered: false, failure: sent.failure };
  },
});
