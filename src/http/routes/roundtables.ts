/** Roundtables: routes of the acts on them, their events, and a debate to take away. */
import { z } from "zod";
import { roundtableActs } from "../../application/roundtables/acts.js";
import {
  exportDebate,
  listCitations,
  listRequests,
  readConsensus,
  readRound,
  readThoughts,
} from "../../application/roundtables/read-record.js";
import { roundtableInput, roundtableTag } from "../../application/roundtables/roundtable-view.js";
import { debateExportSchema } from "../../roundtable/reading/json.js";
import { routesOf } from "../act-routes.js";
import { actorOf } from "../context.js";
import { eventsAnswers, eventsDescription, eventsQuery, eventsResponse } from "../events.js";
import { route } from "../routing.js";

const tags = [roundtableTag];
const params = z.object(roundtableInput());
export const roundtables = routesOf(roundtableActs, {
  forkRoundtable: (router, addDerived) => {
    addDerived();
    router.openapi(
      route({
        "x-act": "followEvents",
        method: "get",
        path: "/v1/roundtables/{roundtableId}/events",
        tags,
        summary: "Everything that happened in a roundtable, and happens: server-sent events, or a WebSocket on upgrade",
        description: eventsDescription,
        request: { params, query: eventsQuery },
        responses: eventsAnswers("roundtable"),
      }),
      (c) => eventsResponse(c, { kind: "roundtable", id: c.req.valid("param").roundtableId }, c.req.valid("query")),
    );
  },
});

/** What a roundtable's record says: its rounds, what they came to, who thought what, and all of it to take away. */
export const roundtableRecords = routesOf([readRound, readConsensus, readThoughts, listCitations, listRequests]);

roundtableRecords.openapi(
  route({
    "x-act": "readRoundtable",
    method: "get",
    path: "/v1/roundtables/{roundtableId}/export",
    tags,
    summary:
      "The whole debate as JSON, or as Markdown that reads as a story (`Accept: text/markdown`, or `?format=markdown`)",
    request: { params, query: z.object({ format: z.enum(["json", "markdown"]).optional() }) },
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
    const debate = await exportDebate(actorOf(c), c.req.valid("param"), c.get("services"));
    const preferred = (c.req.header("accept") ?? "").includes("text/markdown") ? "markdown" : "json";
    const format = c.req.valid("query").format ?? preferred;
    if (format === "json") return c.json(debateExportSchema.parse(debate.json), 200);
    return c.body(`${debate.markdown.trimEnd()}\n`, 200, { "content-type": "text/markdown; charset=utf-8" });
  },
);
