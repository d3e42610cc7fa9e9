/** Queues of the inbox: parts of it that have a name, as the tenant's settings say, so that everybody looks at the same. */
import { z } from "zod";
import { lazily } from "../text/lazily.js";
import { askPriorities } from "./ask.js";
import { askKinds, audiences } from "./policy.js";

const name = z.string().trim().min(1).max(200).optional();

export const queuesSchema = lazily(() =>
  z
    .array(
      z.strictObject({
        name: z.string().trim().min(1).max(60),
        kind: z.enum(askKinds).optional(),
        audience: z.enum(audiences).optional(),
        priority: z.enum(askPriorities).optional(),
        agent: name,
        supervisor: name,
        /** `server/tool`. */
        tool: name,
        subject: name,
      }),
    )
    .max(20)
    .refine((queues) => new Set(queues.map((queue) => queue.name)).size === queues.length, {
      message: "each has a name of its own",
    }),
);
export type AskQueue = z.infer<ReturnType<typeof queuesSchema>>[number];
export type QueueFilter = Omit<AskQueue, "name">;

/**
 * What a filter asks for within a queue.
 * @returns nothing where they exclude each other
 * @example withinQueue({ kind: "review" }, { kind: "review", agent: "clerk" }) // { kind: "review", agent: "clerk" }
 */
export function withinQueue<F extends QueueFilter>(filter: F, queue: QueueFilter): (F & QueueFilter) | undefined {
  const asked = new Map<string, unknown>(Object.entries(filter));
  const excludes = Object.entries(queue).some(([field, value]) => (asked.get(field) ?? value) !== value);
  return excludes ? undefined : { ...filter, ...queue };
}
