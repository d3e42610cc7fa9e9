/** The events of a root (a session, a run …) over HTTP: server-sent events, or a WebSocket on upgrade. */
import type { Context } from "hono";
import { z } from "zod";
import type { EventSource } from "../gateways/root-gateway.js";
import { type AppEnv, callerOf } from "./context.js";
import { problem } from "./problems.js";

export const eventsQuery = z.object({
  after: z.coerce.number<string>().int().min(0).default(0),
  lingerMs: z.coerce.number<string>().int().min(0).max(60_000).default(15_000),
});

/** What the events route of any root says of itself in the document. */
export const eventsDescription =
  "Events have growing ids; `Last-Event-ID` or `after` resumes behind one. The stream ends when nothing goes on any more (all is done, or waits for an answer) and `lingerMs` has passed; a WebSocket stays.";

export const eventsAnswers = {
  200: { description: "The events", content: { "text/event-stream": { schema: z.string() } } },
  101: { description: "A WebSocket that gets the events as JSON: {id, event, data}" },
} as const;

/** @param kind what there is none of, when there is none: `session`. */
export async function followEvents(
  c: Context<AppEnv>,
  source: EventSource,
  { kind, id }: { kind: string; id: string },
  { after, lingerMs }: z.infer<typeof eventsQuery>,
): Promise<Response> {
  const { tenantId } = callerOf(c);
  if (c.req.header("upgrade")?.toLowerCase() === "websocket") {
    const answer = await source.socket(tenantId, id, c.req.raw);
    if (answer.status === 404) throw noRoot(kind);
    return answer;
  }
  const last = Number(c.req.header("last-event-id") ?? after);
  const from = Number.isSafeInteger(last) && last > 0 ? last : after;
  return eventStreamResponse(kind, await source.streamEvents(tenantId, id, { after: from, lingerMs }));
}

export function eventStreamResponse(kind: string, stream: ReadableStream<Uint8Array> | null): Response {
  if (stream === null) throw noRoot(kind);
  return new Response(stream, {
    headers: { "content-type": "text/event-stream", "cache-control": "no-store", "x-accel-buffering": "no" },
  });
}

function noRoot(kind: string) {
  return problem("not_found", `There is no such ${kind}.`);
}
