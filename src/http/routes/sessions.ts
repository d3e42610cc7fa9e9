/** Sessions: begun, listed, read, deleted, and what their supervisors decided. */
import { z } from "zod";
import { beginSession, ensureSession } from "../../application/sessions/begin-session.js";
import { changeSession } from "../../application/sessions/change-session.js";
import { deleteSession } from "../../application/sessions/delete-session.js";
import { listSessions } from "../../application/sessions/list-sessions.js";
import { readSession } from "../../application/sessions/read-session.js";
import { readSupervision } from "../../application/sessions/read-supervision.js";
import {
  newSessionSchema,
  passViewSchema,
  sessionChangeSchema,
  sessionSchema,
  sessionStatuses,
} from "../../chat/session.js";
import { externalIdSchema, itemName, subjectSchema } from "../../conversation/names.js";
import { actorOf, unwrap } from "../context.js";
import { metadataFilter } from "../query.js";
import { json, jsonBody, listOf, newRouter, pageQuery, route } from "../routing.js";

const tags = ["Sessions"];
export const sessionParam = z.object({ sessionId: z.string().max(100) });

export const sessions = newRouter();

sessions.openapi(
  route({
    "x-act": "beginSession",
    method: "post",
    path: "/v1/sessions",
    tags,
    summary: "Begin a session with an agent",
    request: { body: jsonBody(newSessionSchema) },
    responses: { 201: json("The session", sessionSchema) },
  }),
  async (c) => {
    const input = { definition: c.req.valid("json"), idempotencyKey: c.req.header("idempotency-key") };
    const session = unwrap(await beginSession(actorOf(c), input, c.get("services")));
    c.header("location", `/v1/sessions/${session.sessionId}`);
    return c.json(session, 201);
  },
);

sessions.openapi(
  route({
    "x-act": "beginSession",
    method: "put",
    path: "/v1/sessions/by-external-id/{externalId}",
    tags,
    summary: "The session that has your own id: the one there is, or a new one",
    description: "However many ask at the same time, one session is made. Of one that is there nothing is changed.",
    request: { params: z.object({ externalId: externalIdSchema }), body: jsonBody(newSessionSchema) },
    responses: { 200: json("The one there is", sessionSchema), 201: json("A new one", sessionSchema) },
  }),
  async (c) => {
    const input = { ...c.req.valid("param"), definition: c.req.valid("json") };
    const { session, created } = unwrap(await ensureSession(actorOf(c), input, c.get("services")));
    c.header("location", `/v1/sessions/${session.sessionId}`);
    return c.json(session, created ? 201 : 200);
  },
);

const sessionsQuery = pageQuery
  .extend({
    agent: itemName.optional(),
    status: z.enum(sessionStatuses).optional(),
    subject: subjectSchema.optional(),
    externalId: externalIdSchema.optional(),
    updatedAfter: z.iso.datetime({ offset: true }).optional(),
  })
  .catchall(z.string());

sessions.openapi(
  route({
    "x-act": "listSessions",
    method: "get",
    path: "/v1/sessions",
    tags,
    summary: "The tenant's sessions, newest first",
    description:
      "A copy of what the sessions hold, a moment behind them; one session by its id is always current. `metadata.x=y` finds those whose metadata has `y` under `x`.",
    request: { query: sessionsQuery },
    responses: { 200: json("A page of sessions", listOf(sessionSchema)) },
  }),
  async (c) => {
    const { limit, cursor, updatedAfter, agent, status, subject, externalId, ...rest } = c.req.valid("query");
    const filter = {
      ...{ agent, status, subject, externalId, metadata: metadataFilter(rest) },
      updatedAfter: updatedAfter === undefined ? undefined : Date.parse(updatedAfter),
    };
    return c.json(unwrap(await listSessions(actorOf(c), { limit, cursor, filter }, c.get("services"))), 200);
  },
);

sessions.openapi(
  route({
    "x-act": "readSession",
    method: "get",
    path: "/v1/sessions/{sessionId}",
    tags,
    summary: "One session",
    request: { params: sessionParam },
    responses: { 200: json("The session", sessionSchema) },
  }),
  async (c) => {
    const { sessionId } = c.req.valid("param");
    return c.json(unwrap(await readSession(actorOf(c), sessionId, c.get("services"))), 200);
  },
);

sessions.openapi(
  route({
    "x-act": "changeSession",
    method: "patch",
    path: "/v1/sessions/{sessionId}",
    tags,
    summary: "Change what is noted on a session",
    description:
      "Of the metadata what is named changes, and null removes an entry. A subject can be given to a session that has none, once.",
    request: { params: sessionParam, body: jsonBody(sessionChangeSchema) },
    responses: { 200: json("The session", sessionSchema) },
  }),
  async (c) => {
    const input = { ...c.req.valid("param"), change: c.req.valid("json") };
    return c.json(unwrap(await changeSession(actorOf(c), input, c.get("services"))), 200);
  },
);

sessions.openapi(
  route({
    "x-act": "deleteSession",
    method: "delete",
    path: "/v1/sessions/{sessionId}",
    tags,
    summary: "Delete a session and all it holds",
    request: { params: sessionParam },
    responses: { 204: { description: "It is gone" } },
  }),
  async (c) => {
    unwrap(await deleteSession(actorOf(c), c.req.valid("param").sessionId, c.get("services")));
    return c.body(null, 204);
  },
);

sessions.openapi(
  route({
    "x-act": "readSupervision",
    method: "get",
    path: "/v1/sessions/{sessionId}/supervision",
    tags,
    summary: "What every pass of the supervisors decided, and why",
    request: { params: sessionParam, query: pageQuery },
    responses: { 200: json("A page of supervision states", listOf(passViewSchema)) },
  }),
  async (c) => {
    const query = { ...c.req.valid("param"), ...c.req.valid("query") };
    return c.json(unwrap(await readSupervision(actorOf(c), query, c.get("services"))), 200);
  },
);
