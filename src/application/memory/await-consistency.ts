/** Wait until messages are stored, indexed or in the context, and report what was reached. */
import { ok, type Result } from "../../conversation/problem.js";
import type { LevelReport, ThreadMarksView } from "../../gateways/thread-gateway.js";
import type { DeadLetter } from "../../memory/dead-letter.js";
import { type Level, standaloneThread } from "../../memory/memory.js";
import type { MemoryRef } from "../../stores/memory/memory-store.js";
import type { Actor } from "../../tenancy/actor.js";
import type { Services } from "../services.js";
import { eachThread } from "./each-thread.js";
import { findMemory } from "./find-memory.js";
import { identityOf, type MemoryServicePorts } from "./memory-service.js";

/** What is waited for. Without a thread: the last message of every thread of the memory. */
export interface ConsistencyGoal {
  readonly threadId?: string | undefined;
  /** The last message, if left out. */
  readonly seq?: number | undefined;
  readonly level: Level;
  /** In milliseconds, at most {@link maxWaitMs}. */
  readonly timeoutMs: number;
}

export interface Consistency {
  readonly reached: boolean;
  /** Of the thread, or of each thread of the memory. */
  readonly watermarks: ThreadMarksView | { readonly threads: Readonly<Record<string, ThreadMarksView>> };
  readonly failures: DeadLetter[];
}

export const maxWaitMs = 60_000;

export async function awaitConsistency(
  actor: Actor,
  { memoryId, ...goal }: ConsistencyGoal & { readonly memoryId: string },
  services: Services,
): Promise<Result<Consistency>> {
  const memory = await findMemory(actor, "awaitConsistency", memoryId, services);
  if (!memory.ok) return memory;
  const { ports } = services.memory;
  const until = ports.now() + Math.min(goal.timeoutMs, maxWaitMs);
  const failures = () => ports.deadLetters.open(actor.tenantId, memoryId, goal.threadId);
  if (goal.threadId !== undefined) {
    const report = await reached(memory.value, goal.threadId, goal, until, ports);
    return report.ok ? ok({ ...report.value, failures: await failures() }) : report;
  }
  const marks: Record<string, ThreadMarksView> = {};
  let all = true;
  await eachThread(memory.value, ports.memories, async (id) => {
    const report = await reached(memory.value, id, { level: goal.level }, until, ports);
    if (!report.ok) return;
    marks[id] = report.value.watermarks;
    all &&= report.value.reached;
  });
  return ok({ reached: all, watermarks: { threads: marks }, failures: await failures() });
}

/** What a thread has reached by then; what the context has forgotten of it meanwhile isn't in it. */
async function reached(
  memory: MemoryRef,
  threadId: string,
  { level, seq }: Pick<ConsistencyGoal, "level" | "seq">,
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
