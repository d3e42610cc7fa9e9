/** Calls workers of teams that are an address. */
import type { CancelSignal } from "../model/port.js";
import { type OutgoingPolicy, sendOutgoing } from "../platform/outgoing.js";
import type { HttpWorkerAnswer, HttpWorkerCall } from "../routing/ports.js";

/** Posts a worker at an address its brief. */
export async function callHttpWorker(
  tenantId: string,
  { http, key, body }: HttpWorkerCall,
  signal: CancelSignal,
  policy: OutgoingPolicy,
): Promise<HttpWorkerAnswer> {
  return sendOutgoing(
    {
      method: "POST",
      url: http.url,
      headers: {
        accept: "application/json, text/plain;q=0.9",
        "content-type": "application/json",
        "user-agent": "conclave",
        "idempotency-key": `${tenantId}.${key}`,
        ...http.headers,
      },
      body: JSON.stringify(body),
      timeoutMs: http.timeoutMs,
      ...(signal instanceof AbortSignal ? { signal } : {}),
    },
    policy,
  );
}
