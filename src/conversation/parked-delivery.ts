/** What an object could not deliver, however often it tried, as operators see it. */
import { z } from "zod";

export const parkedDeliverySchema = z.object({
  /** Its number in the object's outbox. */
  deliveryId: z.int(),
  /** What it is about: one of the outbox's topics. */
  topic: z.string(),
  attempts: z.int(),
  /** Why the last try failed. */
  error: z.string(),
  parkedAt: z.iso.datetime(),
});
export type ParkedDelivery = z.infer<typeof parkedDeliverySchema>;
