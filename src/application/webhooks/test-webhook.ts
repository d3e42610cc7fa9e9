/** Send a receiver a test event, at once and once. */
import { ok, type Result } from "../../conversation/problem.js";
import { sha256Hex } from "../../platform/digest.js";
import { newId } from "../../platform/ids.js";
import { type Actor, commandOf } from "../../tenancy/actor.js";
import type { Services } from "../services.js";
import { findWebhook } from "./manage-webhooks.js";
import { sendWebhook } from "./send-webhook.js";

export async function testWebhook(
  actor: Actor,
  name: string,
  services: Services,
): Promise<Result<{ delivered: boolean; failure?: string }>> {
  const found = await findWebhook(actor, "testWebhook", name, services);
  if (!found.ok) return found;
  const [webhook] = await services.webhooks.secretsOf(actor.tenantId, name);
  if (webhook === undefined) return ok({ delivered: false, failure: "it was deleted meanwhile" });
  const timestamp = new Date(services.now()).toISOString();
  const content = { type: "webhook.test", timestamp, data: { webhook: name } };
  // Sent again it has the id that its receiver knows it by.
  const command = commandOf(actor);
  const id = command === undefined ? newId("whd") : `whd_${(await sha256Hex(command.key)).slice(0, 26)}`;
  const sent = await sendWebhook(webhook, { id, content }, services);
  return ok(sent.kind === "delivered" ? { delivered: true } : { delivered: false, failure: sent.failure });
}
