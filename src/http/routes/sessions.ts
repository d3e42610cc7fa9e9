/** Sessions: begun, listed, read, deleted, and what their supervisors decided. */
import { z } from "zod";
import { beginSession } from "../../application/sessions/begin-session.js";
import { deleteSession } from "../../application/sessions/delete-session.js";
import { listSessions } from "../../application/sessions/list-sessions.js";
import { readSession } from "../../application/sessions/read-session.js";
import { readSupervision } from "../../application/sessions/read-supervision.js";
import { newSessionSchema, passViewSchema, sessionSchema } from "../../chat/session.js";
import { actorOf, unwrap } from "../context.js";
import { json, jsonBody, listOf, newRouter, pageQuery, route } from "../routing.js";

const tags = ["Sessions"];
export const sessionParam = z.object({ sessionId: z.string().max(100) });

export const sessions = newRouter();

sessions.openapi(
  route({
    method: "post",
    path: "/v1/sessions",
    tags,
    summary: "Begin a session with an agent",
    request: { body: jsonBody(newSessionSchema) },
    responses: { 201: json("The session", sessionSchema) },
  }),
  async (c) => {
    const session = unwrap(await beginSession(actorOf(c), c.req.valid("json"), c.get("services")));
    c.header("location", `/v1/sessions/${session.sessionId}`);
    return c.json(session, 201);
  },
);

sessions.openapi(
  route({
    method: "get",
    path: "/v1/sessions",
    tags,
    summary: "The tenant's sessions, newest first",
    request: { query: pageQuery },
    responses: { 200: json("A page of sessions", listOf(sessionSchema.omit({ status: true }))) },
  }),
  async (c) => c.json(unwrap(await listSessions(actorOf(c), c.req.valid("query"), c.get("services"))), 200),
);

sessions.openapi(
  route({
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
