/** What a roundtable's record says: its rounds, what they came to, who thought what, and all of it to take away. */
import { z } from "zod";
import {
  exportDebate,
  listCitations,
  listRequests,
  readConsensus,
  readRound,
  readThoughts,
} from "../../application/roundtables/read-record.js";
import { consensusSchema } from "../../roundtable/consensus/schema.js";
import { contextPriorities, contextRequestViewSchema, requestStatuses } from "../../roundtable/context-request.js";
import { debateExportSchema } from "../../roundtable/debate-record.js";
import { thoughtsSchema } from "../../roundtable/reading/thoughts.js";
import { shownCitationSchema, shownRoundSchema } from "../../roundtable/record-views.js";
import { actorOf, unwrap } from "../context.js";
import { json, listOf, newRouter, pageQuery, route } from "../routing.js";
import { roundtableParam } from "./roundtables.js";

const tags = ["Roundtables"];
const number = z.coerce.number<string>().int().min(1).max(1_000);

export const roundtableRecords = newRouter();

roundtableRecords.openapi(
  route({
    "x-act": "readRoundtable",
    method: "get",
    path: "/v1/roundtables/{roundtableId}/rounds/{round}",
    tags,
    summary: "One complete round",
    request: { params: roundtableParam.extend({ round: number }) },
    responses: { 200: json("The round", shownRoundSchema) },
  }),
  async (c) => {
    const { roundtableId, round } = c.req.valid("param");
    return c.json(unwrap(await readRound(actorOf(c), { roundtableId, round }, c.get("services"))), 200);
  },
);

roundtableRecords.openapi(
  route({
    "x-act": "readRoundtable",
    method: "get",
    path: "/v1/roundtables/{roundtableId}/consensus",
    tags,
    summary: "What a round came to: the last complete one, or the one that `round` names",
    request: { params: roundtableParam, query: z.object({ round: number.optional() }) },
    responses: { 200: json("The consensus", consensusSchema) },
  }),
  async (c) => {
    const input = { ...c.req.valid("param"), ...c.req.valid("query") };
    return c.json(unwrap(await readConsensus(actorOf(c), input, c.get("services"))), 200);
  },
);

roundtableRecords.openapi(
  route({
    "x-act": "readRoundtable",
    method: "get",
    path: "/v1/roundtables/{roundtableId}/thoughts/{agentId}",
    tags,
    summary: "What one seat held over the rounds, and what changed it",
    request: { params: roundtableParam.extend({ agentId: z.string().max(100) }) },
    responses: { 200: json("The seat's thoughts", thoughtsSchema) },
  }),
  async (c) => {
    const { roundtableId, agentId } = c.req.valid("param");
    return c.json(unwrap(await readThoughts(actorOf(c), { roundtableId, agentId }, c.get("services"))), 200);
  },
);

roundtableRecords.openapi(
  route({
    "x-act": "readRoundtable",
    method: "get",
    path: "/v1/roundtables/{roundtableId}/citations",
    tags,
    summary: "The sources that positions rest on",
    request: { params: roundtableParam, query: pageQuery },
    responses: { 200: json("A page of sources", listOf(shownCitationSchema)) },
  }),
  async (c) => {
    const input = { ...c.req.valid("param"), ...c.req.valid("query") };
    return c.json(unwrap(await listCitations(actorOf(c), input, c.get("services"))), 200);
  },
);

roundtableRecords.openapi(
  route({
    "x-act": "readRoundtable",
    method: "get",
    path: "/v1/roundtables/{roundtableId}/requests",
    tags,
    summary: "What the seats asked for, and what became of it",
    request: {
      params: roundtableParam,
      query: pageQuery.extend({
        priority: z.enum(contextPriorities).optional(),
        status: z.enum(requestStatuses).optional(),
        agentId: z.string().max(100).optional(),
        round: number.optional(),
      }),
    },
    responses: { 200: json("A page of requests", listOf(contextRequestViewSchema)) },
  }),
  async (c) => {
    const { limit, cursor, ...filter } = c.req.valid("query");
    const input = { roundtableId: c.req.valid("param").roundtableId, limit, cursor, filter };
    return c.json(unwrap(await listRequests(actorOf(c), input, c.get("services"))), 200);
  },
);

roundtableRecords.openapi(
  route({
    "x-act": "readRoundtable",
    method: "get",
    path: "/v1/roundtables/{roundtableId}/export",
    tags,
    summary:
      "The whole debate as JSON, or as Markdown that reads as a story (`Accept: text/markdown`, or `?format=markdown`)",
    request: { params: roundtableParam, query: z.object({ format: z.enum(["json", "markdown"]).optional() }) },
    responses: {
      200: {
        description: "The debate",
        content: {
          "application/json": { schema: debateExportSchema },
          "text/markdown": { schema: z.string() },
        },
      },
    },
  }),
  async (c) => {
    const debate = unwrap(await exportDebate(actorOf(c), c.req.valid("param").roundtableId, c.get("services")));
    const preferred = (c.req.header("accept") ?? "").includes("text/markdown") ? "markdown" : "json";
    const format = c.req.valid("query").format ?? preferred;
    if (format === "json") return c.json(debateExportSchema.parse(debate.json), 200);
    return c.body(`${debate.markdown.trimEnd()}\n`, 200, { "content-type": "text/markdown; charset=utf-8" });
  },
);
