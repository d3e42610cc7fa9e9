/** Datasets and evals: what of them isn't JSON both ways. */
import { z } from "zod";
import { evidenceActs } from "../../application/evidence/acts.js";
import {
  compareSupervisors,
  comparisonQuery,
  supervisorComparisonSchema,
  supervisorComparisonText,
} from "../../application/evidence/compare-supervisors.js";
import { comparisonFormats, comparisonMarkdown, readComparison } from "../../application/evidence/manage-evals.js";
import { addItems, linesOf } from "../../application/evidence/manage-items.js";
import { itemName } from "../../conversation/names.js";
import { comparisonSchema } from "../../evidence/comparison.js";
import { routesOf } from "../act-routes.js";
import { actorOf } from "../context.js";
import { json, route } from "../routing.js";

const tags = ["Datasets and evals"];

function comparisonAnswer<Schema extends z.ZodType>(schema: Schema) {
  const content = { "application/json": { schema }, "text/markdown": { schema: z.string() } };
  return { 200: { description: "The comparison", content } };
}

function asMarkdown(markdown: string): Response {
  return new Response(markdown, { headers: { "content-type": "text/markdown; charset=utf-8" } });
}

export const evidence = routesOf(evidenceActs, {
  addItems: (router) =>
    router.openapi(
      route({
        "x-act": "addItems",
        method: "post",
        path: "/v1/datasets/{name}/items",
        tags,
        summary: "Import items, a line of JSON each (operators)",
        description:
          'A line is `{"input": "…", "hook"?, "expected"?, "group"?, "weight"?}`; `input` is a text, `{messages}`, or `{sessionId, turnId}`, which is read when it is run. An item is known by what it says: imported again it adds nothing. Lines that can\'t be read are named, and the others are added.',
        request: {
          params: z.object({ name: itemName }),
          // A schema of zod would have it read as JSON.
          body: { content: { "application/jsonl": { schema: { type: "string" } } }, required: true },
        },
        responses: { 200: json("What was added", addItems.output?.() ?? z.unknown()) },
      }),
      async (c) => {
        const { name } = c.req.valid("param");
        return c.json(await addItems(actorOf(c), { name, lines: linesOf(c.get("bodyText")) }, c.get("services")), 200);
      },
    ),
  readComparison: (router) =>
    router.openapi(
      route({
        "x-act": "readComparison",
        method: "get",
        path: "/v1/evals/{evalId}/comparison",
        tags,
        summary: "How the candidates of an eval compare (operators)",
        description:
          "Shares with Wilson's interval, from 20 on; candidates against the first on the same items: McNemar's test (mid-p, raised as Holm says) and an interval by bootstrap over groups. Made again it is the same to the byte.",
        request: {
          params: z.object({ evalId: z.string().max(200) }),
          query: z.object({ format: z.enum(comparisonFormats).default("json") }),
        },
        responses: comparisonAnswer(comparisonSchema()),
      }),
      async (c) => {
        const { evalId } = c.req.valid("param");
        const services = c.get("services");
        if (c.req.valid("query").format === "json")
          return c.json(await readComparison(actorOf(c), { evalId }, services), 200);
        return asMarkdown(await comparisonMarkdown(actorOf(c), evalId, services));
      },
    ),
  compareSupervisors: (router) =>
    router.openapi(
      route({
        "x-act": "compareSupervisors",
        method: "get",
        path: "/v1/supervisors/{name}/comparison",
        tags,
        summary: "How a supervisor and another decide on the same live texts (operators)",
        description:
          "Such as a shadow and the supervisor in force, as the audit has them: texts of one session, at one hook, that both have judged. Of the versions that count now and since the later of them is there, if nothing else is said. At most 10,000 rows of the audit are looked at; `complete` says whether that was all, and else `to` is where to go on. Made again over the same time it is the same to the byte.",
        request: {
          params: z.object({ name: itemName }),
          query: z.object({ ...comparisonQuery(), format: z.enum(comparisonFormats).default("json") }),
        },
        responses: comparisonAnswer(supervisorComparisonSchema()),
      }),
      async (c) => {
        const { format, ...query } = c.req.valid("query");
        const input = { ...c.req.valid("param"), ...query };
        const report = await compareSupervisors(actorOf(c), input, c.get("services"));
        return format === "json" ? c.json(report, 200) : asMarkdown(supervisorComparisonText(report));
      },
    ),
});
