/** Requests to addresses that tenants give: https only, never into a private network, with limits on time and size. */

import { defined } from "../conversation/defined.js";
import type { CancelSignal } from "../model/port.js";
import { trimEndOf } from "../text/edges.js";
import { withDeadline } from "./clock.js";

export class OutgoingError extends Error {
  override readonly name = "OutgoingError";
}

/** It may have been asked, and its answer was not to be had. */
export class UnansweredError extends OutgoingError {}

export interface OutgoingPolicy {
  /** Locally, addresses on the loopback are allowed, and plain http to them. */
  readonly allowLoopback: boolean;
}

export interface OutgoingRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly timeoutMs: number;
  readonly signal?: CancelSignal;
}

export interface OutgoingResponse {
  readonly status: number;
  readonly text: string;
  /** As the receiver sent it. */
  readonly retryAfter?: string | undefined;
}

/** The most that is read of an answer, in bytes. */
export const maxResponseBytes = 1_000_000;

/**
 * Says why an address may not be called; `undefined` when it may.
 * A name that resolves to a private address is refused by the platform itself: Workers can't reach private networks.
 */
export function refuseAddress(address: string, policy: OutgoingPolicy): string | undefined {
  const url = URL.parse(address);
  if (url === null) return "it is not a URL";
  const host = trimEndOf(url.hostname.toLowerCase().replace(/^\[|\]$/g, ""), /\./);
  // The value of a placeholder there would decide where the call goes.
  if (/[{}]|%7[bd]/i.test(host)) return "its host must not hold placeholders";
  const loopback =
    host === "localhost" || host.endsWith(".localhost") || host === "::1" || /^127\.\d+\.\d+\.\d+$/.test(host);
  if (loopback && policy.allowLoopback) return undefined;
  if (url.protocol !== "https:") return "it has to be https";
  if (url.username !== "" || url.password !== "") return "it must not hold credentials; put them into headers";
  if (loopback || isPrivateHost(host)) return "it is a private or local address";
  return undefined;
}

/** URL parsing has brought every spelling of an IPv4 address into dotted form by now. */
function isPrivateHost(host: string): boolean {
  if (host.includes(":"))
    return !/^[23][0-9a-f]{3}:/.test(host) || /^(2001:(0?db8|0{0,4}):|2001::|2002:|3fff:)/.test(host);
  const ipv4 = /^(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(host);
  if (ipv4 === null) return !host.includes(".") || /\.(local|internal|intranet|lan|home|corp|arpa)$/.test(host);
  const [a = 0, b = 0] = ipv4.slice(1).map(Number);
  return (
    a === 0 ||
    a === 10 ||
    a === 127 ||
    a >= 224 ||
    (a === 100 && b >= 64 && b < 128) ||
    (a === 169 && b === 254) ||
    (a === 172 && b >= 16 && b < 32) ||
    (a === 192 && (b === 168 || b === 0)) ||
    (a === 198 && (b === 18 || b === 19 || b === 51)) ||
    (a === 203 && b === 0)
  );
}

/**
 * Sends one request. Redirects are not followed.
 * @throws {OutgoingError} whose message may be shown to the tenant.
 */
export async function sendOutgoing(request: OutgoingRequest, policy: OutgoingPolicy): Promise<OutgoingResponse> {
  return withDeadline(
    request.timeoutMs,
    async (signal) => {
      const { method, headers, body } = request;
      const init = { method, headers, signal, ...defined({ body }) };
      const response = await fetchSafely(request.url, init, policy);
      const retryAfter = response.headers.get("retry-after");
      return {
        status: response.status,
        text: await response.text(),
        ...defined({ retryAfter: retryAfter ?? undefined }),
      };
    },
    request.signal,
  );
}

/**
 * As the global `fetch`, for addresses that tenants give: refused if it isn't safe, without redirects, with a limit on the answer.
 * Time is limited by the signal.
 * @param onTooLarge is called at once when the answer exceeds its limit, for readers that would not notice
 * @throws {OutgoingError} whose message may be shown to the tenant.
 */
export async function fetchSafely(
  url: string | URL,
  init: RequestInit & { readonly signal: AbortSignal },
  policy: OutgoingPolicy,
  onTooLarge?: (error: OutgoingError) => void,
): Promise<Response> {
  const refused = refuseAddress(String(url), policy);
  if (refused !== undefined) throw new OutgoingError(`the address can't be called: ${refused}`);
  const response = await fetchOnce(url, init);
  if (response.status >= 300 && response.status < 400) {
    await response.body?.cancel();
    throw new OutgoingError("it answered with a redirect, which is not followed");
  }
  return response.body === null ? response : new Response(response.body.pipeThrough(limited(onTooLarge)), response);
}

async function fetchOnce(url: string | URL, init: RequestInit & { readonly signal: AbortSignal }): Promise<Response> {
  try {
    return await fetch(url, { ...init, redirect: "manual" });
  } catch (error) {
    if (init.signal.aborted) throw error;
    throw new UnansweredError("it could not be reached", { cause: error });
  }
}

/** Passes on as much as an answer may have, and fails beyond it. */
function limited(onTooLarge?: (error: OutgoingError) => void): TransformStream<Uint8Array, Uint8Array> {
  let size = 0;
  return new TransformStream({
    transform(chunk, controller) {
      size += chunk.byteLength;
      if (size <= maxResponseBytes) return controller.enqueue(chunk);
      const error = new UnansweredError(`its answer is larger than ${maxResponseBytes} bytes`);
      controller.error(error);
      onTooLarge?.(error);
    },
  });
}
