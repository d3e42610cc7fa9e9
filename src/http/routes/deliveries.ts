/** What an object could not deliver: for operators. */
import { z } from "zod";
import { listParkedDeliveries, retryParkedDeliveries } from "../../application/deliveries/parked-deliveries.js";
import { parkedDeliverySchema } from "../../conversation/parked-delivery.js";
import { actorOf, unwrap } from "../context.js";
import { json, newRouter, route } from "../routing.js";

const tags = ["Audit"];
const ownerParam = z.object({ ownerId: z.string().max(100) });

export const deliveries = newRouter();

deliveries.openapi(
  route({
    "x-act": "listParkedDeliveries",
    method: "get",
    path: "/v1/deliveries/{ownerId}/parked",
    tags,
    summary: "What a session or a run could not deliver to the lists, the inbox, the audit or its memory",
    description:
      "A delivery is tried sixteen times, over about five hours, and then parked: what comes after it goes on. A parked one is tried again once a day.",
    request: { params: ownerParam },
    responses: { 200: json("All of them, at most 100", z.object({ items: z.array(parkedDeliverySchema) })) },
  }),
  async (c) => {
    const { ownerId } = c.req.valid("param");
    const items = unwrap(await listParkedDeliveries(actorOf(c), ownerId, c.get("services")));
    return c.json({ items: [...items] }, 200);
  },
);

deliveries.openapi(
  route({
    "x-act": "retryParkedDeliveries",
    method: "post",
    path: "/v1/deliveries/{ownerId}/parked/retry",
    tags,
    summary: "Try the parked deliveries of a session or a run again, at once",
    description: "Done twice it does no harm: receivers know what they have.",
    request: { params: ownerParam },
    responses: { 200: json("How many are tried", z.object({ retried: z.int() })) },
  }),
  async (c) => {
    const { ownerId } = c.req.valid("param");
    return c.json(unwrap(await retryParkedDeliveries(actorOf(c), ownerId, c.get("services"))), 200);
  },
);
