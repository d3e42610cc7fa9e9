/** Sessions: routes of the acts on them, on their turns and messages, and those whose answers aren't one shape. */
import { z } from "zod";
import { sessionActs } from "../../application/sessions/acts.js";
import { ensureSession } from "../../application/sessions/begin-session.js";
import { sessionInput } from "../../application/sessions/own-session.js";
import { readTurnTrace } from "../../application/sessions/read-turn-trace.js";
import { sendMessage, streamMessage } from "../../application/sessions/send-message.js";
import { turnInput } from "../../application/sessions/turn-for.js";
import { isFinal, sendMessageSchema, turnSchema } from "../../chat/session.js";
import { turnTraceSchema } from "../../routing/trace.js";
import { addRoute, routesOf } from "../act-routes.js";
import { actorOf } from "../context.js";
import {
  eventStreamOf,
  eventStreamResponse,
  eventsAnswers,
  eventsDescription,
  eventsQuery,
  eventsResponse,
} from "../events.js";
import { json, jsonBody, route } from "../routing.js";
import { storyType, traceAnswer, traceQuery } from "../trace.js";

const sessionParam = z.object(sessionInput());
const turnParam = z.object(turnInput());

export const sessions = routesOf(sessionActs, {
  beginSession: (router, addDerived) => {
    addDerived();
    addRoute(router, ensureSession);
  },
  sendMessage: (router) =>
    router.openapi(
      route({
        "x-act": "sendMessage",
        method: "post",
        path: "/v1/sessions/{sessionId}/messages",
        tags: ["Turns"],
        summary: "Send a message and get its turn; with `Accept: text/event-stream` its events as they happen",
        description:
          "A turn that has ended within `waitMs`, or waits for an answer, is a 200; one that is queued or still runs is a 202, to be looked up or followed. A stream ends there too. With `follow` both go on through what is waited for, to the end of the turn (JSON for `waitMs`), and the stream of a queued turn brings those before it. Up to 32 messages wait in a session, in order. An `Idempotency-Key` makes sure that a message sent twice is one turn.",
        request: { params: sessionParam, body: jsonBody(sendMessageSchema) },
        responses: {
          200: {
            description: "The turn, or its events",
            content: { "application/json": { schema: turnSchema }, ...eventStreamOf("session") },
          },
          202: json("The turn still runs", turnSchema),
        },
      }),
      async (c) => {
        const message = { ...c.req.valid("param"), ...c.req.valid("json") };
        if (c.req.header("accept")?.includes("text/event-stream") ?? false) {
          return eventStreamResponse(await streamMessage(actorOf(c), message, c.get("services")));
        }
        const turn = await sendMessage(actorOf(c), message, c.get("services"));
        return c.json(turn, isFinal(turn.status) || turn.status === "waiting" ? 200 : 202);
      },
    ),
  readTurnTrace: (router) =>
    router.openapi(
      route({
        "x-act": "readTurnTrace",
        method: "get",
        path: "/v1/sessions/{sessionId}/turns/{turnId}/trace",
        tags: ["Turns"],
        summary:
          "Everything that happened in a turn, and the same as a story (`Accept: text/markdown`, or `?format=markdown`)",
        request: { params: turnParam, query: traceQuery },
        responses: traceAnswer(turnTraceSchema),
      }),
      async (c) => {
        const trace = await readTurnTrace(actorOf(c), c.req.valid("param"), c.get("services"));
        const type = storyType(c, c.req.valid("query").format);
        return type === undefined ? c.json(trace, 200) : c.body(`${trace.story}\n`, 200, { "content-type": type });
      },
    ),
  eraseMessage: (router, addDerived) => {
    addDerived();
    router.openapi(
      route({
        "x-act": "followEvents",
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
  },
});
