/** How routes are declared, so that the OpenAPI document can't differ from what they do. */
import { zodToOpenAPIRegistry } from "@asteasolutions/zod-to-openapi";
import { createRoute, OpenAPIHono, type RouteConfig } from "@hono/zod-openapi";
import type { z } from "zod";
import { issuesOf } from "../conversation/issues.js";
import { type ProblemError, problem } from "../conversation/problem.js";
import type { AppEnv } from "./context.js";
import { operationId } from "./operation-id.js";
import { problemSchema } from "./problems.js";
import { refuseEmptyBody, refuseUnknownQuery } from "./query.js";

/** The parts of a request, in the order in which their faults are told. */
export const placesInOrder = ["query", "path", "header", "cookie", "body"] as const;
export type Place = (typeof placesInOrder)[number];

export function wrongInput(place: Place, error: Parameters<typeof issuesOf>[0]): ProblemError {
  const detail = `The ${place} isn't what this route takes; see errors, and GET /openapi.json.`;
  return problem("invalid", detail, { errors: issuesOf(error) });
}

const placeOf = {
  json: "body",
  query: "query",
  param: "path",
  header: "header",
  form: "body",
  cookie: "cookie",
} as const;

export function newRouter(): OpenAPIHono<AppEnv> {
  return new OpenAPIHono<AppEnv>({
    defaultHook: (result) => {
      if (!result.success) throw wrongInput(placeOf[result.target], result.error);
    },
  });
}

export function jsonBody<T extends z.ZodType>(schema: T) {
  return { content: { "application/json": { schema } }, required: true } as const;
}

export function json<T extends z.ZodType>(description: string, schema: T) {
  return { description, content: { "application/json": { schema } } } as const;
}

/** Has the document hold a shape once, under this name, and refer to it everywhere else. */
export function named<T extends z.ZodType>(id: string, schema: T): T {
  // Not `.meta({ id })`: the generator sees that only on schemas that are created after it is loaded.
  zodToOpenAPIRegistry.add(schema, { _internal: { refId: id } });
  return schema;
}

const problemAnswer = {
  description: "What was wrong and what to do about it",
  content: { "application/problem+json": { schema: problemSchema } },
} as const;

/** A body; one of several shapes, of which the act decides which is right, goes by the name that lists them all. */
export function bodyOf(schema: z.ZodType, shape?: string) {
  if (shape !== undefined) zodToOpenAPIRegistry.add(schema, { allOf: [{ $ref: `#/components/schemas/${shape}` }] });
  return jsonBody(schema);
}

/** A route with its act (who may do it, the act says; anybody may ask for /health), and with the errors that any route may answer with. */
export function route<P extends string, R extends Omit<RouteConfig, "path"> & { path: P; "x-act": string }>(config: R) {
  return createRoute({
    operationId: operationId(config.method, config.path),
    ...config,
    security: config.security ?? [{ key: [] }],
    middleware: [
      refuseUnknownQuery(config.request?.query),
      ...(config.request?.body?.required === true ? [refuseEmptyBody] : []),
    ],
    responses: { ...config.responses, default: problemAnswer },
  });
}
