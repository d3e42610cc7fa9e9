/** OpenAI's API as routes: an agent's name is a model's name, and existing clients work once their base URL is changed. */
import { OpenAPIHono } from "@hono/zod-openapi";
import type { Context } from "hono";
import { type ChatCaller, completeChat, streamChat } from "../application/openai/complete-chat.js";
import { listResources } from "../application/resources/list-resources.js";
import { readResource } from "../application/resources/read-resource.js";
import type { Result } from "../conversation/problem.js";
import type { Face, FaceEnv } from "../http/face.js";
import { newId } from "../platform/ids.js";
import type { Actor } from "../tenancy/actor.js";
import { readBody } from "./body.js";
import { chunkLines, completionOf } from "./chat-answer.js";
import { chatInput, chatRequestSchema } from "./chat-request.js";
import { describeRoutes } from "./document.js";
import { errorResponse, OpenAiError, ofProblem, problemAsOpenAi } from "./errors.js";
import { answerOf } from "./outcome.js";
import { streamResponse } from "./stream.js";

/** Names the session of a request, and of an answer. */
const sessionHeader = "x-conclave-session";

const openAi = new OpenAPIHono<FaceEnv>();
describeRoutes(openAi.openAPIRegistry);

export const openAiFace: Face = {
  routes: openAi,
  paths: /^\/v1\/(chat\/completions|responses|models)(\/|$)/,
  callers: "tenant",
  renderProblem: problemAsOpenAi,
};

openAi.post("/v1/chat/completions", (c) =>
  answering(c, async () => {
    const body = readBody(chatRequestSchema, c.get("bodyText"));
    const idempotencyKey = c.req.header("idempotency-key");
    const input = { ...chatInput(body, c.req.header(sessionHeader)), idempotencyKey };
    const services = c.get("services");
    const created = Math.floor(services.now() / 1000);
    const about = { id: `chatcmpl-${newId("req").slice("req_".length)}`, created, model: body.model };
    const { caller, drop } = callerOf(c);
    if (body.stream === true) {
      const { place, events } = given(await streamChat(actorOf(c), input, caller, services));
      const lines = chunkLines(about, events, body.stream_options?.include_usage === true);
      return streamResponse(lines, drop, place.isStateless ? {} : { [sessionHeader]: place.sessionId });
    }
    const answer = answerOf(await completeChat(actorOf(c), input, caller, services));
    if (answer.sessionId !== undefined) c.header(sessionHeader, answer.sessionId);
    return c.json(completionOf(about, answer), 200);
  }),
);

openAi.get("/v1/models", (c) =>
  answering(c, async () => {
    const data = [];
    for (let cursor: string | undefined; ; ) {
      const page = given(await listResources(actorOf(c), { kind: "agents", limit: 200, cursor }, c.get("services")));
      data.push(...page.items.map(modelOf));
      if (page.nextCursor === null || data.length >= maxModels) break;
      cursor = page.nextCursor;
    }
    return c.json({ object: "list", data }, 200);
  }),
);

openAi.get("/v1/models/:model", (c) =>
  answering(c, async () => {
    const name = c.req.param("model");
    const found = await readResource(actorOf(c), { kind: "agents", name }, c.get("services"));
    if (!found.ok && found.problem.code === "not_found") {
      throw new OpenAiError(404, "model_not_found", `There is no agent "${name}".`, "model");
    }
    return c.json(modelOf(given(found)), 200);
  }),
);

/** OpenAI's list has no pages: more agents than this aren't listed. */
const maxModels = 1_000;

function modelOf({ name, updatedAt }: { readonly name: string; readonly updatedAt: string }) {
  return {
    id: name,
    object: "model" as const,
    created: Math.floor(Date.parse(updatedAt) / 1000),
    owned_by: "conclave",
  };
}

/** @throws {OpenAiError} where it was refused. */
function given<T>(result: Result<T>): T {
  if (result.ok) return result.value;
  throw ofProblem(result.problem);
}

/** Renders what was refused; what nobody foresaw is the app's to render. */
async function answering(c: Context<FaceEnv>, answer: () => Promise<Response>): Promise<Response> {
  try {
    const [unknown] = Object.keys(c.req.query());
    if (unknown !== undefined) {
      const detail = `The route doesn't know the query parameter ${unknown}. It takes none.`;
      throw new OpenAiError(400, "unknown_parameter", detail, unknown);
    }
    return await answer();
  } catch (error) {
    if (error instanceof OpenAiError) return errorResponse(error, { "x-request-id": c.get("requestId") });
    throw error;
  }
}

function actorOf(c: Context<FaceEnv>): Actor {
  const actor = c.get("actor");
  if (actor === undefined) throw new OpenAiError(401, "invalid_api_key", "Send a tenant's key as the API key.");
  return actor;
}

/** Whoever waits for the answer: they have gone when their request is aborted, or when they stop reading. */
function callerOf(c: Context<FaceEnv>): { readonly caller: ChatCaller; readonly drop: () => void } {
  const gone = new AbortController();
  const signal = AbortSignal.any([c.req.raw.signal, gone.signal]);
  return {
    caller: { signal, background: (work) => c.executionCtx.waitUntil(work) },
    drop: () => gone.abort(),
  };
}
