/** Calls workers of teams that are an address. */
import { type CallOrigin, callContext, contextValue } from "../agent/call-context.js";
import { fillHeaders, fillUrl } from "../agent/call-templates.js";
import type { CancelSignal } from "../model/port.js";
import { type OutgoingPolicy, refuseAddress, sendOutgoing } from "../platform/outgoing.js";
import type { HttpWorkerAnswer, HttpWorkerCall } from "../routing/ports.js";
import type { CallSigner } from "./call-signer.js";
import { refusedAddress } from "./tool-builder.js";

export interface WorkerCaller {
  readonly tenantId: string;
  readonly origin: CallOrigin;
  readonly policy: OutgoingPolicy;
  readonly signer: CallSigner;
}

/** Posts a worker at an address its brief. */
export async function callHttpWorker(
  { http, worker, key, body }: HttpWorkerCall,
  signal: CancelSignal,
  { tenantId, origin, policy, signer }: WorkerCaller,
): Promise<HttpWorkerAnswer> {
  const refused = refuseAddress(http.url, policy);
  if (refused !== undefined) throw refusedAddress(refused);
  const contextOf = (name: string): string | undefined => contextValue(origin, name);
  const text = JSON.stringify(body);
  const id = await signer.idOf(tenantId, key);
  const context = { worker, ...callContext(origin, http.context) };
  return sendOutgoing(
    {
      method: "POST",
      url: fillUrl(http.url, {}, contextOf).url,
      headers: {
        accept: "application/json, text/plain;q=0.9",
        "content-type": "application/json",
        "user-agent": "conclave",
        ...fillHeaders(http.headers, contextOf),
        ...(await signer.headers(tenantId, { id, body: text, context, secret: http.secret })),
      },
      body: text,
      timeoutMs: http.timeoutMs,
      signal,
    },
    policy,
  );
}
