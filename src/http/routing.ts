/** How routes are declared, so that the OpenAPI document can't differ from what they do. */
import { zodToOpenAPIRegistry } from "@asteasolutions/zod-to-openapi";
import { createRoute, OpenAPIHono, type RouteConfig } from "@hono/zod-openapi";
import { z } from "zod";
import { issuesOf } from "../conversation/issues.js";
import type { AppEnv } from "./context.js";
import { operationId } from "./operation-id.js";
import { problem, problemSchema } from "./problems.js";

export function newRouter(): OpenAPIHono<AppEnv> {
  return new OpenAPIHono<AppEnv>({
    defaultHook: (result) => {
      if (!result.success) {
        const where = { json: "body", query: "query", param: "path", header: "header", form: "body", cookie: "cookie" };
        const place = where[result.target];
        throw problem("invalid", `The ${place} isn't what this route takes; see errors, and GET /openapi.json.`, {
          errors: issuesOf(result.error),
        });
      }
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

/** A body of one of several shapes: the act decides which one is right. The document lists them all. */
export function bodyReadLater(shape: string) {
  const schema = z.record(z.string(), z.unknown());
  zodToOpenAPIRegistry.add(schema, { allOf: [{ $ref: `#/components/schemas/${shape}` }] });
  return jsonBody(schema);
}

/** A route with the errors that any route may answer with. */
export function route<P extends string, R extends Omit<RouteConfig, "path"> & { path: P }>(config: R) {
  return createRoute({
    operationId: operationId(config.method, config.path),
    ...config,
    security: config.security ?? [{ key: [] }],
    responses: { ...config.responses, default: problemAnswer },
  });
}

export const pageQuery = z.object({
  limit: z.coerce.number<string>().int().min(1).max(200).default(50),
  cursor: z.string().max(500).optional(),
});

export function listOf<T extends z.ZodType>(item: T) {
  return z.object({ items: z.array(item), nextCursor: z.string().nullable() });
}
