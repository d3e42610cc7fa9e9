/**
 * What our queues carry. A job says itself what it is, so that a deployment may call its queues whatever it likes. A contract with what
 * stands in queues while a version is replaced: kinds and fields are only ever added.
 */
import { z } from "zod";
import { flushJobSchema } from "../memory/memory.js";
import { webhookJobSchema } from "./webhooks.js";

/** A page of what a tenant keeps no longer. */
const retentionJobSchema = z.object({
  kind: z.literal("retention"),
  tenantId: z.string(),
  /** When the schedule asked for it, in milliseconds since the epoch: what is old is told by it. */
  at: z.number(),
});
export type RetentionJob = Omit<z.infer<typeof retentionJobSchema>, "kind">;

/** Jobs of 23 November 2026 and before say no kind; their fields tell them apart. */
export const queueJobSchema = z.union([
  flushJobSchema.extend({ kind: z.literal("flush").default("flush") }),
  // Before webhooks' jobs, which may say no kind and have fewer fields.
  retentionJobSchema,
  webhookJobSchema.extend({ kind: z.literal("webhook").default("webhook") }),
]);
/** As it is put on a queue. */
export type NewQueueJob = z.input<typeof queueJobSchema> & { readonly kind: "flush" | "webhook" | "retention" };
