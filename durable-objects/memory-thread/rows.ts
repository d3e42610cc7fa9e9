/** Rows of a memory thread as they are read. */
import { z } from "zod";
import { actorRecordSchema } from "../../src/conversation/actor-record.js";
import { controlSchema } from "../../src/memory/control.js";
import type { ThreadMessage } from "../../src/memory/memory.js";

const marksSchema = z.object({
  epoch: z.int(),
  open: z.boolean(),
  lastSeq: z.int(),
  requestedSeq: z.int(),
  waitingCharacters: z.int(),
});

const calls = z.array(z.object({ tool: z.string(), ok: z.boolean() }));
/** The calls of an invocation, without their arguments. */
export type Calls = z.infer<typeof calls>;

export const threadRow = z
  .object({
    tenant_id: z.string(),
    memory_id: z.string(),
    thread_id: z.string(),
    marks: z.string(),
    control: controlSchema,
    indexed_seq: z.int(),
    covered_seq: z.int(),
    tool_history: z.string(),
    failure: z.string().nullable(),
    model_down_until: z.number(),
    redo_at: z.number().nullable(),
    redo_delay: z.number(),
    redo_count: z.int(),
    degraded_from: z.int().nullable(),
    rebuild_due: z.int(),
    extracts_due: z.int(),
  })
  .transform((row) => ({
    tenantId: row.tenant_id,
    memoryId: row.memory_id,
    threadId: row.thread_id,
    marks: marksSchema.parse(JSON.parse(row.marks)),
    control: row.control,
    indexedSeq: row.indexed_seq,
    coveredSeq: row.covered_seq,
    toolHistory: calls.parse(JSON.parse(row.tool_history)),
    failure: row.failure ?? undefined,
    modelDownUntil: row.model_down_until,
    rewriteAt: row.redo_at ?? undefined,
    rewriteDelay: row.redo_delay,
    rewriteCount: row.redo_count,
    degradedFrom: row.degraded_from ?? undefined,
    isRebuildDue: row.rebuild_due === 1,
    areExtractsDue: row.extracts_due === 1,
  }));
export type ThreadRecord = z.infer<typeof threadRow>;

export const messageRow = z
  .object({
    seq: z.int(),
    entry_id: z.string(),
    role: z.string(),
    speaker: z.string().nullable(),
    content: z.string(),
    occurred_at: z.string(),
    control: controlSchema,
    epoch: z.int(),
    vouched_by: z.string().nullable(),
  })
  .transform(
    (row): ThreadMessage => ({
      seq: row.seq,
      entryId: row.entry_id,
      role: row.role,
      ...(row.speaker === null ? {} : { speaker: row.speaker }),
      content: row.content,
      occurredAt: row.occurred_at,
      control: row.control,
      epoch: row.epoch,
      ...(row.vouched_by === null ? {} : { vouchedBy: actorRecordSchema.parse(JSON.parse(row.vouched_by)) }),
    }),
  );
