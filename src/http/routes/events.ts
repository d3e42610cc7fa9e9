import { z } from "zod";
import { callerOf } from "../context.js";
import { problem } from "../problems.js";
import { newRouter, route } from "../routing.js";
import { sessionParam } from "./sessions.js";

export const events = newRouter();

events.openapi(
  route({
    method: "get",
    path: "/v1/sessions/{sessionId}/events",
    tags: ["Sessions"],
    summary: "Everything that happened in a session, and happens: server-sent events, or a WebSocket on upgrade",
    description:
      "Events have growing ids; `Last-Event-ID` or `after` resumes behind one. The stream ends when nothing goes on any more (all is done, or waits for an answer) and `lingerMs` has passed; a WebSocket stays.",
    request: {
      params: sessionParam,
      query: z.object({
        after: z.coerce.number<string>().int().min(0).default(0),
        lingerMs: z.coerce.number<string>().int().min(0).max(60_000).default(15_000),
      }),
    },
    responses: {
      200: { description: "The events", content: { "text/event-stream": { schema: z.string() } } },
      101: { description: "A WebSocket that gets the events as JSON: {id, event, data}" },
    },
  }),
  async (c) => {
    const caller = callerOf(c);
    const { sessionId } = c.req.valid("param");
    const { after, lingerMs } = c.req.valid("query");
    const { sessions } = c.get("services");
    if (c.req.header("upgrade")?.toLowerCase() === "websocket") {
      const answer = await sessions.socket(caller.tenantId, sessionId, c.req.raw);
      if (answer.status === 404) throw noSession();
      return answer;
    }
    const last = Number(c.req.header("last-event-id") ?? after);
    const from = Number.isSafeInteger(last) && last > 0 ? last : after;
    const stream = await sessions.streamEvents(caller.tenantId, sessionId, { after: from, lingerMs });
    return eventStreamResponse(stream);
  },
);

export function eventStreamResponse(stream: ReadableStream<Uint8Array> | null): Response {
  if (stream === null) throw noSession();
  return new Response(stream, {
    headers: { "content-type": "text/event-stream", "cache-control": "no-store", "x-accel-buffering": "no" },
  });
}

function noSession() {
  return problem("not_found", "There is no such session.");
}
