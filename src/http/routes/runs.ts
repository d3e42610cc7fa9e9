import { z } from "zod";
import { builtInServer } from "../../agent/built-in-tools.js";
import { missingNames, missingTools, namedAt } from "../../application/name-checks.js";
import type { Services } from "../../application/services.js";
import { checkMemories, checkTeam } from "../../application/team-checks.js";
import { pinTeams } from "../../application/team-loader.js";
import { askShownTo } from "../../asks/ask.js";
import type { ProblemIssue } from "../../conversation/problem.js";
import { runTraceSchema } from "../../gateways/run-gateway.js";
import { sha256Hex } from "../../platform/digest.js";
import { newId } from "../../platform/ids.js";
import {
  hasEnded,
  newRunSchema,
  type Run,
  runSchema,
  runStatuses,
  runSummarySchema,
} from "../../routing/routed-run.js";
import { memoriesOf } from "../../routing/team-parts.js";
import type { Caller } from "../../stores/tenant-store.js";
import { callerOf, unwrap } from "../context.js";
import { eventsAnswers, eventsDescription, eventsQuery, followEvents } from "../events.js";
import { problem } from "../problems.js";
import { decodeCursor, json, jsonBody, listOf, newRouter, pageOf, pageQuery, route } from "../routing.js";

const tags = ["Routing runs"];
const runParam = z.object({ runId: z.string().max(100) });
const waitMs = z.int().min(0).max(300_000);

export const runs = newRouter();

runs.openapi(
  route({
    method: "post",
    path: "/v1/runs",
    tags,
    summary: "Have a team work on an input; the team by name, or sent along",
    description:
      "A run that has ended within `waitMs` (a minute, if nothing is said), or waits for an answer, is a 200; one that still works is a 202, to be looked up or followed. An `Idempotency-Key` makes sure that a run sent twice is one run.",
    request: { body: jsonBody(newRunSchema.extend({ waitMs: waitMs.default(60_000) })) },
    responses: { 200: json("The run", runSchema), 202: json("The run still works", runSchema) },
  }),
  async (c) => {
    const caller = callerOf(c);
    const { tenantId } = caller;
    const { waitMs: patience, ...definition } = c.req.valid("json");
    const services = c.get("services");
    const faults = await missingParts(services, tenantId, definition);
    if (faults.length > 0) {
      throw problem("invalid", "The run names things that don't exist or can't be used; see errors.", {
        errors: faults,
      });
    }
    let runId = newId("run");
    const key = c.req.header("idempotency-key");
    if (key !== undefined) {
      const hash = await sha256Hex(JSON.stringify(definition));
      const claimed = await services.runIndex.claimKey(tenantId, key, hash, runId);
      if (!claimed.sameRequest) {
        throw problem("idempotency_conflict", "This Idempotency-Key came with another run before. Use a new key.");
      }
      ({ runId } = claimed);
    }
    const run = unwrap(await services.runs.start(tenantId, runId, definition, patience));
    c.header("location", `/v1/runs/${runId}`);
    return c.json(showRun(run, caller), hasEnded(run.status) || run.status === "waiting" ? 200 : 202);
  },
);

runs.openapi(
  route({
    method: "get",
    path: "/v1/runs",
    tags,
    summary: "The tenant's runs, newest first",
    description: "A copy of what the runs hold, a moment behind them. One run by its id is always current.",
    request: { query: pageQuery.extend({ status: z.enum(runStatuses).optional() }) },
    responses: { 200: json("A page of runs", listOf(runSummarySchema)) },
  }),
  async (c) => {
    const { tenantId } = callerOf(c);
    const { limit, cursor, status } = c.req.valid("query");
    const rows = await c.get("services").runIndex.runs(tenantId, { status }, decodeCursor(cursor), limit + 1);
    return c.json(
      pageOf(
        rows,
        limit,
        ({ runId }) => runId,
        (run) => run,
      ),
      200,
    );
  },
);

