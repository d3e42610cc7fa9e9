/** Where chat platforms send their events: `/webhooks/{kind}/{connectionId}`. Each is verified, stored, and acknowledged at once. */
import {
  authenticatePlatform,
  type PlatformDelivery,
  receiveChannelEvents,
} from "../application/channels/receive-events.js";
import type { Services } from "../application/services.js";
import { type Problem, problemCodes } from "../conversation/problem.js";
import { newId } from "../platform/ids.js";
import { describeError, log } from "../platform/logging.js";

/** The most that a body may have, in bytes. */
const maxBodyBytes = 1_000_000;

const addressPattern = /^\/webhooks\/([a-z]{1,20})\/([A-Za-z0-9]{10,100})$/;

export function isPlatformWebhook(request: Request): boolean {
  return new URL(request.url).pathname.startsWith("/webhooks/");
}

export async function handlePlatformWebhook(request: Request, services: Services): Promise<Response> {
  const requestId = newId("req");
  try {
    const delivery = await readDelivery(request);
    if ("code" in delivery) return problemAnswer(delivery, request.url, requestId);
    const signed = await authenticatePlatform(delivery, services);
    if (!signed.ok) return problemAnswer(signed.problem, request.url, requestId);
    const { actor, ...received } = signed.value;
    const answer = await receiveChannelEvents(actor, received, services);
    if (!answer.ok) return problemAnswer(answer.problem, request.url, requestId);
    const { status = 200, type = "text/plain; charset=utf-8", body } = answer.value;
    return new Response(body ?? null, { status, headers: body === undefined ? {} : { "content-type": type } });
  } catch (error) {
    // The platform sends it again.
    log("error", "channel.request_failed", { requestId, ...describeError(error) });
    return problemAnswer(
      { code: "internal", detail: "It could not be stored. Send it again." },
      request.url,
      requestId,
    );
  }
}

async function readDelivery(request: Request): Promise<PlatformDelivery | Problem> {
  const url = new URL(request.url);
  const [, kind, connectionId] = addressPattern.exec(url.pathname) ?? [];
  if (kind === undefined || connectionId === undefined) {
    return { code: "not_found", detail: "There is no such connection." };
  }
  const body = await readLimited(request.body);
  if (body === undefined) return { code: "too_large", detail: `A body may have at most ${maxBodyBytes} bytes.` };
  const { method } = request;
  const query = Object.fromEntries(url.searchParams);
  return { kind, connectionId, request: { method, query, body, headers: Object.fromEntries(request.headers) } };
}

/** Nothing when it is too long. What isn't UTF-8 doesn't match its signature. */
async function readLimited(stream: ReadableStream<Uint8Array> | null): Promise<string | undefined> {
  const decoder = new TextDecoder();
  let size = 0;
  let text = "";
  for await (const chunk of stream ?? []) {
    size += chunk.byteLength;
    if (size > maxBodyBytes) return undefined;
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

function problemAnswer({ code, detail }: Problem, url: string, requestId: string): Response {
  const status = problemCodes[code];
  const type = new URL(`/docs/errors#${code}`, url).href;
  const body = { type, title: code.replaceAll("_", " "), status, code, detail, requestId };
  return new Response(JSON.stringify(body), { status, headers: { "content-type": "application/problem+json" } });
}
