/** The events of a session. */
import { eventsAnswers, eventsDescription, eventsQuery, eventsResponse } from "../events.js";
import { newRouter, route } from "../routing.js";
import { sessionParam } from "./sessions.js";

export const events = newRouter();

events.openapi(
  route({
    method: "get",
    path: "/v1/sessions/{sessionId}/events",
    tags: ["Sessions"],
    summary: "Everything that happened in a session, and happens: server-sent events, or a WebSocket on upgrade",
    description: eventsDescription,
    request: { params: sessionParam, query: eventsQuery },
    responses: eventsAnswers("session"),
  }),
  (c) => eventsResponse(c, { kind: "session", id: c.req.valid("param").sessionId }, c.req.valid("query")),
);
