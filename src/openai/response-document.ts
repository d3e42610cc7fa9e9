/** What the OpenAPI document says of `/v1/responses`: its bodies are those of Open Responses. */
import { zodToOpenAPIRegistry } from "@asteasolutions/zod-to-openapi";
import { type OpenAPIHono, type RouteConfig, z } from "@hono/zod-openapi";
import { compactRequestSchema, responseRequestSchema } from "./response-body.js";
import { echoSchema, shownToolSchema } from "./response-echo.js";
import { responseEventSchema } from "./response-events.js";
import { inputItemSchema, inputItemsSchema } from "./response-input-items.js";
import { itemSchema } from "./response-items.js";
import {
  outputCallSchema,
  outputItemSchema,
  outputMessageSchema,
  partSchema,
  responseSchema,
  usageSchema,
} from "./response-object.js";

type Registry = OpenAPIHono["openAPIRegistry"];
type Refusals = (...statuses: readonly number[]) => RouteConfig["responses"];

const about = { tags: ["OpenAI"], security: [{ key: [] }] };

export const compactionSchema = z.object({
  id: z.string(),
  object: z.literal("response.compaction"),
  created_at: z.int(),
  output: z.array(z.object({ type: z.literal("compaction"), id: z.string(), encrypted_content: z.string() })),
  usage: usageSchema,
});

/** Shapes that stand in the document once, under a name. */
const shapes: Readonly<Record<string, z.ZodType>> = {
  ResponseInputItem: itemSchema,
  ResponseItem: outputItemSchema,
  ResponseSentItem: inputItemSchema,
  ResponseMessage: outputMessageSchema,
  ResponseFunctionCall: outputCallSchema,
  ResponsePart: partSchema,
  ResponseTool: shownToolSchema,
  ResponseText: echoSchema.shape.text,
  ResponseUsage: usageSchema,
  Response: responseSchema,
  ResponseEvent: responseEventSchema,
  ResponseRequest: responseRequestSchema,
};
for (const [refId, schema] of Object.entries(shapes)) zodToOpenAPIRegistry.add(schema, { _internal: { refId } });

export function describeResponses(registry: Registry, refusals: Refusals): void {
  const params = z.object({ responseId: z.string().max(200) });

  registry.registerPath({
    ...about,
    "x-act": "completeChat",
    method: "post",
    path: "/v1/responses",
    operationId: "createResponse",
    summary: "Have an agent answer, as Open Responses has it: `model` is the agent's name",
    description:
      "`input` is the conversation, or what is new in it: `previous_response_id` goes on from a response that was stored, any number of times, and `conversation` names a session. A response is stored unless `store` is false. All of it is supervised. What was blocked has status `incomplete`, reason `content_filter` and a refusal. An open question is the answer, with its id in brackets and in `metadata`; the next call with this `previous_response_id` answers it, and gets the same response, complete. With `stream` the answer comes as events.",
    request: { body: { content: { "application/json": { schema: responseRequestSchema } }, required: true } },
    responses: {
      200: {
        description: "The response, or its events",
        headers: z.object({ location: z.string().optional() }),
        content: {
          "application/json": { schema: responseSchema },
          "text/event-stream": { schema: responseEventSchema },
        },
      },
      ...refusals(400, 404, 409, 413, 415, 429, 502),
    },
  });
  registry.registerPath({
    ...about,
    "x-act": "completeChat",
    method: "get",
    path: "/v1/responses",
    operationId: "connectToResponses",
    summary: "Have an agent answer over a WebSocket, one response after the other",
    description:
      'Each message is a body of `POST /v1/responses` with `type: "response.create"` and without `stream`; what comes back are the same events. What isn\'t stored can be gone on from as long as the socket is open: the newest response alone. A refusal is an event of type `error` with a `status`.',
    responses: {
      101: { description: "The socket" },
      ...refusals(400, 426, 429),
    },
  });
  registry.registerPath({
    ...about,
    "x-act": "completeChat",
    method: "post",
    path: "/v1/responses/compact",
    operationId: "compactResponse",
    summary: "Make a conversation short: its summary is sealed, and stands for it in a later `input`",
    description:
      "The agent sums the conversation up, supervised like any answer. What comes back can be opened by nobody but this deployment, and used by the same tenant alone, by an end user's token only for its own subject.",
    request: { body: { content: { "application/json": { schema: compactRequestSchema } }, required: true } },
    responses: {
      200: { description: "The compaction", content: { "application/json": { schema: compactionSchema } } },
      ...refusals(400, 404, 409, 413, 415, 429, 502),
    },
  });
  registry.registerPath({
    ...about,
    "x-act": "readResponse",
    method: "get",
    path: "/v1/responses/{responseId}",
    operationId: "getResponse",
    summary: "A response that was stored, as it is now",
    description:
      "What the request's instructions said isn't shown again: `instructions` is null. With `stream=true` it comes as events, to its end; behind `starting_after` what came in pieces comes whole where it is done, not in pieces again.",
    request: {
      params,
      query: z.object({
        stream: z.enum(["true", "false"]).optional(),
        starting_after: z.int().min(0).optional(),
        include_obfuscation: z.literal("false").optional(),
      }),
    },
    responses: {
      200: {
        description: "The response, or its events",
        content: {
          "application/json": { schema: responseSchema },
          "text/event-stream": { schema: responseEventSchema },
        },
      },
      ...refusals(400, 404, 429),
    },
  });
  registry.registerPath({
    ...about,
    "x-act": "readResponse",
    method: "get",
    path: "/v1/responses/{responseId}/input_items",
    operationId: "listResponseInputItems",
    summary: "What the request of a stored response sent, the newest first",
    description:
      "What the response's own request sent, not what it goes on from: `previous_response_id` names that. Of a request that supervisors changed there is the message alone, as they left it, of one that they blocked nothing.",
    request: {
      params,
      query: z.object({
        limit: z.int().min(1).max(100).default(20),
        order: z.enum(["asc", "desc"]).default("desc"),
        after: z.string().max(200).optional(),
      }),
    },
    responses: {
      200: { description: "A page of items", content: { "application/json": { schema: inputItemsSchema } } },
      ...refusals(400, 404, 429),
    },
  });
  registry.registerPath({
    ...about,
    "x-act": "deleteResponse",
    method: "delete",
    path: "/v1/responses/{responseId}",
    operationId: "deleteResponse",
    summary: "Delete a response that was stored; those that follow it stay, without it",
    description:
      "The session that it was goes, with its messages and its events; what supervisors decided stays in the tenant's audit. A response of a conversation goes with the conversation alone: 409.",
    request: { params },
    responses: {
      200: {
        description: "It is deleted",
        content: {
          "application/json": {
            schema: z.object({ id: z.string(), object: z.literal("response"), deleted: z.literal(true) }),
          },
        },
      },
      ...refusals(400, 404, 409, 429),
    },
  });
}
