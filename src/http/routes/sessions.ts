import { z } from "zod";
import { missingNames, missingTools, namedAt } from "../../application/name-checks.js";
import { removeSession } from "../../application/removal.js";
import { newSessionSchema, passViewSchema, sessionSchema } from "../../chat/session.js";
import { callerOf, unwrap } from "../context.js";
import { problem } from "../problems.js";
import {
  decodeCursor,
  decodeNumberCursor,
  encodeCursor,
  json,
  jsonBody,
  listOf,
  newRouter,
  pageOf,
  pageQuery,
  route,
} from "../routing.js";

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
    const { tenantId } = callerOf(c);
    const definition = c.req.valid("json");
    const { resources, sessions: gateway, memory: memories } = c.get("services");
    const { context, memory } = definition;
    const wanted = [
      { path: "agent", kind: "agents" as const, name: definition.agent },
      ...namedAt("supervisors", "supervisors", definition.supervisors),
      ...namedAt("context.rules", "rules", context.rules),
      ...namedAt("context.references", "references", context.references),
    ];
    const refs = context.tools.map((ref, at) => ({ path: `context.tools.${at}.tool`, ref }));
    const [names, tools] = await Promise.all([
      missingNames(resources, tenantId, wanted),
      missingTools(resources, tenantId, refs),
    ]);
    const errors = [...names, ...tools];
    if (memory !== undefined && !(await memories.memory(tenantId, memory.memoryId)).ok) {
      errors.push({ path: "memory.memoryId", message: "there is no such memory" });
    }
    if (errors.length > 0) {
      throw problem("invalid", "The session names things that don't exist; store them first.", { errors });
    }
    const session = await gateway.create(tenantId, definition);
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
  async (c) => {
    const { tenantId } = callerOf(c);
    const { limit, cursor } = c.req.valid("query");
    const rows = await c.get("services").index.sessions(tenantId, decodeCursor(cursor), limit + 1);
    return c.json(
      pageOf(
        rows,
        limit,
        ({ sessionId }) => sessionId,
        (session) => session,
      ),
      200,
    );
  },
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
    const { tenantId } = callerOf(c);
    const { sessionId } = c.req.valid("param");
    return c.json(unwrap(await c.get("services").sessions.describe(tenantId, sessionId)), 200);
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
    const { tenantId } = callerOf(c);
    const { sessionId } = c.req.valid("param");
    if (!(await removeSession(tenantId, sessionId, c.get("services")))) {
      throw problem("not_found", "There is no such session.");
    }
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
    const { tenantId } = callerOf(c);
    const { limit, cursor } = c.req.valid("query");
    const { sessionId } = c.req.valid("param");
    const page = unwrap(
      await c.get("services").sessions.supervision(tenantId, sessionId, decodeNumberCursor(cursor), limit),
    );
    return c.json({ items: [...page.items], nextCursor: encodeCursor(page.next) }, 200);
  },
);
