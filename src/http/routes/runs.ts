/** Runs of teams: started, read, followed, cancelled, and their traces. */
import { z } from "zod";
import { runActs } from "../../application/runs/acts.js";
import { readTrace } from "../../application/runs/read-trace.js";
import { startRun, streamRun } from "../../application/runs/start-run.js";
import { hasEnded, newRunSchema, runSchema } from "../../routing/run.js";
import { runTraceSchema } from "../../routing/trace.js";
import { routesOf } from "../act-routes.js";
import { actorOf } from "../context.js";
import {
  eventStreamOf,
  eventStreamResponse,
  eventsAnswers,
  eventsDescription,
  eventsQuery,
  eventsResponse,
} from "../events.js";
import { json, jsonBody, route } from "../routing.js";
import { storyType, traceAnswer, traceQuery } from "../trace.js";

const tags = ["Routing runs"];
const runParam = z.object({ runId: z.string().max(100) });
const waitMs = z.int().min(0).max(300_000);

export const runs = routesOf(runActs, {
  startRun: (router) =>
    router.openapi(
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
        if (c.req.header("accept")?.includes("text/event-stream") ?? false) {
          return eventStreamResponse(await streamRun(actorOf(c), definition, c.get("services")));
        }
        const run = await startRun(actorOf(c), { definition, waitMs: patience }, c.get("services"));
        c.header("location", `/v1/runs/${run.runId}`);
        return c.json(run, hasEnded(run.status) || run.status === "waiting" ? 200 : 202);
      },
    ),
  readTrace: (router) => {
    router.openapi(
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
        const trace = await readTrace(actorOf(c), c.req.valid("param"), c.get("services"));
        const type = storyType(c, c.req.valid("query").format);
        return type === undefined ? c.json(trace, 200) : c.body(`${trace.story}\n`, 200, { "content-type": type });
      },
    );
    router.openapi(
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
  },
});
