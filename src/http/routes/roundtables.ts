/** Roundtables: begun, gone on with, controlled and followed. What is read of their record: `roundtable-records.ts`. */
import { z } from "zod";
import { continueRoundtable } from "../../application/roundtables/continue-roundtable.js";
import { controlRoundtable } from "../../application/roundtables/control-roundtable.js";
import { forkRoundtable } from "../../application/roundtables/fork-roundtable.js";
import { giveContext } from "../../application/roundtables/give-context.js";
import { listRoundtables } from "../../application/roundtables/list-roundtables.js";
import { readRoundtable } from "../../application/roundtables/read-roundtable.js";
import { startRoundtable } from "../../application/roundtables/start-roundtable.js";
import { synthesizeRoundtable } from "../../application/roundtables/synthesize-roundtable.js";
import { externalIdSchema, itemName, subjectSchema } from "../../conversation/names.js";
import { debateStatuses } from "../../roundtable/debate.js";
import { modeNames } from "../../roundtable/modes/table.js";
import {
  contextResultsSchema,
  continueSchema,
  controlActions,
  newRoundtableSchema,
  roundtableSchema,
  roundtableSummarySchema,
} from "../../roundtable/roundtable.js";
import { actorOf, unwrap } from "../context.js";
import { eventsAnswers, eventsDescription, eventsQuery, eventsResponse } from "../events.js";
import { metadataFilter } from "../query.js";
import { json, jsonBody, listOf, newRouter, pageQuery, route } from "../routing.js";

const tags = ["Roundtables"];
export const roundtableParam = z.object({ roundtableId: z.string().max(100) });
const patience = z.int().min(0).max(300_000);
const waitMs = patience.default(60_000);
const answers = {
  200: json("The roundtable, once nothing runs any more", roundtableSchema),
  202: json("The roundtable, in which something still runs", roundtableSchema),
};

export const roundtables = newRouter();

roundtables.openapi(
  route({
    "x-act": "startRoundtable",
    method: "post",
    path: "/v1/roundtables",
    tags,
    summary: "Have a panel debate a topic; the first round begins at once",
    request: { body: jsonBody(newRoundtableSchema.safeExtend({ waitMs })) },
    responses: {
      201: json("The roundtable, after its first round", roundtableSchema),
      202: json("The roundtable, whose first round still runs", roundtableSchema),
    },
  }),
  async (c) => {
    const { waitMs: wait, ...start } = c.req.valid("json");
    const input = { start, waitMs: wait, idempotencyKey: c.req.header("idempotency-key") };
    const roundtable = unwrap(await startRoundtable(actorOf(c), input, c.get("services")));
    c.header("location", `/v1/roundtables/${roundtable.sessionId}`);
    return c.json(roundtable, roundtable.running ? 202 : 201);
  },
);

const listQuery = pageQuery
  .extend({
    status: z.enum(debateStatuses).optional(),
    mode: z.enum(modeNames).optional(),
    panel: itemName.optional(),
    subject: subjectSchema.optional(),
    externalId: externalIdSchema.optional(),
  })
  .catchall(z.string());

roundtables.openapi(
  route({
    "x-act": "listRoundtables",
    method: "get",
    path: "/v1/roundtables",
    tags,
    summary: "The tenant's roundtables, newest first",
    request: { query: listQuery },
    responses: { 200: json("A page of roundtables", listOf(roundtableSummarySchema)) },
  }),
  async (c) => {
    const { limit, cursor, status, mode, panel, subject, externalId, ...rest } = c.req.valid("query");
    const filter = { status, mode, panel, subject, externalId, metadata: metadataFilter(rest) };
    return c.json(unwrap(await listRoundtables(actorOf(c), { limit, cursor, filter }, c.get("services"))), 200);
  },
);

roundtables.openapi(
  route({
    "x-act": "readRoundtable",
    method: "get",
    path: "/v1/roundtables/{roundtableId}",
    tags,
    summary: "One roundtable, as it is now; `waitMs` waits for the end of what runs",
    request: {
      params: roundtableParam,
      query: z.object({ waitMs: z.coerce.number<string>().int().min(0).max(300_000).default(0) }),
    },
    responses: { 200: json("The roundtable", roundtableSchema) },
  }),
  async (c) => {
    const query = { ...c.req.valid("param"), ...c.req.valid("query") };
    return c.json(unwrap(await readRoundtable(actorOf(c), query, c.get("services"))), 200);
  },
);

