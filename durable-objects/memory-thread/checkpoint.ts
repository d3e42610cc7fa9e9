/**
 * A thread's checkpoint: all messages that it took up to one of them. The rest of its state follows from that, by the rules of its control
 * states, so that another thread can be brought to the same point. What was recorded since stays as it is: a thread is never set
 * back itself, since its later entries would have nothing that they came from.
 */
import { z } from "zod";
import { threadMessageSchema } from "../../src/memory/memory.js";
import type { MemoryThreadStore } from "./store.js";

export const checkpointSchema = z.object({
  messages: z.array(threadMessageSchema),
  /** Messages that came with an Idempotency-Key. */
  batches: z.array(z.object({ idempotencyKey: z.string(), requestHash: z.string(), fromSeq: z.int(), toSeq: z.int() })),
});
export type Checkpoint = z.infer<typeof checkpointSchema>;

/** The checkpoint after a message; texts that were erased stay so. */
export function checkpointOf(store: MemoryThreadStore, seq: number): Checkpoint {
  return { messages: store.range({ fromSeq: 1, toSeq: seq }), batches: store.batchesUpTo(seq) };
}
