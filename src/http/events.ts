/** The events of a root (a session, a run …) over HTTP: server-sent events, or a WebSocket on upgrade. */
import type { Context } from "hono";
import { z } from "zod";
import { connectToEvents, type EventRoot, followEvents } from "../application/events/follow-events.js";
import { type AppEnv, actorOf, unwrap } from "./context.js";

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

/** The events of a root, in the form that the request asks for. */
export async function eventsResponse(
  c: Context<AppEnv>,
  root: EventRoot,
  { after, lingerMs }: z.infer<typeof eventsQuery>,
): Promise<Response> {
  if (c.req.header("upgrade")?.toLowerCase() === "websocket") {
    return unwrap(await connectToEvents(actorOf(c), { root, request: c.req.raw }, c.get("services")));
  }
  const last = Number(c.req.header("last-event-id") ?? after);
  const query = { after: Number.isSafeInteger(last) && last > 0 ? last : after, lingerMs };
  return eventStreamResponse(unwrap(await followEvents(actorOf(c), { root, query }, c.get("services"))));
}

export function eventStreamResponse(stream: ReadableStream<Uint8Array>): Response {
  return new Response(stream, {
    headers: { "content-type": "text/event-stream", "cache-control": "no-store", "x-accel-buffering": "no" },
  });
}
