/**
 * `Idempotency-Key` on writes. The key goes with its command (`Actor.command`, or an act's `idempotencyKey`) to the object or the batch
 * that does the work, and is claimed there: what comes again does nothing again, whatever died in between. Here answers alone are kept: the
 * same key and body gives the same answer, the same key with another body a 409. What was refused did nothing, and is not kept.
 */
import { createMiddleware } from "hono/factory";
import { problem } from "../conversation/problem.js";
import { sha256Hex } from "../platform/digest.js";
import { describeError, log } from "../platform/logging.js";
import { ownKey } from "../tenancy/actor.js";
import { type AppEnv, actorOf } from "./context.js";

const keyPattern = /^[\x21-\x7e]{1,200}$/;

const writes = new Set(["POST", "PUT", "PATCH", "DELETE"]);

export const idempotency = createMiddleware<AppEnv>(async (c, next) => {
  const key = c.req.header("idempotency-key");
  if (key === undefined || !writes.has(c.req.method)) return next();
  if (!keyPattern.test(key)) throw problem("invalid", "An Idempotency-Key is 1 to 200 visible ASCII characters.");
  const { path, method } = c.req;
  const actor = actorOf(c);
  const hash = await sha256Hex(`${method} ${path} ${c.req.header("if-match") ?? ""}\n${c.get("bodyText") ?? ""}`);
  c.set("actor", { ...actor, command: { key, hash } });
  if (keepsNoAnswers(path)) return next();

  const { answers } = c.get("services");
  // Each sender has keys of its own: an answer is repeated to whom it was given.
  const own = ownKey(actor, key) ?? key;
  const request = { scope: actor.tenantId, key: own, hash, path, isDeletion: method === "DELETE" };
  const claim = await answers.claim(request);
  switch (claim.kind) {
    case "answered": {
      const { status, body, headers } = claim.answer;
      return new Response(body === "" ? null : body, { status, headers: { ...headers, "idempotent-replay": "true" } });
    }
    case "other_request":
      throw problem("idempotency_conflict", "This Idempotency-Key came with another request before. Use a new key.");
    case "forgotten":
      throw problem(
        "conflict",
        "The request with this Idempotency-Key was done, and its answer is gone: something that it was about has been deleted since.",
      );
    case "new":
    case "begun":
  }

  const kept = Promise.withResolvers<boolean>();
  c.set("answerKept", kept.promise);
  const finish = async (response: Response): Promise<void> => {
    try {
      kept.resolve(await keepAnswer(response));
    } catch (error) {
      // What comes again finds it where the work was done.
      log("warn", "idempotency.keep_failed", { tenantId: actor.tenantId, path, ...describeError(error) });
      kept.resolve(false);
    }
  };
  try {
    await next();
    // What deleted it the first time died before it could say so.
    if (claim.kind === "begun" && method === "DELETE" && c.res.status === 404)
      c.res = new Response(null, { status: 204 });
  } catch (error) {
    kept.resolve(false);
    throw error;
  }
  if (c.res.headers.get("content-type")?.startsWith("text/event-stream") && c.res.body !== null) {
    // Whoever waits reads on while it is written: it is kept once it is whole.
    const [read, copy] = c.res.body.tee();
    const whole = new Response(copy, c.res);
    c.res = new Response(read, c.res);
    c.executionCtx.waitUntil(finish(whole));
    return;
  }
  await finish(c.res.clone());

  async function keepAnswer(response: Response): Promise<boolean> {
    if (response.status >= 400) {
      await answers.release(request);
      return false;
    }
    await answers.keep(request, {
      status: response.status,
      body: await response.text(),
      headers: keptHeaders(response),
    });
    return true;
  }
});

/** Answers that could outlive the texts they hold: the objects and the batches that do this work give them again from what is there. */
function keepsNoAnswers(path: string): boolean {
  return (
    path === "/v1/runs" ||
    path === "/v1/ui-chat" ||
    /^\/v1\/sessions\/[^/]+\/messages$/.test(path) ||
    // Whose data it is about stands in the path.
    path.startsWith("/v1/subjects/") ||
    // What was erased can be erased again: the answer is the same.
    /^\/v1\/sessions\/[^/]+\/messages\/[^/]+\/erase$/.test(path) ||
    // A search changes nothing.
    /^\/v1\/memories\/[^/]+\/(entries|threads|search)(\/|$)/.test(path)
  );
}

function keptHeaders(response: Response): Record<string, string> {
  return Object.fromEntries(
    ["allow", "content-type", "etag", "location", "x-conclave-session"].flatMap((name) => {
      const value = response.headers.get(name);
      return value === null ? [] : [[name, value]];
    }),
  );
}
