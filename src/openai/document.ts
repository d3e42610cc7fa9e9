/** What the OpenAPI document says of these routes: their bodies are OpenAI's, and so are their errors. The Worker has no need of it. */
import { OpenAPIHono, z } from "@hono/zod-openapi";
import type { FaceEnv, LoadedFace } from "../http/face.js";
import { chunkSchema, completionSchema } from "./chat-answer.js";
import { chatRequestSchema } from "./chat-request.js";
import { errorSchema } from "./errors.js";
import { describeResponses } from "./response-document.js";

type Registry = OpenAPIHono["openAPIRegistry"];

const modelSchema = z.object({ id: z.string(), object: z.literal("model"), created: z.int(), owned_by: z.string() });
const tags = ["OpenAI"];
const security = [{ key: [] }];

const errorTexts: Readonly<Record<number, string>> = {
  400: "What was wrong with the request; `param` names where",
  401: "`invalid_api_key`: a tenant's key or token is needed",
  403: "The key may not do this",
  404: "There is no such thing: `model_not_found`, `previous_response_not_found`, or no such session or response",
  409: "It conflicts with what goes on: a question is open, or a key was used before",
  413: "The body is too large",
  415: "The body isn't JSON",
  426: "A WebSocket is opened here",
  429: "Too many requests or waiting messages",
  500: "An internal error, or an agent that isn't set up completely",
  502: "`model_unavailable`: no model gave an answer",
  503: "Not available now",
};

function describeRoutes(registry: Registry): void {
  const error = registry.register("OpenAiError", errorSchema);
  const model = registry.register("OpenAiModel", modelSchema);
  const request = registry.register("ChatCompletionRequest", chatRequestSchema);
  const completion = registry.register("ChatCompletion", completionSchema);
  const chunk = registry.register("ChatCompletionChunk", chunkSchema);
  const refusals = (...statuses: readonly number[]) => ({
    ...Object.fromEntries(
      [401, 403, 500, 503, ...statuses].map((status) => [
        status,
        { description: errorTexts[status] ?? "", content: { "application/json": { schema: error } } },
      ]),
    ),
    default: { description: "What was wrong", content: { "application/json": { schema: error } } },
  });

  registry.registerPath({
    "x-act": "completeChat",
    method: "post",
    path: "/v1/chat/completions",
    operationId: "createChatCompletion",
    tags,
    security,
    summary: "Talk to an agent as OpenAI's clients do: `model` is the agent's name",
    description:
      "The messages sent are the conversation, and all of it is supervised; `metadata.sessionId` or the header `x-conclave-session` names a session instead, and then only what follows the last assistant message is taken. What was blocked has `finish_reason` `content_filter` and a `refusal`. An open question is the answer, with its id in brackets; the next call answers it. With `stream` the answer comes in chunks.",
    request: { body: { content: { "application/json": { schema: request } }, required: true } },
    responses: {
      200: {
        description: "The answer, or its chunks",
        content: { "application/json": { schema: completion }, "text/event-stream": { schema: chunk } },
      },
      ...refusals(400, 404, 409, 413, 415, 429, 502),
    },
  });
  describeResponses(registry, refusals);
  registry.registerPath({
    "x-act": "listResources",
    method: "get",
    path: "/v1/models",
    operationId: "listModels",
    tags,
    security,
    summary: "The agents, as OpenAI's clients list models",
    responses: {
      200: {
        description: "The agents",
        content: { "application/json": { schema: z.object({ object: z.literal("list"), data: z.array(model) }) } },
      },
      ...refusals(400, 429),
    },
  });
  registry.registerPath({
    "x-act": "readResource",
    method: "get",
    path: "/v1/models/{model}",
    operationId: "getModel",
    tags,
    security,
    summary: "An agent, as OpenAI's clients read a model",
    request: { params: z.object({ model: z.string().max(100) }) },
    responses: {
      200: { description: "The agent", content: { "application/json": { schema: model } } },
      ...refusals(400, 404, 429),
    },
  });
}

const routes = new OpenAPIHono<FaceEnv>();
describeRoutes(routes.openAPIRegistry);
/** The face as the document has it. */
export const describedOpenAi: LoadedFace = { routes: [routes] };
