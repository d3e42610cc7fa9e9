/** Runs of teams: started, read, followed, cancelled, and their traces. */
import { z } from "zod";
import { cancelRun } from "../../application/runs/cancel-run.js";
import { listRuns } from "../../application/runs/list-runs.js";
import { readRun } from "../../application/runs/read-run.js";
import { readTrace } from "../../application/runs/read-trace.js";
import { startRun, streamRun } from "../../application/runs/start-run.js";
import { externalIdSchema, itemName, subjectSchema } from "../../conversation/names.js";
import { hasEnded, newRunSchema, runSchema, runStatuses, runSummarySchema } from "../../routing/run.js";
import { runTraceSchema } from "../../routing/trace.js";
import { actorOf, unwrap } from "../context.js";
import {
  eventStreamOf,
  eventStreamResponse,
  eventsAnswers,
  eventsDescription,
  eventsQuery,
  eventsResponse,
} from "../events.js";
import { metadataFilter } from "../query.js";
import { json, jsonBody, listOf, newRouter, pageQuery, route } from "../routing.js";
import { storyType, traceAnswer, traceQuery } from "../trace.js";

const tags = ["Routing runs"];
const runParam = z.object({ runId: z.string().max(100) });
const waitMs = z.int().min(0).max(300_000);

export const runs = newRouter();

runs.openapi(
  route({
    "x-act": "startRun",
    method: "post",
    path: "/v1/runs",
    tags,
    summary: "Have a team work on an input; with `Accept: text/event-stream` its events as they happen",
    description:
      "The team is named, or sent along. A run that has ended within `waitMs` (a minute, if nothing is said), or waits for an answer, is a 200; one that still works is a 202, to be looked up or followed. An `Idempotency-Key` makes sure that a run sent twice is one run.",
    request: { body: jsonBody(newRunSchema.extend({ waitMs: waitMs.default(60_000) })) },
    responses: {
      200: {
        description: "The run, or its events",
        content: { "application/json": { schema: runSchema }, ...eventStreamOf("run") },
      },
      202: json("The run still works", runSchema),
    },
  }),
  async (c) => {
    const { waitMs: patience, ...definition } = c.req.valid("json");
    const input = { definition, waitMs: patience, idempotencyKey: c.req.header("idempotency-key") };
    if (c.req.header("accept")?.includes("text/event-stream") ?? false) {
      return eventStreamResponse(unwrap(await streamRun(actorOf(c), input, c.get("services"))));
    }
    const run = unwrap(await startRun(actorOf(c), input, c.get("services")));
    c.header("location", `/v1/runs/${run.runId}`);
    return c.json(run, hasEnded(run.status) || run.status === "waiting" ? 200 : 202);
  },
);

const runsQuery = pageQuery
  .extend({
    status: z.enum(runStatuses).optional(),
    team: itemName.optional(),
    subject: subjectSchema.optional(),
    externalId: externalIdSchema.optional(),
  })
  .catchall(z.string());

runs.openapi(
  route({
    "x-act": "listRuns",
    method: "get",
    path: "/v1/runs",
    tags,
    summary: "The tenant's runs, newest first",
    description:
      "A copy of what the runs hold, a moment behind them; one run by its id is always current. `metadata.x=y` finds those whose metadata has `y` under `x`.",
    request: { query: runsQuery },
    responses: { 200: json("A page of runs", listOf(runSummarySchema)) },
  }),
  async (c) => {
    const { limit, cursor, status, team, subject, externalId, ...rest } = c.req.valid("query");
    const filter = { status, team, subject, externalId, metadata: metadataFilter(rest) };
    return c.json(unwrap(await listRuns(actorOf(c), { limit, cursor, filter }, c.get("services"))), 200);
  },
);

runs.openapi(
  route({
    "x-act": "readRun",
    method: "get",
    path: "/v1/runs/{runId}",
    tags,
    summary: "One run, as it is now; `waitMs` waits for it to end or to wait itself",
    request: {
      params: runParam,
      query: z.object({ waitMs: z.coerce.number<string>().int().min(0).max(300_000).default(0) }),
    },
    responses: { 200: json("The run", runSchema) },
  }),
  async (c) => {
    const query = { ...c.req.valid("param"), ...c.req.valid("query") };
    return c.json(unwrap(await readRun(actorOf(c), query, c.get("services"))), 200);
  },
);

runs.openapi(
  route({
    "x-act": "readTrace",
    method: "get",
    path: "/v1/runs/{runId}/trace",
    tags,
    summary:
      "Everything that happened in a run, and the same as a story (`Accept: text/markdown`, or `?format=markdown`)",
    request: { params: runParam, query: traceQuery },
    responses: traceAnswer(runTraceSchema),
  }),
  async (c) => {
    const trace = unwrap(await readTrace(actorOf(c), c.req.valid("param").runId, c.get("services")));
    const type = storyType(c, c.req.valid("query").format);
    return type === undefined ? c.json(trace, 200) : c.body(`${trace.story}\n`, 200, { "content-type": type });
  },
);

runs.openapi(
  route({
    "x-act": "followEvents",
    method: "get",
    path: "/v1/runs/{runId}/events",
    tags,
    summary: "Everything that happened in a run, and happens: server-sent events, or a WebSocket on upgrade",
    description: eventsDescription,
    request: { params: runParam, query: eventsQuery },
    responses: eventsAnswers("run"),
  }),
  (c) => eventsResponse(c, { kind: "run", id: c.req.valid("param").runId }, c.req.valid("query")),
);

runs.openapi(
  route({
    "x-act": "cancelRun",
    method: "post",
    path: "/v1/runs/{runId}/cancel",
    tags,
    summary: "Cancel a run that hasn't ended; its open asks are cancelled with it",
    request: { params: runParam },
    responses: { 200: json("The run", runSchema) },
  }),
  async (c) => {
    const { runId } = c.req.valid("param");
    return c.json(unwrap(await cancelRun(actorOf(c), runId, c.get("services"))), 200);
  },
);
