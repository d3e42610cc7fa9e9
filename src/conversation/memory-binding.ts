/** Which memories a session, a run or a roundtable is bound to: as callers name them, and as they are kept. */
import { z } from "zod";
import { externalIdSchema, threadIdSchema } from "./names.js";

const memoryIdSchema = z.string().min(1).max(100);
/** Memories that one thing may be bound to: each is searched for a message. */
const mostMemories = 5;

const namedMemorySchema = z.union([
  z.literal("subject"),
  z
    .strictObject({
      memoryId: memoryIdSchema.optional(),
      externalId: externalIdSchema.optional(),
      threadId: threadIdSchema.optional(),
    })
    .refine(
      ({ memoryId, externalId }) => (memoryId === undefined) !== (externalId === undefined),
      "a memory is named by its memoryId or its externalId, one of them",
    ),
]);
type NamedMemory = z.infer<typeof namedMemorySchema>;

/** One memory, or several: the first one is written, all are read. `subject` is the subject's own, made if there is none. */
export const memoryChoiceSchema = z
  .union([namedMemorySchema, z.array(namedMemorySchema).min(1).max(mostMemories)])
  .refine(
    (choice) => !Array.isArray(choice) || choice.every((one, at) => at === 0 || one === "subject" || !one.threadId),
    "only the first memory is written: leave threadId out of the others",
  );
export type MemoryChoice = z.infer<typeof memoryChoiceSchema>;

const boundMemorySchema = z.strictObject({ memoryId: memoryIdSchema, threadId: threadIdSchema.optional() });
export type BoundMemory = z.infer<typeof boundMemorySchema>;
/** The same once they are found. */
export const boundMemoriesSchema = z.union([boundMemorySchema, z.array(boundMemorySchema).min(1).max(mostMemories)]);
export type BoundMemories = z.infer<typeof boundMemoriesSchema>;

/** @example namedIn("subject") // ["subject"] */
export function namedIn(choice: MemoryChoice | undefined): readonly NamedMemory[] {
  return choice === undefined ? [] : Array.isArray(choice) ? choice : [choice];
}

/** The one that is written comes first. */
export function boundTo(memories: BoundMemories | undefined): readonly BoundMemory[] {
  return memories === undefined ? [] : Array.isArray(memories) ? memories : [memories];
}

export function boundIds(memories: BoundMemories | undefined): readonly string[] {
  return boundTo(memories).map(({ memoryId }) => memoryId);
}
