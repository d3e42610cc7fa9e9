/** Vaults, memories and context documents as they are written and shown. */
import { z } from "zod";
import { modelChoice } from "../agent/definition.js";
import { actorRecordSchema } from "../conversation/actor-record.js";
import { externalIdSchema, metadataSchema, subjectSchema } from "../conversation/names.js";
import { controlSchema } from "./control.js";
import { roleSchema, speakerSchema, textSchema, timeSchema } from "./entry.js";

export const newVaultSchema = z.strictObject({ title: z.string().min(1).max(200) });
export const vaultSchema = newVaultSchema.extend({ vaultId: z.string(), createdAt: z.iso.datetime() });
export type Vault = z.infer<typeof vaultSchema>;

export const newMemorySchema = z.strictObject({
  title: z.string().min(1).max(200),
  memoryType: z.string().min(1).max(60).default("conversation"),
  description: z.string().max(2_000).optional(),
  /** What writes summaries and contexts. */
  model: modelChoice.default("default"),
  /** The end user whom it is about. */
  subject: subjectSchema.optional(),
  /** What the caller calls it: unique among the tenant's memories. */
  externalId: externalIdSchema.optional(),
  metadata: metadataSchema.default({}),
});
export type NewMemory = z.infer<typeof newMemorySchema>;
/** What may be changed of one that is there. */
export const memoryChangeSchema = z.strictObject({
  title: newMemorySchema.shape.title.optional(),
  model: modelChoice.optional(),
  /** Null takes it away. */
  subject: subjectSchema.nullable().optional(),
});
export type MemoryChange = z.infer<typeof memoryChangeSchema>;
/** Of these the ones that are put on record: who may read it, and where its texts go. */
export const memoryChanges = ["subject", "model"] as const;

export const memorySchema = newMemorySchema.extend({
  memoryId: z.string(),
  vaultId: z.string(),
  entryCount: z.int(),
  createdAt: z.iso.datetime(),
});
/** As it is read: end users aren't told its model. */
export const shownMemorySchema = memorySchema.extend({ model: modelChoice.optional() });

/** The thread that entries without a conversation share; no caller can name it. */
export const standaloneThread = "";

export const newMessageSchema = z.strictObject({
  role: roleSchema,
  content: textSchema,
  speaker: speakerSchema.optional(),
  occurredAt: timeSchema.optional(),
});
export type NewMessage = z.infer<typeof newMessageSchema>;
/** Messages that may come at once. */
export const maxBatch = 500;

export const contextSources = ["model", "extractive", "person", "restored", "erased"] as const;
export const contextSchema = z.object({
  version: z.int(),
  /** Version 0: nothing was written yet. */
  document: z.string(),
  source: z.enum(contextSources).optional(),
  author: z.string().optional(),
  createdAt: z.iso.datetime().optional(),
  /** Up to which message of each thread it covers. */
  coverage: z.record(z.string(), z.int()),
});
export type ContextVersion = z.infer<typeof contextSchema>;

/** What the queue carries: ids and numbers, no texts. */
export const flushJobSchema = z.object({
  tenantId: z.string(),
  memoryId: z.string(),
  threadId: z.string(),
  fromSeq: z.int(),
  toSeq: z.int(),
});
export type FlushJob = z.infer<typeof flushJobSchema>;

/** A thread in the list of a memory's threads. */
export const threadSummarySchema = z.object({ threadId: z.string(), createdAt: z.iso.datetime() });
export type ThreadSummary = z.infer<typeof threadSummarySchema>;

const rangeSchema = z.object({ fromSeq: z.int(), toSeq: z.int() });

/** What the invoker says of a start, a message, an end. */
export const invocationSchema = z.object({
  control: controlSchema,
  /** The message's number, or the last one's. */
  seq: z.int(),
  lastSeq: z.int(),
  requestedSeq: z.int(),
  coveredSeq: z.int(),
  flush: rangeSchema.optional(),
  /** One for each message. */
  messages: z.array(z.object({ seq: z.int(), entryId: z.string(), control: controlSchema })).optional(),
});
export type Invocation = z.infer<typeof invocationSchema>;

export const threadMessageSchema = z.object({
  seq: z.int(),
  entryId: z.string(),
  role: z.string(),
  speaker: z.string().optional(),
  content: z.string(),
  occurredAt: z.iso.datetime(),
  control: controlSchema,
  epoch: z.int(),
  vouchedBy: actorRecordSchema.optional(),
});
export type ThreadMessage = z.infer<typeof threadMessageSchema>;

/** A thread as it stands, with the seed's state. */
export const threadSchema = z.object({
  threadId: z.string(),
  memoryId: z.string(),
  open: z.boolean(),
  epoch: z.int(),
  lastSeq: z.int(),
  requestedSeq: z.int(),
  /** Entries are stored and indexed up to here. */
  indexedSeq: z.int(),
  coveredSeq: z.int(),
  /** Entries and contexts that a model still has to write properly. */
  degraded: z.int(),
  /** Why the last attempt at work failed, while it does. */
  failure: z.string().optional(),
  state: z.object({
    conversation_history: z.array(threadMessageSchema),
    to_process: z.array(threadMessageSchema),
    tool_history: z.array(z.object({ tool: z.string(), ok: z.boolean() })),
    control: controlSchema,
  }),
});
export type Thread = z.infer<typeof threadSchema>;

export const levels = ["stored", "indexed", "context"] as const;
export type Level = (typeof levels)[number];

/** A flush that the queue gave up on, as it is listed. */
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
