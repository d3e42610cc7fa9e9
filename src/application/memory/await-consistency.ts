/** Wait until messages are stored, indexed or in the context, and report what was reached. */

import { z } from "zod";
import { threadIdSchema } from "../../conversation/names.js";
import { need, ok, type Result } from "../../conversation/problem.js";
import type { LevelReport, ThreadMarksView } from "../../gateways/thread-gateway.js";
import { deadLetterSchema, type Level, levels, standaloneThread } from "../../memory/memory.js";
import type { MemoryRef } from "../../stores/memory/memory-store.js";
import { lazily } from "../../text/lazily.js";
import { act } from "../act.js";
import { eachThread } from "./each-thread.js";
import { findMemory, memoryInput, memoryTag } from "./find-memory.js";
import { identityOf, type MemoryServicePorts } from "./memory-service.js";

/** Milliseconds. */
const maxWaitMs = 60_000;

export const marksSchema = lazily(() =>
  z.object({ stored: z.int(), indexed: z.int(), context: z.int(), failure: z.string().optional() }),
);

/** Without a thread it is the last message of every thread of the memory that is waited for. */
export const awaitConsistency = act("awaitConsistency", {
  role: "client",
  route: {
    method: "post",
    path: "/v1/memories/{memoryId}/await-consistency",
    operationId: "awaitMemoryConsistency",
    tag: memoryTag,
    summary: "Wait until messages are stored, indexed, or in the context; says honestly what was reached",
    body: "goal",
    answer: "What was reached",
  },
  input: () => {
    const goal = z.strictObject({
      threadId: threadIdSchema.optional(),
      /** The last message, if left out. */
      seq: z.int().min(0).optional(),
      level: z.enum(levels).default("indexed"),
      timeoutMs: z.int().min(0).max(maxWaitMs).default(10_000),
    });
    return z.object({ ...memoryInput(), goal });
  },
  output: () => {
    // Of the thread, or of each thread of the memory.
    const watermarks = z.union([marksSchema(), z.object({ threads: z.record(z.string(), marksSchema()) })]);
    return z.object({ reached: z.boolean(), watermarks, failures: z.array(deadLetterSchema) });
  },
  run: async (actor, { memoryId, goal }, services) => {
    const memory = await findMemory(actor, { memoryId }, services);
    const { ports } = services.memory;
    const until = ports.now() + goal.timeoutMs;
    const failures = () => ports.deadLetters.open(actor.tenantId, memoryId, goal.threadId);
    if (goal.threadId !== undefined) {
      const report = need(await reached(memory, goal.threadId, goal, until, ports));
      return { ...report, failures: await failures() };
    }
    const marks = new Map<string, ThreadMarksView>();
    let all = true;
    await eachThread(memory, ports.memories, async (id) => {
      const report = await reached(memory, id, { level: goal.level }, until, ports);
      if (!report.ok) return;
      marks.set(id, report.value.watermarks);
      all &&= report.value.reached;
    });
    return { reached: all, watermarks: { threads: Object.fromEntries(marks) }, failures: await failures() };
  },
});

/** What a thread has reached by then; what the context has forgotten of it meanwhile isn't in it. */
async function reached(
  memory: MemoryRef,
  threadId: string,
  { level, seq }: { readonly level: Level; readonly seq?: number | undefined },
  until: number,
  ports: MemoryServicePorts,
): Promise<Result<LevelReport>> {
  const { threads, contexts } = ports;
  const left = (): number => Math.max(0, until - ports.now());
  const report = await threads.reached(identityOf(memory, threadId), level, seq, left());
  if (!report.ok || level !== "context") return report;
  const lost = async (): Promise<number | undefined> =>
    (await contexts.forgetting.firstForgotten(memory, (await contexts.base(memory)).forgotten)).get(threadId);
  if ((await lost()) !== undefined) {
    // It is taken in again by the thread of entries without a conversation.
    await threads.reached(identityOf(memory, standaloneThread), "context", 0, left());
  }
  const first = await lost();
  if (first === undefined) return report;
  const { watermarks } = report.value;
  const context = Math.min(watermarks.context, first - 1);
  return ok({
    reached: report.value.reached && (seq ?? watermarks.stored) <= context,
    watermarks: { ...watermarks, context },
  });
}
