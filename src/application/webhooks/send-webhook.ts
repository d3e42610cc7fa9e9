/** One try at a receiver: signed, with a time limit. */
import type { DeliveryOutcome } from "../../conversation/delivery.js";
import { log } from "../../platform/logging.js";
import { OutgoingError, type OutgoingPolicy, sendOutgoing, UnansweredError } from "../../platform/outgoing.js";
import { signWebhook } from "../../platform/webhook-signature.js";
import type { StoredWebhook } from "../../stores/webhook-store.js";

/** How long a receiver may take, in milliseconds. */
const timeoutMs = 10_000;
/** It said that it is gone for good. */
const gone = 410;

/** Refused is what a receiver answers that wants no more, ever. @param id the same over all tries of one delivery */
export async function sendWebhook(
  { url, secrets }: Pick<StoredWebhook, "url" | "secrets">,
  { id, content }: { readonly id: string; readonly content: Readonly<Record<string, unknown>> },
  { policy, now }: { readonly policy: OutgoingPolicy; readonly now: () => number },
): Promise<DeliveryOutcome> {
  const body = JSON.stringify(content);
  const signed = await signWebhook({ id, at: now(), body }, secrets);
  const headers = { "content-type": "application/json", "user-agent": "conclave", ...signed };
  try {
    const { status } = await sendOutgoing({ method: "POST", url, headers, body, timeoutMs }, policy);
    if (status >= 200 && status < 300) return { kind: "delivered" };
    if (status === gone) return { kind: "refused", failure: "it answered 410: it wants no more" };
    return { kind: "failed", failure: `it answered ${status}` };
  } catch (error) {
    if (error instanceof UnansweredError) return { kind: "uncertain", failure: error.message };
    if (error instanceof OutgoingError) return { kind: "failed", failure: error.message };
    log("info", "webhook.failed", { code: "timeout" });
    return { kind: "uncertain", failure: `it gave no answer within ${timeoutMs / 1_000} s` };
  }
}
