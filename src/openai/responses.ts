/** `/v1/responses`: an answer of an agent as a thing of its own, stored or not, gone on from by its id. */
import type { OpenAPIHono } from "@hono/zod-openapi";
import type { Context } from "hono";
import { z } from "zod";
import { completeChat, followPlace, streamChat } from "../application/openai/complete-chat.js";
import { deleteResponse } from "../application/openai/delete-response.js";
import { readResponse } from "../application/openai/read-response.js";
import { responseId } from "../application/openai/response-ref.js";
import type { FaceEnv } from "../http/face.js";
import { readBody, readQuery } from "./body.js";
import { actorOf, answering, callerOf, sessionHeader } from "./calls.js";
import { compact } from "./compact.js";
import { OpenAiError } from "./errors.js";
import { lookUpItems } from "./item-look-ups.js";
import { answerOf } from "./outcome.js";
import { responseBodySchema } from "./response-body.js";
import { echoSchema } from "./response-echo.js";
import { eventLines, responseEvents, resumedEvents } from "./response-events.js";
import { inputItemsOf, listParameters, listQuery, pageOfItems } from "./response-input-items.js";
import { type ResponseHead, type ResponseObject, responseOf } from "./response-object.js";
import { responseInput, subjectOf } from "./response-request.js";
import { connect } from "./response-socket.js";
import { headAt, headOf } from "./stored-response.js";
import { streamResponse } from "./stream.js";

export function addResponseRoutes(routes: OpenAPIHono<FaceEnv>): void {
  routes.post("/v1/responses", (c) => answering(c, () => create(c)));
  routes.get("/v1/responses", connect);
  routes.post("/v1/responses/compact", compact);
  routes.get("/v1/responses/:id", (c) => answering(c, () => read(c), readParameters));
  routes.get("/v1/responses/:id/input_items", (c) => answering(c, () => inputItems(c), listParameters));
  routes.delete("/v1/responses/:id", (c) => answering(c, () => remove(c)));
}

async function create(c: Context<FaceEnv>): Promise<Response> {
  const services = c.get("services");
  const actor = actorOf(c);
  const body = readBody(responseBodySchema, c.get("bodyText"));
  const request = { ...body, input: await lookUpItems(body.input, { actor, subject: subjectOf(body) }, services) };
  const input = responseInput(request, c.req.header(sessionHeader));
  const head = {
    model: body.model,
    echo: echoSchema.parse(input.request.note),
    instructions: body.instructions ?? null,
  };
  const { caller, drop } = callerOf(c);
  if (body.stream === true) {
    const { place, events } = await streamChat(actor, { input, caller }, services);
    const about = headAt(place, head, new Date(services.now()).toISOString());
    return streamResponse(eventLines(responseEvents(about, events)), drop, headersOf(about, place.isStateless));
  }
  const outcome = await completeChat(actor, { input, caller }, services);
  answerOf(outcome);
  const { place, turn } = outcome;
  const about = headAt(place, head, turn.createdAt);
  const headers = headersOf(about, place.isStateless);
  return c.json(responseOf(about, turn) satisfies ResponseObject, 200, headers);
}

/** Where the response is read again; a kept answer to an Idempotency-Key is forgotten by this too, when the response is deleted. */
function headersOf({ ref, echo }: ResponseHead, isStateless: boolean): Record<string, string> {
  return {
    ...(isStateless ? {} : { location: `/v1/responses/${responseId(ref)}` }),
    ...(echo.conversation === undefined ? {} : { [sessionHeader]: ref.sessionId }),
  };
}

const flag = z.enum(["true", "false"]).optional();
const readQuerySchema = z.object({
  stream: flag,
  starting_after: z.coerce.number<string>().int().min(0).optional(),
  include_obfuscation: z.literal("false", { error: "nothing is put between the bytes of an answer" }).optional(),
});
const readParameters = Object.keys(readQuerySchema.shape);

/** As it is now, or with `stream` its events, to its end. */
async function read(c: Context<FaceEnv>): Promise<Response> {
  const { stream, starting_after: after } = readQuery(readQuerySchema, c.req.query());
  const actor = actorOf(c);
  const stored = await readResponse(actor, { id: c.req.param("id") ?? "" }, c.get("services"));
  const head = headOf(stored);
  if (head === undefined) throw new OpenAiError(404, "not_found", "There is no such response.");
  if (stream !== "true") return c.json(responseOf(head, stored.turn) satisfies ResponseObject, 200);
  const { caller, drop } = callerOf(c);
  const { events } = await followPlace(actor, { ...stored.ref, isStateless: false }, caller, c.get("services"));
  const all = responseEvents(head, events);
  return streamResponse(eventLines(after === undefined ? all : resumedEvents(all, after)), drop, {});
}

/** What the response's own request sent, a page at a time. */
async function inputItems(c: Context<FaceEnv>): Promise<Response> {
  const query = readQuery(listQuery, c.req.query());
  const stored = await readResponse(actorOf(c), { id: c.req.param("id") ?? "" }, c.get("services"));
  return c.json(pageOfItems(inputItemsOf(stored), query), 200);
}

async function remove(c: Context<FaceEnv>): Promise<Response> {
  const id = c.req.param("id") ?? "";
  await deleteResponse(actorOf(c), { id }, c.get("services"));
  return c.json({ id, object: "response", deleted: true }, 200);
}
