/** What the tenant's work has taken, for its admin. */
import { z } from "zod";
import { readUsage } from "../../application/usage/read-usage.js";
import { usageGroups, usageLineSchema, usageQuerySchema } from "../../tenancy/usage.js";
import { actorOf, unwrap } from "../context.js";
import { json, newRouter, route } from "../routing.js";

const reportSchema = z.object({
  from: z.iso.datetime(),
  to: z.iso.datetime(),
  groupBy: z.enum(usageGroups),
  items: z.array(usageLineSchema),
});

export const usage = newRouter();

usage.openapi(
  route({
    "x-act": "readUsage",
    method: "get",
    path: "/v1/usage",
    tags: ["A tenant's own administration"],
    summary: "Turns, runs, model calls and tokens, by agent, model, day, subject or key (admins)",
    description:
      "Work counts at the time when it ended, once, whatever happened to it on the way; it is there a moment later. What nobody is named for stands under an empty group: a run has no agent but its team, calls that failed have no model.",
    request: { query: usageQuerySchema },
    responses: { 200: json("Up to 1,000 lines", reportSchema) },
  }),
  async (c) => c.json(unwrap(await readUsage(actorOf(c), c.req.valid("query"), c.get("services"))), 200),
);
