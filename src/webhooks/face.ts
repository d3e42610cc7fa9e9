/** Where chat platforms send their events: `/webhooks/{kind}/{connectionId}`. Each is verified, stored, and acknowledged at once. */
import { Hono } from "hono";
import { authenticatePlatform, receiveChannelEvents } from "../application/channels/receive-events.js";
import { ProblemError } from "../conversation/problem.js";
import type { FaceEnv, LoadedFace } from "../http/face.js";
import { describeError, log } from "../platform/logging.js";

/** The most that a body may have, in bytes. */
const maxBodyBytes = 1_000_000;

const address = "/webhooks/:kind{[a-z]{1,20}}/:connectionId{[A-Za-z0-9]{10,100}}";

const routes = new Hono<FaceEnv>();

// A platform that verifies the address asks it with GET.
routes.on(["GET", "POST"], address, async (c) => {
  const { services, requestId, refuse } = c.var;
  try {
    const body = await readLimited(c.req.raw.body);
    if (body === undefined)
      return refuse({ code: "too_large", detail: `A body may have at most ${maxBodyBytes} bytes.` });
    const { kind, connectionId } = c.req.param();
    const request = { method: c.req.method, query: c.req.query(), body, headers: c.req.header() };
    const { actor, ...signed } = await authenticatePlatform({ kind, connectionId, request }, services);
    const answer = await receiveChannelEvents(actor, signed, services);
    const { status = 200, type = "text/plain; charset=utf-8", body: text } = answer;
    return new Response(text ?? null, { status, headers: text === undefined ? {} : { "content-type": type } });
  } catch (error) {
    if (error instanceof ProblemError) return refuse(error.problem);
    // The platform sends it again.
    log("error", "channel.request_failed", { requestId, ...describeError(error) });
    return refuse({ code: "internal", detail: "It could not be stored. Send it again." });
  }
});

export const channelWebhooks: LoadedFace = { routes: [routes] };

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
