/** What a request brings beside its path is what the route takes, and nothing else: a filter that is misspelt must not filter nothing. */
import { createMiddleware } from "hono/factory";
import { z } from "zod";
import { metadataPrefix } from "../application/page.js";
import { problem } from "../conversation/problem.js";
import type { AppEnv } from "./context.js";

/** Refuses query parameters that the route doesn't know, and says which it knows. */
export function refuseUnknownQuery(schema: unknown) {
  const known = schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
  const takesMetadata = schema instanceof z.ZodObject && schema.def.catchall instanceof z.ZodString;
  const names = [...known, ...(takesMetadata ? [`${metadataPrefix}<name>`] : [])];
  return createMiddleware<AppEnv>(async (c, next) => {
    const unknown = Object.keys(c.req.query()).filter(
      (name) => !known.includes(name) && !(takesMetadata && name.startsWith(metadataPrefix)),
    );
    if (unknown.length > 0) {
      const knows = names.length === 0 ? "It takes none." : `It takes ${names.join(", ")}.`;
      throw problem("invalid", `The route doesn't know the query parameter ${unknown.join(", ")}. ${knows}`, {
        errors: unknown.map((path) => ({ path, message: "no parameter of this route" })),
      });
    }
    await next();
  });
}

/** Refuses a request without a body where the route needs one. */
export const refuseEmptyBody = createMiddleware<AppEnv>(async (c, next) => {
  if ((c.get("bodyText") ?? "") === "") {
    throw problem(
      "bad_request",
      "This route takes a JSON body, and it is empty. Send one with `Content-Type: application/json`.",
    );
  }
  await next();
});