roundtables.openapi(
  route({
    "x-act": "continueRoundtable",
    method: "post",
    path: "/v1/roundtables/{roundtableId}/continue",
    tags,
    summary: "Go on: one more round, with what its seats asked for; or the closing pass",
    request: { params: roundtableParam, body: jsonBody(continueSchema.extend({ waitMs })) },
    responses: answers,
  }),
  async (c) => {
    const { waitMs: wait, ...command } = c.req.valid("json");
    const input = { roundtableId: c.req.valid("param").roundtableId, command, waitMs: wait };
    const roundtable = unwrap(await continueRoundtable(actorOf(c), input, c.get("services")));
    return c.json(roundtable, roundtable.running ? 202 : 200);
  },
);

roundtables.openapi(
  route({
    "x-act": "giveContext",
    method: "post",
    path: "/v1/roundtables/{roundtableId}/context",
    tags,
    summary: "Bring what the seats asked for",
    request: {
      params: roundtableParam,
      body: jsonBody(z.strictObject({ contextResults: contextResultsSchema.min(1) })),
    },
    responses: { 200: json("The roundtable, with what became of each result", roundtableSchema) },
  }),
  async (c) => {
    const { contextResults: results } = c.req.valid("json");
    const input = { roundtableId: c.req.valid("param").roundtableId, results };
    return c.json(unwrap(await giveContext(actorOf(c), input, c.get("services"))), 200);
  },
);

roundtables.openapi(
  route({
    "x-act": "synthesizeRoundtable",
    method: "post",
    path: "/v1/roundtables/{roundtableId}/synthesis",
    tags,
    summary: "Bring the debate together in one text",
    request: { params: roundtableParam, body: jsonBody(z.strictObject({ waitMs })) },
    responses: answers,
  }),
  async (c) => {
    const input = { ...c.req.valid("param"), ...c.req.valid("json") };
    const roundtable = unwrap(await synthesizeRoundtable(actorOf(c), input, c.get("services")));
    return c.json(roundtable, roundtable.running ? 202 : 200);
  },
);

roundtables.openapi(
  route({
    "x-act": "controlRoundtable",
    method: "post",
    path: "/v1/roundtables/{roundtableId}/control",
    tags,
    summary: "Pause, resume or stop it, or have it answer now",
    request: {
      params: roundtableParam,
      body: jsonBody(z.strictObject({ action: z.enum(controlActions), waitMs })),
    },
    responses: answers,
  }),
  async (c) => {
    const { action, waitMs: wait } = c.req.valid("json");
    // Only an answer is waited for: a round that is paused goes on to its end.
    const input = {
      roundtableId: c.req.valid("param").roundtableId,
      action,
      waitMs: action === "answerNow" ? wait : 0,
    };
    const roundtable = unwrap(await controlRoundtable(actorOf(c), input, c.get("services")));
    return c.json(roundtable, roundtable.running ? 202 : 200);
  },
);

roundtables.openapi(
  route({
    "x-act": "forkRoundtable",
    method: "post",
    path: "/v1/roundtables/{roundtableId}/fork",
    tags,
    summary: "Go on from one of its rounds in a roundtable of its own",
    request: {
      params: roundtableParam,
      body: jsonBody(z.strictObject({ round: z.int().min(1).max(20) })),
    },
    responses: { 201: json("The new roundtable", roundtableSchema) },
  }),
  async (c) => {
    const { round } = c.req.valid("json");
    const idempotencyKey = c.req.header("idempotency-key");
    const input = { roundtableId: c.req.valid("param").roundtableId, round, idempotencyKey };
    const roundtable = unwrap(await forkRoundtable(actorOf(c), input, c.get("services")));
    c.header("location", `/v1/roundtables/${roundtable.sessionId}`);
    return c.json(roundtable, 201);
  },
);

roundtables.openapi(
  route({
    "x-act": "followEvents",
    method: "get",
    path: "/v1/roundtables/{roundtableId}/events",
    tags,
    summary: "Everything that happened in a roundtable, and happens: server-sent events, or a WebSocket on upgrade",
    description: eventsDescription,
    request: { params: roundtableParam, query: eventsQuery },
    responses: eventsAnswers("roundtable"),
  }),
  (c) => eventsResponse(c, { kind: "roundtable", id: c.req.valid("param").roundtableId }, c.req.valid("query")),
);
