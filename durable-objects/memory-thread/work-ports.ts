/** What the work of a thread gets, and what each part of it is run in. */
import { isControlFlow } from "../../src/agent/journal.js";
import type { ModelUsage } from "../../src/agent/work.js";
import { validateArguments } from "../../src/application/argument-check.js";
import type { WorkLimits } from "../../src/application/limits/work-limits.js";
import type { MemoryPlatform } from "../../src/application/memory/memory-platform.js";
import type { MemoryAgentPorts } from "../../src/memory/memory-agent.js";
import type { MemoryPrompts } from "../../src/memory/prompts.js";
import type { ModelPort } from "../../src/model/port.js";
import { withCancelSignal } from "../../src/platform/clock.js";
import type { MemoryRef } from "../../src/stores/memory/memory-store.js";
import type { Kit } from "../kit/kit.js";
import type { Lease } from "../kit/work-loop.js";
import type { MemoryThreadStore } from "./store.js";

/** What holds for one slice. */
export interface Slice {
  readonly memory: MemoryRef;
  readonly model: ModelPort;
  readonly limits: WorkLimits | undefined;
  readonly prompts: MemoryPrompts;
  readonly withoutModel: string | undefined;
}

export interface WorkPorts {
  readonly storage: DurableObjectStorage;
  readonly store: MemoryThreadStore;
  readonly kit: Kit;
  readonly platform: MemoryPlatform;
  /** Lost once something was erased: what was begun before must not be stored. */
  readonly lease: Lease;
}

/**
 * Does a part of a slice, whose steps are kept under `work`, and stores what came of it in the write that forgets them.
 * @returns nothing where the part was superseded by an erasure: whatever is left of it begins anew
 */
export async function doPart<T>(
  work: string,
  { memory }: Slice,
  { kit, store: thread, platform, lease }: WorkPorts,
  part: () => Promise<T>,
  store: (result: T) => void,
): Promise<T | undefined> {
  try {
    const result = await part();
    if (!lease.isHeld()) return undefined;
    kit.write(() => {
      const models = kit.works.stepsOf(work).usage();
      kit.forgetSteps(work);
      store(result);
      if (!models.some(isPaid)) return;
      // The same part may be done again, and is paid for again.
      const paid = `${memory.memoryId}/${thread.thread().threadId}/${work}/${crypto.randomUUID()}`;
      const { subject } = memory;
      kit.outbox.put("usage", paid, { work: paid, kind: "memory", agent: "", subject, models, at: platform.now() });
    });
    return result;
  } catch (error) {
    if (isControlFlow(error) || !lease.isHeld()) return undefined;
    throw error;
  }
}

/** What nobody was asked for costs nothing: a memory without a model of its own has no row for each message. */
function isPaid({ model }: ModelUsage): boolean {
  return model !== "" && model !== "offline";
}

export function agentPorts(work: string, { model, limits }: Slice, ports: WorkPorts): MemoryAgentPorts {
  const { kit, platform, lease } = ports;
  const { signal, isHeld } = lease;
  kit.budgets.limit(work, limits);
  return {
    journal: kit.journal(work, isHeld),
    model,
    signal,
    now: platform.now,
    validateArguments,
    withDeadline: (timeoutMs, task) => withCancelSignal(timeoutMs, task, signal),
  };
}
