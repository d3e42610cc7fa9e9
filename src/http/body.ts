/** Bodies: read once, within a limit, and JSON. */

import { createMiddleware } from "hono/factory";
import { depthExceeds, readJson } from "../text/json.js";
import type { AppEnv } from "./context.js";
import { problem } from "./problems.js";

/** The most that a body may have, in bytes. */
const maxBodyBytes = 1_000_000;
/** How deep JSON may be nested. */
const maxDepth = 64;

const withBody = new Set(["POST", "PUT", "PATCH"]);

export const readBody = createMiddleware<AppEnv>(async (c, next) => {
  if (!withBody.has(c.req.method) || c.req.raw.body === null) return next();
  const text = await readLimited(c.req.raw.body);
  if (text !== "") {
    const type = c.req.header("content-type")?.split(";")[0]?.trim().toLowerCase();
    if (type !== "application/json") {
      throw problem("unsupported_media_type", "Send the body as JSON with `Content-Type: application/json`.");
    }
    checkJson(text);
  }
  c.set("bodyText", text);
  // What is validated and handled is the text that was read here.
  c.req.raw = new Request(c.req.raw, { body: text, signal: c.req.raw.signal });
  await next();
});

async function readLimited(body: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });
  let size = 0;
  let text = "";
  try {
    for await (const chunk of body) {
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

function checkJson(text: string): void {
  const { value, problem: wrong } = readJson(text);
  if (wrong !== undefined) throw problem("bad_request", `The body isn't valid JSON: ${wrong}.`);
  if (depthExceeds(value, maxDepth)) throw problem("invalid", `JSON may be nested at most ${maxDepth} deep.`);
}
