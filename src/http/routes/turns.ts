import { z } from "zod";
import { askShownTo } from "../../asks/ask.js";
import { isFinal, sendMessageSchema, type Turn, turnSchema } from "../../chat/session.js";
import type { EventsQuery } from "../../gateways/root-gateway.js";
import { sha256Hex } from "../../platform/digest.js";
import { newId } from "../../platform/ids.js";
import type { Caller } from "../../stores/tenant-store.js";
import { callerOf, unwrap } from "../context.js";
import { eventStreamOf, eventStreamResponse } from "../events.js";
import { json, jsonBody, newRouter, route } from "../routing.js";
import { sessionParam } from "./sessions.js";

const tags = ["Turns"];
const turnParam = sessionParam.extend({ turnId: z.string().max(100) });

export const turns = newRouter();

turns.openapi(
  route({
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
    const caller = callerOf(c);
    const { sessionId } = c.req.valid("param");
    const { content, waitMs } = c.req.valid("json");
    const { sessions } = c.get("services");
    const streams = c.req.header("accept")?.includes("text/event-stream") ?? false;
    const turn = unwrap(
      await sessions.send(caller.tenantId, sessionId, {
        content,
        // Without a key of the caller's own this request gets one, for our own repetitions.
        idempotencyKey: c.req.header("idempotency-key") ?? newId("req"),
        requestHash: await sha256Hex(content),
        waitMs: streams ? 0 : waitMs,
      }),
    );
    if (streams) {
      const query: EventsQuery = { after: 0, lingerMs: 0, work: turn.turnId };
      return eventStreamResponse("session", await sessions.streamEvents(caller.tenantId, sessionId, query));
    }
    return c.json(showTurn(turn, caller), isFinal(turn.status) || turn.status === "waiting" ? 200 : 202);
  },
);

turns.openapi(
  route({
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
    const caller = callerOf(c);
    const { sessionId, turnId } = c.req.valid("param");
    const { waitMs } = c.req.valid("query");
    const turn = unwrap(await c.get("services").sessions.turn(caller.tenantId, sessionId, turnId, waitMs));
    return c.json(showTurn(turn, caller), 200);
  },
);

turns.openapi(
  route({
    method: "post",
    path: "/v1/sessions/{sessionId}/turns/{turnId}/cancel",
    tags,
    summary: "Cancel a turn that hasn't ended; its open asks are cancelled with it",
    request: { params: turnParam },
    responses: { 200: json("The turn", turnSchema) },
  }),
  async (c) => {
    const caller = callerOf(c);
    const { sessionId, turnId } = c.req.valid("param");
    return c.json(
      showTurn(unwrap(await c.get("services").sessions.cancelTurn(caller.tenantId, sessionId, turnId)), caller),
      200,
    );
  },
);

function showTurn(turn: Turn, caller: Caller): Turn {
  return { ...turn, asks: turn.asks.map((ask) => askShownTo(ask, caller.role)) };
}
