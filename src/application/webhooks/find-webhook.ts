/** How acts on a subscription find it: it is its tenant's, or there is none. */
import type { WebhookView } from "../../catalogues/webhooks.js";
import { type ProblemError, problem } from "../../conversation/problem.js";
import type { Actor } from "../../tenancy/actor.js";
import type { Services } from "../services.js";

export const webhookTag = "Webhooks";

export async function findWebhook(
  { tenantId }: Actor,
  { name }: { readonly name: string },
  { webhooks }: Pick<Services, "webhooks">,
): Promise<WebhookView> {
  const webhook = await webhooks.get(tenantId, name);
  if (webhook === undefined) throw noWebhook();
  return webhook;
}

export function noWebhook(): ProblemError {
  return problem("not_found", "There is no such webhook.");
}
