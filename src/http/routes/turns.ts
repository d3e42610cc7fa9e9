/** Turns: a message is sent and becomes one; it is read, waited for, followed, cancelled. */
import { z } from "zod";
import { cancelTurn } from "../../application/sessions/cancel-turn.js";
import { readTurn } from "../../application/sessions/read-turn.js";
import { readTurnTrace } from "../../application/sessions/read-turn-trace.js";
import { sendMessage, streamMessage } from "../../application/sessions/send-message.js";
import { isFinal, sendMessageSchema, turnSchema } from "../../chat/session.js";
import { turnTraceSchema } from "../../routing/trace.js";
import { actorOf, unwrap } from "../context.js";
import { eventStreamOf, eventStreamResponse } from "../events.js";
import { json, jsonBody, newRouter, route } from "../routing.js";
import { storyType, traceAnswer, traceQuery } from "../trace.js";
import { sessionParam } from "./sessions.js";

const tags = ["Turns"];
const turnParam = sessionParam.extend({ turnId: z.string().max(100) });

export const turns = newRouter();

turns.openapi(
  route({
    "x-act": "sendMessage",
    method: "post",
    path: "/v1/sessions/{sessionId}/messages",
    tags,
    summary: "Send a message and get its turn; with `Accept: text/event-stream` its events as they happen",
    description:
      "A turn that has ended within `waitMs`, or waits for an answer, is a 200; one that still runs is a 202, to be looked up or followed. Up to 32 messages wait in a session, in order. An `Idempotency-Key` makes sure that a message sent twice is one turn.",
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
    const message = {
      ...c.req.valid("param"),
      ...c.req.valid("json"),
      idempotencyKey: c.req.header("idempotency-key"),
    };
    if (c.req.header("accept")?.includes("text/event-stream") ?? false) {
      return eventStreamResponse(unwrap(await streamMessage(actorOf(c), message, c.get("services"))));
    }
    const turn = unwrap(await sendMessage(actorOf(c), message, c.get("services")));
    return c.json(turn, isFinal(turn.status) || turn.status === "waiting" ? 200 : 202);
  },
);

turns.openapi(
  route({
    "x-act": "readTurn",
    method: "get",
    path: "/v1/sessions/{sessionId}/turns/{turnId}",
    tags,
    summary: "One turn, as it is now; `waitMs` waits for it to end",
    request: {
      params: turnParam,
      query: z.object({ waitMs: z.coerce.number<string>().int().min(0).max(300_000).default(0) }),
    },
    responses: { 200: json("The turn", turnSchema) },
  }),
  async (c) => {
    const query = { ...c.req.valid("param"), ...c.req.valid("query") };
    return c.json(unwrap(await readTurn(actorOf(c), query, c.get("services"))), 200);
  },
);

turns.openapi(
  route({
    "x-act": "readTurnTrace",
    method: "get",
    path: "/v1/sessions/{sessionId}/turns/{turnId}/trace",
    tags,
    summary:
      "Everything that happened in a turn, and the same as a story (`Accept: text/markdown`, or `?format=markdown`)",
    request: { params: turnParam, query: traceQuery },
    responses: traceAnswer(turnTraceSchema),
  }),
  async (c) => {
    const trace = unwrap(await readTurnTrace(actorOf(c), c.req.valid("param"), c.get("services")));
    const type = storyType(c, c.req.valid("query").format);
    return type === undefined ? c.json(trace, 200) : c.body(`${trace.story}\n`, 200, { "content-type": type });
  },
);

turns.openapi(
  route({
    "x-act": "cancelTurn",
    method: "post",
    path: "/v1/sessions/{sessionId}/turns/{turnId}/cancel",
    tags,
    summary: "Cancel a turn that hasn't ended; its open asks are cancelled with it",
    request: { params: turnParam },
    responses: { 200: json("The turn", turnSchema) },
  }),
  async (c) => c.json(unwrap(await cancelTurn(actorOf(c), c.req.valid("param"), c.get("services"))), 200),
);
