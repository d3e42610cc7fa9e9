/** OpenAI's API as routes: an agent's name is a model's name, and existing clients work once their base URL is changed. */
import { OpenAPIHono } from "@hono/zod-openapi";
import { completeChat, streamChat } from "../application/openai/complete-chat.js";
import { listResources } from "../application/resources/list-resources.js";
import { readResource } from "../application/resources/read-resource.js";
import { attempt, need } from "../conversation/problem.js";
import type { FaceEnv, LoadedFace } from "../http/face.js";
import { newId } from "../platform/ids.js";
import { readBody } from "./body.js";
import { actorOf, answering, callerOf, sessionHeader } from "./calls.js";
import { chunkLines, completionOf } from "./chat-answer.js";
import { chatInput, chatRequestSchema } from "./chat-request.js";
import { OpenAiError, problemAsOpenAi } from "./errors.js";
import { answerOf, keptSession } from "./outcome.js";
import { addResponseRoutes } from "./responses.js";
import { streamResponse } from "./stream.js";

const routes = new OpenAPIHono<FaceEnv>();
addResponseRoutes(routes);

export const openAi: LoadedFace = { routes: [routes], renderProblem: problemAsOpenAi };

routes.post("/v1/chat/completions", (c) =>
  answering(c, async () => {
    const body = readBody(chatRequestSchema, c.get("bodyText"));
    const input = chatInput(body, c.req.header(sessionHeader));
    const services = c.get("services");
    const created = Math.floor(services.now() / 1000);
    const about = { id: `chatcmpl-${newId("req").slice("req_".length)}`, created, model: body.model };
    const { caller, drop } = callerOf(c);
    if (body.stream === true) {
      const { place, events } = await streamChat(actorOf(c), { input, caller }, services);
      const lines = chunkLines(about, events, body.stream_options?.include_usage === true);
      const session = keptSession(place);
      return streamResponse(lines, drop, session === undefined ? {} : { [sessionHeader]: session });
    }
    const answer = answerOf(await completeChat(actorOf(c), { input, caller }, services));
    if (answer.sessionId !== undefined) c.header(sessionHeader, answer.sessionId);
    return c.json(completionOf(about, answer), 200);
  }),
);

routes.get("/v1/models", (c) =>
  answering(c, async () => {
    const data = [];
    for (let cursor: string | undefined; ; ) {
      const page = await listResources(actorOf(c), { kind: "agents", limit: 200, cursor }, c.get("services"));
      data.push(...page.items.map(modelOf));
      if (page.nextCursor === null || data.length >= maxModels) break;
      cursor = page.nextCursor;
    }
    return c.json({ object: "list", data }, 200);
  }),
);

routes.get("/v1/models/:model", (c) =>
  answering(c, async () => {
    const name = c.req.param("model");
    const found = await attempt(() => readResource(actorOf(c), { kind: "agents", name }, c.get("services")));
    if (!found.ok && found.problem.code === "not_found") {
      throw new OpenAiError(404, "model_not_found", `There is no agent "${name}".`, "model");
    }
    return c.json(modelOf(need(found)), 200);
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
