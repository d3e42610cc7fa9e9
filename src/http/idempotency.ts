/**
 * `Idempotency-Key` on writes: the same key and body get the same answer, the same key with another body a 409. Messages and
 * runs are left out: a session knows its keys itself, and gives the same turn; a run's key is claimed before the run begins.
 */
import { createMiddleware } from "hono/factory";
import { z } from "zod";
import { sha256Hex } from "../platform/digest.js";
import type { AppEnv } from "./context.js";
import { problem } from "./problems.js";

/** How long a write may take before another with its key may try again, in milliseconds. */
const abandonedAfterMs = 60_000;
/** How long answers are kept, in milliseconds. */
const keptForMs = 24 * 3_600_000;

export const keyPattern = /^[\x21-\x7e]{1,200}$/;

const rowSchema = z.object({
  request_hash: z.string(),
  status: z.number().nullable(),
  sealed_answer: z.string().nullable(),
  created_at: z.number(),
});

const answerSchema = z.object({ body: z.string(), headers: z.record(z.string(), z.string()) });

const writes = new Set(["POST", "PUT", "PATCH", "DELETE"]);

export const idempotency = createMiddleware<AppEnv>(async (c, next) => {
  const key = c.req.header("idempotency-key");
  if (key === undefined || !writes.has(c.req.method)) return next();
  if (!keyPattern.test(key)) throw problem("invalid", "An Idempotency-Key is 1 to 200 visible ASCII characters.");
  if (knowsItsKeys(c.req.path)) return next();

  const { db, sealer, now } = c.get("services");
  const { tenantId: scope, role } = c.get("caller") ?? { tenantId: "admin", role: "admin" };
  // The role too: an answer isn't repeated to a key that might not have got it.
  const hash = await sha256Hex(
    `${role} ${c.req.method} ${c.req.path} ${c.req.header("if-match") ?? ""}\n${c.get("bodyText") ?? ""}`,
  );
  const begun = await db
    .prepare(
      `INSERT INTO idempotency (scope, idempotency_key, request_hash, created_at) VALUES (?1, ?2, ?3, ?4)
       ON CONFLICT DO UPDATE SET created_at = ?4 WHERE status IS NULL AND request_hash = ?3 AND created_at < ?5`,
    )
    .bind(scope, key, hash, now(), now() - abandonedAfterMs)
    .run();
  if (begun.meta.changes === 0) {
    const row = rowSchema.parse(
      await db.prepare("SELECT * FROM idempotency WHERE scope = ? AND idempotency_key = ?").bind(scope, key).first(),
    );
    if (row.request_hash !== hash) {
      throw problem("idempotency_conflict", "This Idempotency-Key came with another request before. Use a new key.");
    }
    if (row.status === null || row.sealed_answer === null) {
      throw problem("conflict", "A request with this Idempotency-Key is being handled. Try again in a moment.", {
        retryAfterSeconds: 1,
      });
    }
    const { body, headers } = answerSchema.parse(JSON.parse(await sealer.open(row.sealed_answer)));
    return new Response(body === "" ? null : body, {
      status: row.status,
      headers: { ...headers, "idempotent-replay": "true" },
    });
  }

  await next();
  if (c.res.status >= 500 || c.res.status === 429) {
    await db.prepare("DELETE FROM idempotency WHERE scope = ? AND idempotency_key = ?").bind(scope, key).run();
    return;
  }
  const answer = { body: await c.res.clone().text(), headers: keptHeaders(c.res) };
  await db
    .prepare("UPDATE idempotency SET status = ?, sealed_answer = ? WHERE scope = ? AND idempotency_key = ?")
    .bind(c.res.status, await sealer.seal(JSON.stringify(answer)), scope, key)
    .run();
});

/** Housekeeping: answers that nobody will ask for again. */
export async function forgetOldAnswers(db: D1Database, now: number): Promise<void> {
  await db
    .prepare("DELETE FROM idempotency WHERE created_at < ?")
    .bind(now - keptForMs)
    .run();
}

function knowsItsKeys(path: string): boolean {
  return (
    path === "/v1/runs" ||
    /^\/v1\/sessions\/[^/]+\/messages$/.test(path) ||
    // An answer kept here would outlive an entry's deletion: entries and messages keep their keys themselves, a search changes nothing.
    /^\/v1\/memories\/[^/]+\/(entries|threads|search)(\/|$)/.test(path)
  );
}

function keptHeaders(response: Response): Record<string, string> {
  return Object.fromEntries(
    ["content-type", "etag", "location"].flatMap((name) => {
      const value = response.headers.get(name);
      return value === null ? [] : [[name, value]];
    }),
  );
}
