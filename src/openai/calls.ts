/** What every route of this face does with a call: who calls, how long they wait, and how they are told what was refused. */
import type { Context } from "hono";
import type { ChatCaller } from "../application/openai/complete-chat.js";
import type { FaceEnv } from "../http/face.js";
import type { Actor } from "../tenancy/actor.js";
import { errorResponse, OpenAiError } from "./errors.js";

/** Names the session of a request, and of an answer. */
export const sessionHeader = "x-conclave-session";

/** Renders what this face refuses; what acts refuse, and what nobody foresaw, is the app's to render. */
export async function answering(
  c: Context<FaceEnv>,
  answer: () => Promise<Response>,
  known: readonly string[] = [],
): Promise<Response> {
  try {
    const unknown = Object.keys(c.req.query()).find((name) => !known.includes(name));
    if (unknown !== undefined) {
      const takes = known.length === 0 ? "none" : known.join(", ");
      const detail = `The route doesn't know the query parameter ${unknown}. It takes ${takes}.`;
      throw new OpenAiError(400, "unknown_parameter", detail, unknown);
    }
    return await answer();
  } catch (error) {
    if (error instanceof OpenAiError) return errorResponse(error, { "x-request-id": c.get("requestId") });
    throw error;
  }
}

export function actorOf(c: Context<FaceEnv>): Actor {
  const actor = c.get("actor");
  if (actor === undefined) throw new OpenAiError(401, "invalid_api_key", "Send a tenant's key as the API key.");
  return actor;
}

/** The caller who waits for the answer: they have gone when their request is aborted, or when they stop reading. */
export function callerOf(c: Context<FaceEnv>): { readonly caller: ChatCaller; readonly drop: () => void } {
  const gone = new AbortController();
  const signal = AbortSignal.any([c.req.raw.signal, gone.signal]);
  return {
    caller: { signal, background: (work) => c.executionCtx.waitUntil(work), answerKept: c.get("answerKept") },
    drop: () => gone.abort(),
  };
}
