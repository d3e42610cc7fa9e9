/** Bodies: read once, within a limit, and JSON. */

import { createMiddleware } from "hono/factory";
import { problem } from "../conversation/problem.js";
import { readLimited } from "../platform/limited-body.js";
import { readJson } from "../text/json.js";
import type { AppEnv } from "./context.js";

/** Lines of JSON, each of which is read by itself. */
const linesType = "application/jsonl";

const withBody = new Set(["POST", "PUT", "PATCH", "DELETE"]);

export const readBody = createMiddleware<AppEnv>(async (c, next) => {
  if (!withBody.has(c.req.method) || c.req.raw.body === null) return next();
  const text = await readLimited(c.req.raw);
  if (text !== "") {
    const type = c.req.header("content-type")?.split(";")[0]?.trim().toLowerCase();
    if (type === linesType && c.req.path.endsWith("/items")) {
      c.set("bodyText", text);
      return next();
    }
    if (type !== "application/json") {
      throw problem("unsupported_media_type", "Send the body as JSON with `Content-Type: application/json`.");
    }
    checkJson(text);
  }
  c.set("bodyText", text);
  // What is validated and handled is the text that was read here. Hono keeps promises there, whatever its type says.
  Object.assign(c.req.bodyCache, { text: Promise.resolve(text) });
  await next();
});

function checkJson(text: string): void {
  const { problem: wrong, isTooMuch } = readJson(text);
  if (isTooMuch) throw problem("invalid", `${wrong}.`);
  if (wrong !== undefined) throw problem("bad_request", `The body isn't valid JSON: ${wrong}.`);
}
