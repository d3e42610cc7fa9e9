/** Bodies: read once, within a limit, and JSON. */

import { createMiddleware } from "hono/factory";
import { problem } from "../conversation/problem.js";
import { readJson } from "../text/json.js";
import type { AppEnv } from "./context.js";

/** The most that a body may have, in bytes. */
const maxBodyBytes = 1_000_000;

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

/** @returns the text, without a byte order mark */
export async function readLimited(request: Request): Promise<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });
  let size = 0;
  let text = "";
  try {
    // The runtime reads no more than was announced: at once, where that is little enough.
    if (isWithinLimit(request.headers.get("content-length"))) return decoder.decode(await request.arrayBuffer());
    for await (const chunk of request.body ?? []) {
      size += chunk.byteLength;
      if (size > maxBodyBytes) break;
      text += decoder.decode(chunk, { stream: true });
    }
    if (size <= maxBodyBytes) return text + decoder.decode();
  } catch {
    throw problem("bad_request", "The body isn't valid UTF-8, or ended too early.");
  }
  throw problem("too_large", `A body may have at most ${maxBodyBytes} bytes.`);
}

function isWithinLimit(announced: string | null): boolean {
  return announced !== null && /^\d{1,7}$/.test(announced) && Number(announced) <= maxBodyBytes;
}

function checkJson(text: string): void {
  const { problem: wrong, isTooMuch } = readJson(text);
  if (isTooMuch) throw problem("invalid", `${wrong}.`);
  if (wrong !== undefined) throw problem("bad_request", `The body isn't valid JSON: ${wrong}.`);
}
