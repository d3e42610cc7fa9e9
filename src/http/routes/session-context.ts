/** What is in force in a session: rules, references and tools, as versions. */
import { z } from "zod";
import { missingNames, missingTools, namedAt } from "../../application/name-checks.js";
import type { Services } from "../../application/services.js";
import { type ContextChangeBody, contextChangeSchema, contextViewSchema } from "../../chat/context.js";
import { callerOf, demandRole, unwrap } from "../context.js";
import { problem } from "../problems.js";
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
    const { tenantId } = callerOf(c);
    const { sessionId } = c.req.valid("param");
    return c.json(unwrap(await c.get("services").sessions.context(tenantId, sessionId)), 200);
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
    // What a supervisor has excluded must not be brought back by whom it was excluded for.
    const { tenantId, keyId } = demandRole(c, "operator");
    const { sessionId } = c.req.valid("param");
    const change = c.req.valid("json");
    const { resources, sessions } = c.get("services");
    await checkNames(tenantId, change.add, resources);
    return c.json(unwrap(await sessions.changeContext(tenantId, sessionId, change, `key ${keyId}`)), 200);
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
  async (c) => {
    const { tenantId, keyId } = demandRole(c, "operator");
    const { sessionId, version } = c.req.valid("param");
    const { sessions } = c.get("services");
    return c.json(unwrap(await sessions.restoreContext(tenantId, sessionId, version, `key ${keyId}`)), 200);
  },
);

/** What is removed need not exist. */
async function checkNames(
  tenantId: string,
  { rules, references, tools }: ContextChangeBody["add"],
  resources: Services["resources"],
): Promise<void> {
  const wanted = [...namedAt("add.rules", "rules", rules), ...namedAt("add.references", "references", references)];
  const refs = tools.map((ref, at) => ({ path: `add.tools.${at}.tool`, ref }));
  const [names, absent] = await Promise.all([
    missingNames(resources, tenantId, wanted),
    missingTools(resources, tenantId, refs),
  ]);
  if (names.length + absent.length === 0) return;
  throw problem("invalid", "The context names things that don't exist; store them first.", {
    errors: [...names, ...absent],
  });
}
