/** Limits: routes of the acts on them, and what was told of them. */
import { z } from "zod";
import { limitActs } from "../../application/limits/acts.js";
import { listLimitEvents } from "../../application/limits/list-events.js";
import { limitTag } from "../../application/limits/manage-limits.js";
import { listOf, pageInput } from "../../application/page.js";
import { routesOf } from "../act-routes.js";
import { actorOf } from "../context.js";
import { rootEvents } from "../events.js";
import { json, route } from "../routing.js";

export const limits = routesOf(limitActs, {
  listLimitEvents: (router) => {
    const events = listOf(rootEvents.limits);
    router.openapi(
      route({
        "x-act": "listLimitEvents",
        method: "get",
        path: "/v1/limit-events",
        tags: [limitTag],
        summary: "Which limits were nearly or wholly used up, the oldest first (admins)",
        request: { query: z.object(pageInput()) },
        responses: { 200: json("A page of events", events) },
      }),
      async (c) =>
        c.json(events.parse(await listLimitEvents(actorOf(c), c.req.valid("query"), c.get("services"))), 200),
    );
  },
});
