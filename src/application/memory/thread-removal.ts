/** The deletion of a thread: its messages, its entries, and what contexts say of them. */

import { run } from "../../platform/sql.js";
import { insertThreadDeletion } from "../../stores/audit-log.js";
import type { MemoryRef } from "../../stores/memory/memory-store.js";
import type { DoneBy } from "../../tenancy/audit.js";
import { eraseFromD1 } from "./erasure.js";
import type { MemoryServicePorts } from "./memory-service.js";

/** Entries that are looked up at once. */
const entriesAtOnce = 100;

/**
 * Deletes a thread for good. Can be called again after any interruption.
 * @param deleted whose wish it is, for the audit
 * @returns whether there was one
 */
export async function removeThread(
  memory: MemoryRef,
  threadId: string,
  ports: MemoryServicePorts,
  deleted: DoneBy,
): Promise<boolean> {
  const { db, memories, threads } = ports;
  const { tenantId, memoryId } = memory;
  const createdAt = await memories.threadCreatedAt(memory, threadId);
  if (createdAt === undefined) return false;
  // Before anything of it is gone: a deletion that is interrupted may be repeated by nobody.
  await run(db)`${insertThreadDeletion(memory, { threadId, createdAt }, deleted)}`;
  // First, so that nothing writes its entries again.
  await threads.remove({ tenantId, memoryId, threadId });
  const some = (): Promise<string[]> => memories.entryIdsOfThread(memory, threadId, entriesAtOnce);
  for (let page = await some(); page.length > 0; page = await some()) {
    for (const entryId of page) await eraseFromD1(memory, entryId, ports);
  }
  await memories.removeThread(memory, threadId);
  return true;
}