runs.openapi(
  route({
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
    const caller = callerOf(c);
    const { runId } = c.req.valid("param");
    const run = await c.get("services").runs.describe(caller.tenantId, runId, c.req.valid("query").waitMs);
    return c.json(showRun(unwrap(run), caller), 200);
  },
);

runs.openapi(
  route({
    method: "get",
    path: "/v1/runs/{runId}/trace",
    tags,
    summary:
      "Everything that happened in a run, and the same as a story (`Accept: text/markdown`, or `?format=markdown`)",
    request: { params: runParam, query: z.object({ format: z.enum(["json", "markdown", "text"]).optional() }) },
    responses: {
      200: {
        description: "The trace",
        content: {
          "application/json": { schema: runTraceSchema },
          "text/markdown": { schema: z.string() },
          "text/plain": { schema: z.string() },
        },
      },
    },
  }),
  async (c) => {
    const { tenantId } = callerOf(c);
    const { runId } = c.req.valid("param");
    const trace = unwrap(await c.get("services").runs.trace(tenantId, runId));
    const accepted = c.req.header("accept") ?? "";
    const asked = accepted.includes("text/markdown") ? "markdown" : accepted.includes("text/plain") ? "text" : "json";
    const format = c.req.valid("query").format ?? asked;
    if (format === "json") return c.json(trace, 200);
    const type = format === "markdown" ? "text/markdown; charset=utf-8" : "text/plain; charset=utf-8";
    return c.body(`${trace.story}\n`, 200, { "content-type": type });
  },
);

runs.openapi(
  route({
    method: "get",
    path: "/v1/runs/{runId}/events",
    tags,
    summary: "Everything that happened in a run, and happens: server-sent events, or a WebSocket on upgrade",
    description: eventsDescription,
    request: { params: runParam, query: eventsQuery },
    responses: eventsAnswers("run"),
  }),
  (c) => {
    const root = { kind: "run", id: c.req.valid("param").runId };
    return followEvents(c, c.get("services").runs, root, c.req.valid("query"));
  },
);

runs.openapi(
  route({
    method: "post",
    path: "/v1/runs/{runId}/cancel",
    tags,
    summary: "Cancel a run that hasn't ended; its open asks are cancelled with it",
    request: { params: runParam },
    responses: { 200: json("The run", runSchema) },
  }),
  async (c) => {
    const caller = callerOf(c);
    const { runId } = c.req.valid("param");
    return c.json(showRun(unwrap(await c.get("services").runs.cancel(caller.tenantId, runId)), caller), 200);
  },
);

/** Everything that a run names has to be there when it begins. */
async function missingParts(
  { resources, policy, memory: memories }: Services,
  tenantId: string,
  definition: z.infer<typeof newRunSchema>,
): Promise<ProblemIssue[]> {
  const { team, supervisors, memory } = definition;
  const names = await pinTeams(resources, tenantId, team);
  const wanted = [
    ...namedAt("supervisors", "supervisors", supervisors),
    ...names.supervisors.map((name) => ({ path: "team.supervisors", kind: "supervisors" as const, name })),
  ];
  // Those of the system are checked with the team itself.
  const refs = names.tools.filter(({ server }) => server !== builtInServer).map((ref) => ({ path: "team.tools", ref }));
  const [absent, absentTools] = await Promise.all([
    missingNames(resources, tenantId, wanted),
    missingTools(resources, tenantId, refs),
  ]);
  const noMemory = memory !== undefined && !(await memories.memory(tenantId, memory.memoryId)).ok;
  return [
    ...names.missing.map((name) => ({
      path: "team",
      message: `there is no teams/${name}; store it at PUT /v1/teams/${name}`,
    })),
    ...absentTools,
    ...absent,
    ...(noMemory ? [{ path: "memory.memoryId", message: "there is no such memory" }] : []),
    ...(typeof team === "string" ? [] : checkTeam(team, policy, "team")),
    ...(typeof team === "string" ? [] : await checkMemories(memories, tenantId, memoriesOf(team), "team")),
  ];
}

function showRun(run: Run, caller: Caller): Run {
  return { ...run, asks: run.asks.map((ask) => askShownTo(ask, caller.role)) };
}
