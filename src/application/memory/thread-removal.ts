/** The deletion of a thread: its messages, its entries, and what contexts say of them. */
import type { MemoryRef } from "../../stores/memory/memory-store.js";
import { eraseFromD1 } from "./erasure.js";
import type { MemoryServicePorts } from "./memory-service.js";

/** Entries that are looked up at once. */
const entriesAtOnce = 100;

/**
 * Deletes a thread for good. Can be called again after any interruption.
 * @returns whether there was one
 */
export async function removeThread(memory: MemoryRef, threadId: string, ports: MemoryServicePorts): Promise<boolean> {
  const { memories, threads } = ports;
  const { tenantId, memoryId } = memory;
  if (!(await memories.hasThread(memory, threadId))) return false;
  // First, so that nothing writes its entries again.
  await threads.remove({ tenantId, memoryId, threadId });
  const some = (): Promise<string[]> => memories.entryIdsOfThread(memory, threadId, entriesAtOnce);
  for (let page = await some(); page.length > 0; page = await some()) {
    for (const entryId of page) await eraseFromD1(memory, entryId, ports);
  }
  await memories.removeThread(memory, threadId);
  return true;
}
