/** Datasets and evals: what of them isn't JSON both ways. */
import { z } from "zod";
import { evidenceActs } from "../../application/evidence/acts.js";
import { comparisonFormats, comparisonMarkdown, readComparison } from "../../application/evidence/manage-evals.js";
import { addItems, linesOf } from "../../application/evidence/manage-items.js";
import { itemName } from "../../conversation/names.js";
import { comparisonSchema } from "../../evidence/comparison.js";
import { routesOf } from "../act-routes.js";
import { actorOf } from "../context.js";
import { json, route } from "../routing.js";

const tags = ["Datasets and evals"];

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
        responses: {
          200: {
            description: "The comparison",
            content: { "application/json": { schema: comparisonSchema() }, "text/markdown": { schema: z.string() } },
          },
        },
      }),
      async (c) => {
        const { evalId } = c.req.valid("param");
        const services = c.get("services");
        if (c.req.valid("query").format === "json")
          return c.json(await readComparison(actorOf(c), { evalId }, services), 200);
        const markdown = await comparisonMarkdown(actorOf(c), evalId, services);
        return new Response(markdown, { headers: { "content-type": "text/markdown; charset=utf-8" } });
      },
    ),
});
