/** Deliveries of a session or a run that were tried to the end: listed for operators, and sent again. */
import { z } from "zod";
import { parkedDeliverySchema } from "../../conversation/delivery.js";
import { problem } from "../../conversation/problem.js";
import { act } from "../act.js";
import type { Services } from "../services.js";

/** The id of the session or the run. */
const input = () => z.object({ ownerId: z.string().max(100) });

const listParkedDeliveries = act("listParkedDeliveries", {
  role: "operator",
  route: {
    method: "get",
    path: "/v1/deliveries/{ownerId}/parked",
    tag: "Audit",
    summary: "What a session or a run could not deliver to the lists, the inbox, the audit or its memory",
    description:
      "A delivery is tried sixteen times, over about five hours, and then parked: what comes after it goes on. A parked one is tried again once a day.",
    answer: "All of them, at most 100",
  },
  input,
  output: () => z.object({ items: z.array(parkedDeliverySchema) }),
  run: async (actor, { ownerId }, services) => {
    const parked = await rootsOf(ownerId, services).parked(actor.tenantId, ownerId);
    if (parked === undefined) throw noOwner();
    return { items: [...parked] };
  },
});

/** Sends all of them again, in the background. */
const retryParkedDeliveries = act("retryParkedDeliveries", {
  role: "operator",
  route: {
    method: "post",
    path: "/v1/deliveries/{ownerId}/parked/retry",
    tag: "Audit",
    summary: "Try the parked deliveries of a session or a run again, at once",
    description: "Done twice it does no harm: receivers know what they have.",
    answer: "How many are tried",
  },
  input,
  output: () => z.object({ retried: z.int() }),
  run: async (actor, { ownerId }, services) => {
    const retried = await rootsOf(ownerId, services).retryParked(actor.tenantId, ownerId);
    if (retried === undefined) throw noOwner();
    return { retried };
  },
});

/** The acts on deliveries, in the order in which the document lists them. */
export const deliveryActs = [listParkedDeliveries, retryParkedDeliveries];

function rootsOf(ownerId: string, { sessions, runs }: Services) {
  return ownerId.startsWith("run_") ? runs : sessions;
}

const noOwner = () => problem("not_found", "There is no such session or run.");
