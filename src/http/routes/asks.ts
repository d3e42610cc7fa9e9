import { z } from "zod";
import { askKinds, askSchema, askShownTo, mayAnswer } from "../../asks/ask.js";
import { callerOf, unwrap } from "../context.js";
import { problem } from "../problems.js";
import { bodyReadLater, decodeCursor, json, listOf, newRouter, pageOf, pageQuery, route } from "../routing.js";

const tags = ["Asks"];
const askParam = z.object({ askId: z.string().max(100) });

export const asks = newRouter();

asks.openapi(
  route({
    method: "get",
    path: "/v1/asks",
    tags,
    summary: "The tenant's inbox: what waits for a person or for the calling program, oldest first",
    description: "A copy of what the objects hold, a moment behind them. One ask by its id is always current.",
    request: {
      query: pageQuery.extend({
        status: z.enum(["open", "answered", "expired", "cancelled"]).optional(),
        kind: z.enum(askKinds).optional(),
      }),
    },
    responses: { 200: json("A page of asks", listOf(askSchema)) },
  }),
  async (c) => {
    const { tenantId, role } = callerOf(c);
    const { limit, cursor, status, kind } = c.req.valid("query");
    const rows = await c.get("services").index.asks(tenantId, { status, kind }, decodeCursor(cursor) ?? "", limit + 1);
    return c.json(
      pageOf(
        rows,
        limit,
        ({ askId }) => askId,
        (ask) => askShownTo(ask, role),
      ),
      200,
    );
  },
);

asks.openapi(
  route({
    method: "get",
    path: "/v1/asks/{askId}",
    tags,
    summary: "One ask",
    request: { params: askParam },
    responses: { 200: json("The ask", askSchema) },
  }),
  async (c) => {
    const { tenantId, role } = callerOf(c);
    const { askId } = c.req.valid("param");
    return c.json(askShownTo(unwrap(await c.get("services").asks.get(tenantId, askId)), role), 200);
  },
);

asks.openapi(
  route({
    method: "post",
    path: "/v1/asks/{askId}/answer",
    tags,
    summary: "Answer an ask: the first answer wins, the same again is harmless, another is a 409",
    description:
      "human: {response}; context: {result or error, source?}; approval: {decision: once, session or deny}; review: {decision: accept, edit or reject, content with edit}. The work that waits resumes at that very step.",
    request: { params: askParam, body: bodyReadLater("Answer") },
    responses: { 200: json("The ask, closed", askSchema) },
  }),
  async (c) => {
    const { tenantId, role } = callerOf(c);
    const { askId } = c.req.valid("param");
    const ask = unwrap(await c.get("services").asks.answer(tenantId, askId, c.req.valid("json"), role));
    return c.json(askShownTo(ask, role), 200);
  },
);

asks.openapi(
  route({
    method: "post",
    path: "/v1/asks/{askId}/cancel",
    tags,
    summary: "Cancel an ask: the work resumes without an answer",
    request: { params: askParam },
    responses: { 200: json("The ask, closed", askSchema) },
  }),
  async (c) => {
    const { tenantId, role } = callerOf(c);
    const { askId } = c.req.valid("param");
    const { asks: gateway } = c.get("services");
    const ask = unwrap(await gateway.get(tenantId, askId));
    if (!mayAnswer(ask, role)) {
      throw problem("forbidden", `Only a key of role ${ask.answerableBy} or above may cancel this ask.`);
    }
    return c.json(askShownTo(unwrap(await gateway.cancel(tenantId, askId)), role), 200);
  },
);
