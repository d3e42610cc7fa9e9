/** Asks: the inbox, and what closes them. */
import { z } from "zod";
import { answerAsk } from "../../application/asks/answer-ask.js";
import { cancelAsk } from "../../application/asks/cancel-ask.js";
import { listAsks } from "../../application/asks/list-asks.js";
import { readAsk } from "../../application/asks/read-ask.js";
import { askKinds, askPriorities, askSchema } from "../../asks/ask.js";
import { askSorts } from "../../asks/listing.js";
import { audiences } from "../../asks/policy.js";
import { actorOf, unwrap } from "../context.js";
import { bodyReadLater, json, listOf, newRouter, pageQuery, route } from "../routing.js";

const tags = ["Asks"];
const askParam = z.object({ askId: z.string().max(100) });

export const asks = newRouter();

asks.openapi(
  route({
    "x-act": "listAsks",
    method: "get",
    path: "/v1/asks",
    tags,
    summary: "The tenant's inbox: what waits for a person or for the calling program",
    description: "A copy of what the objects hold, a moment behind them. One ask by its id is always current.",
    request: {
      query: pageQuery.extend({
        status: z.enum(["open", "answered", "expired", "cancelled"]).optional(),
        kind: z.enum(askKinds).optional(),
        /** For the end user, or for staff. */
        audience: z.enum(audiences).optional(),
        /** Of one end user's sessions. */
        subject: z.string().max(200).optional(),
        sessionId: z.string().max(100).optional(),
        runId: z.string().max(100).optional(),
        roundtableId: z.string().max(100).optional(),
        priority: z.enum(askPriorities).optional(),
        /** The oldest, the most urgent, or the one with the nearest deadline first. */
        sort: z.enum(askSorts).default("openedAt"),
      }),
    },
    responses: { 200: json("A page of asks", listOf(askSchema)) },
  }),
  async (c) => c.json(unwrap(await listAsks(actorOf(c), c.req.valid("query"), c.get("services"))), 200),
);

asks.openapi(
  route({
    "x-act": "readAsk",
    method: "get",
    path: "/v1/asks/{askId}",
    tags,
    summary: "One ask",
    request: { params: askParam },
    responses: { 200: json("The ask", askSchema) },
  }),
  async (c) => {
    const { askId } = c.req.valid("param");
    return c.json(unwrap(await readAsk(actorOf(c), askId, c.get("services"))), 200);
  },
);

asks.openapi(
  route({
    "x-act": "answerAsk",
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
    const input = { ...c.req.valid("param"), answer: c.req.valid("json") };
    return c.json(unwrap(await answerAsk(actorOf(c), input, c.get("services"))), 200);
  },
);

asks.openapi(
  route({
    "x-act": "cancelAsk",
    method: "post",
    path: "/v1/asks/{askId}/cancel",
    tags,
    summary:
      "Cancel an ask: the work resumes without an answer; cancelling it again is harmless, what was answered is a 409",
    request: { params: askParam },
    responses: { 200: json("The ask, closed", askSchema) },
  }),
  async (c) => {
    const { askId } = c.req.valid("param");
    return c.json(unwrap(await cancelAsk(actorOf(c), askId, c.get("services"))), 200);
  },
);
