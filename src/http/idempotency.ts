/**
 * `Idempotency-Key` on writes: the same key and body get the same answer, the same key with another body a 409. Messages and
 * runs are left out: a session manages its keys itself, and gives the same turn; a run's key is claimed before the run begins.
 */
import { createMiddleware } from "hono/factory";
import { sha256Hex } from "../platform/digest.js";
import { ownKey } from "../tenancy/actor.js";
import { type AppEnv, actorOf } from "./context.js";
import { ProblemError, problem } from "./problems.js";

const keyPattern = /^[\x21-\x7e]{1,200}$/;

const writes = new Set(["POST", "PUT", "PATCH", "DELETE"]);

export const idempotency = createMiddleware<AppEnv>(async (c, next) => {
  const key = c.req.header("idempotency-key");
  if (key === undefined || !writes.has(c.req.method)) return next();
  if (!keyPattern.test(key)) throw problem("invalid", "An Idempotency-Key is 1 to 200 visible ASCII characters.");
  if (managesOwnKeys(c.req.path)) return next();

  const { answers } = c.get("services");
  const actor = actorOf(c);
  const { path, method } = c.req;
  const hash = await sha256Hex(`${method} ${path} ${c.req.header("if-match") ?? ""}\n${c.get("bodyText") ?? ""}`);
  // Each sender has keys of its own: an answer is repeated to whom it was given.
  const request = {
    scope: actor.tenantId,
    key: ownKey(actor, key) ?? key,
    hash,
    path,
    isDeletion: method === "DELETE",
  };
  const claim = await answers.claim(request);
  switch (claim.kind) {
    case "answered": {
      const { status, body, headers } = claim.answer;
      return new Response(body === "" ? null : body, { status, headers: { ...headers, "idempotent-replay": "true" } });
    }
    case "other_request":
      throw problem("idempotency_conflict", "This Idempotency-Key came with another request before. Use a new key.");
    case "in_progress":
      // What is made under an id that the key stands for can be made again: a retry after a crash goes on at once.
      if (claimsItsId(method, path)) break;
      throw problem("conflict", "A request with this Idempotency-Key is being handled. Try again in a moment.", {
        retryAfterSeconds: 1,
      });
    case "forgotten":
      throw problem(
        "conflict",
        "The request with this Idempotency-Key was done, and its answer is gone: something that it was about has been deleted since.",
      );
    case "do":
  }

  await answers.whileAlive(request, next);
  const isMendable = c.error instanceof ProblemError && c.error.problem.isMendable === true;
  if (c.res.status >= 500 || c.res.status === 429 || isMendable) return answers.release(request);
  if (c.res.headers.get("content-type")?.startsWith("text/event-stream") && c.res.body !== null) {
    // Whoever waits reads on while it is written: it is kept once it is whole.
    const [read, kept] = c.res.body.tee();
    const { status } = c.res;
    const headers = keptHeaders(c.res);
    c.res = new Response(read, c.res);
    const keep = async (): Promise<void> => {
      const body = await answers.whileAlive(request, () => new Response(kept).text());
      await answers.keep(request, { status, body, headers });
    };
    c.executionCtx.waitUntil(keep());
    return;
  }
  const body = await c.res.clone().text();
  await answers.keep(request, { status: c.res.status, body, headers: keptHeaders(c.res) });
});

function managesOwnKeys(path: string): boolean {
  return (
    path === "/v1/runs" ||
    path === "/v1/ui-chat" ||
    /^\/v1\/sessions\/[^/]+\/messages$/.test(path) ||
    // What was erased can be erased again: the answer is the same.
    /^\/v1\/sessions\/[^/]+\/messages\/[^/]+\/erase$/.test(path) ||
    // Entries and messages of a memory keep their keys themselves: an answer kept here could outlive their text. A search changes nothing.
    /^\/v1\/memories\/[^/]+\/(entries|threads|search)(\/|$)/.test(path)
  );
}

/** Routes whose acts claim the id of what they make with the key, or with the caller's own id. */
function claimsItsId(method: string, path: string): boolean {
  return method === "POST"
    ? /^\/v1\/(sessions|roundtables|keys|vaults|vaults\/[^/]+\/memories|admin\/tenants(\/[^/]+\/keys)?)$/.test(path)
    : method === "PUT" && /\/by-external-id\/[^/]+$/.test(path);
}

function keptHeaders(response: Response): Record<string, string> {
  return Object.fromEntries(
    ["allow", "content-type", "etag", "location", "x-conclave-session"].flatMap((name) => {
      const value = response.headers.get(name);
      return value === null ? [] : [[name, value]];
    }),
  );
}
