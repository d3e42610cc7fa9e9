/** Rows of a memory thread as they are read. */
import { z } from "zod";
import { actorRecordSchema } from "../../src/conversation/actor-record.js";
import { defined } from "../../src/conversation/defined.js";
import { controlSchema } from "../../src/memory/control.js";
import type { ThreadMessage } from "../../src/memory/memory.js";
import { integer, integerOrNull, number, numberOrNull, text, textOrNull } from "../../src/stores/columns.js";

const marksSchema = z.object({
  epoch: integer,
  open: z.boolean(),
  lastSeq: z.int(),
  requestedSeq: z.int(),
  waitingCharacters: z.int(),
  behind: z.int().optional(),
});

const calls = z.array(z.object({ tool: z.string(), ok: z.boolean() }));
/** The calls of an invocation, without their arguments. */
export type Calls = z.infer<typeof calls>;

export const threadRow = z
  .object({
    tenant_id: text,
    memory_id: text,
    thread_id: text,
    marks: text,
    control: controlSchema,
    indexed_seq: integer,
    covered_seq: integer,
    tool_history: text,
    failure: textOrNull,
    model_down_until: number,
    redo_at: numberOrNull,
    redo_delay: number,
    redo_count: integer,
    degraded_from: integerOrNull,
    rebuild_due: integer,
    extracts_due: integer,
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
    seq: integer,
    entry_id: text,
    role: text,
    speaker: textOrNull,
    content: text,
    occurred_at: text,
    control: controlSchema,
    epoch: integer,
    vouched_by: textOrNull,
  })
  .transform(
    (row): ThreadMessage => ({
      seq: row.seq,
      entryId: row.entry_id,
      role: row.role,
      ...defined({ speaker: row.speaker ?? undefined }),
      content: row.content,
      occurredAt: row.occurred_at,
      control: row.control,
      epoch: row.epoch,
      ...(row.vouched_by === null ? {} : { vouchedBy: actorRecordSchema.parse(JSON.parse(row.vouched_by)) }),
    }),
  );
