/** What is in force in a session: rules, references and tools, as versions. */
import { z } from "zod";
import { changeSessionContext } from "../../application/sessions/change-context.js";
import { readSessionContext } from "../../application/sessions/read-context.js";
import { restoreSessionContext } from "../../application/sessions/restore-context.js";
import { contextChangeSchema, contextViewSchema } from "../../chat/context.js";
import { actorOf, unwrap } from "../context.js";
import { json, jsonBody, newRouter, route } from "../routing.js";
import { sessionParam } from "./sessions.js";

const tags = ["Sessions"];

export const sessionContext = newRouter();

sessionContext.openapi(
  route({
    method: "get",
    path: "/v1/sessions/{sessionId}/context",
    tags,
    summary: "What a session includes and excludes, and how it came to that",
    request: { params: sessionParam },
    responses: { 200: json("The context, with its versions", contextViewSchema) },
  }),
  async (c) => {
    const { sessionId } = c.req.valid("param");
    return c.json(unwrap(await readSessionContext(actorOf(c), sessionId, c.get("services"))), 200);
  },
);

sessionContext.openapi(
  route({
    method: "post",
    path: "/v1/sessions/{sessionId}/context",
    operationId: "changeSessionContext",
    tags,
    summary: "Include and exclude rules, references and tools, from now on (operators)",
    description:
      "It holds at once, for the next prompt and the next tool call of a turn under way too. The tool `*` stands for all tools of its server. What is removed is excluded, whoever else names it; adding it again lifts that.",
    request: { params: sessionParam, body: jsonBody(contextChangeSchema) },
    responses: { 200: json("The context, with its versions", contextViewSchema) },
  }),
  async (c) => {
    const change = { ...c.req.valid("param"), change: c.req.valid("json") };
    return c.json(unwrap(await changeSessionContext(actorOf(c), change, c.get("services"))), 200);
  },
);

sessionContext.openapi(
  route({
    method: "post",
    path: "/v1/sessions/{sessionId}/context/{version}/restore",
    tags,
    summary: "Make an earlier version count again, as a new one (operators)",
    request: {
      params: sessionParam.extend({ version: z.coerce.number<string>().int().min(1) }),
    },
    responses: { 200: json("The context, with its versions", contextViewSchema) },
  }),
  async (c) => c.json(unwrap(await restoreSessionContext(actorOf(c), c.req.valid("param"), c.get("services"))), 200),
);
