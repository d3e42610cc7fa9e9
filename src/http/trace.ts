/** Traces as they are answered: as JSON, or the story alone. */
import type { Context } from "hono";
import { z } from "zod";
import type { AppEnv } from "./context.js";

export const traceQuery = z.object({ format: z.enum(["json", "markdown", "text"]).optional() });

/** @param schema of the trace as JSON. */
export function traceAnswer<S extends z.ZodType>(schema: S) {
  return {
    200: {
      description: "The trace",
      content: {
        "application/json": { schema },
        "text/markdown": { schema: z.string() },
        "text/plain": { schema: z.string() },
      },
    },
  };
}

/** The format of a story that a request wants; `undefined` when it is JSON. `format` counts before the header. */
export function storyType(c: Context<AppEnv>, format: z.infer<typeof traceQuery>["format"]): string | undefined {
  const accepted = c.req.header("accept") ?? "";
  const preferred = accepted.includes("text/markdown") ? "markdown" : accepted.includes("text/plain") ? "text" : "json";
  switch (format ?? preferred) {
    case "json":
      return undefined;
    case "markdown":
      return "text/markdown; charset=utf-8";
    case "text":
      return "text/plain; charset=utf-8";
  }
}
