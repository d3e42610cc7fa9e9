/** A flush that the queue gave up on, as it is listed. */
import { z } from "zod";

export const deadLetterSchema = z.object({
  deadLetterId: z.string(),
  threadId: z.string(),
  fromSeq: z.int(),
  toSeq: z.int(),
  /** Why it could not be done. */
  reason: z.string(),
  status: z.enum(["dead", "retried"]),
  createdAt: z.iso.datetime(),
  retriedAt: z.iso.datetime().optional(),
});
export type DeadLetter = z.infer<typeof deadLetterSchema>;
