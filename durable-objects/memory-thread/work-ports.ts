/** What the work of a thread gets, and what each part of it is run in. */
import { isControlFlow } from "../../src/agent/journal.js";
import { validateArguments } from "../../src/application/argument-check.js";
import type { MemoryPlatform } from "../../src/application/memory/memory-platform.js";
import type { MemoryAgentPorts } from "../../src/memory/capture.js";
import type { MemoryPrompts } from "../../src/memory/prompts.js";
import type { ModelPort } from "../../src/model/port.js";
import { withCancelSignal } from "../../src/platform/clock.js";
import type { MemoryRef } from "../../src/stores/memory/memory-store.js";
import type { Lease } from "../kit/driver.js";
import type { Kit } from "../kit/kit.js";
import type { MemoryThreadStore } from "./store.js";

/** What holds for one slice. */
export interface Slice {
  readonly memory: MemoryRef;
  readonly model: ModelPort;
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

/** `undefined` when the work was superseded by an erasure: whatever is left of it begins anew. */
export async function guarded<T>(ports: WorkPorts, work: () => Promise<T>): Promise<T | undefined> {
  try {
    const result = await work();
    return ports.lease.isHeld() ? result : undefined;
  } catch (error) {
    if (isControlFlow(error) || !ports.lease.isHeld()) return undefined;
    throw error;
  }
}

export function agentPorts(work: string, { model }: Slice, ports: WorkPorts): MemoryAgentPorts {
  const { kit, platform, lease } = ports;
  const { signal, isHeld } = lease;
  return {
    journal: kit.journal(work, isHeld),
    model,
    signal,
    now: platform.now,
    validateArguments,
    withDeadline: (timeoutMs, task) => withCancelSignal(timeoutMs, task, signal),
  };
}
