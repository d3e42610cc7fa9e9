/** Every thread of a memory, many at a time. */
import type { MemoryRef, MemoryStore } from "../../stores/memory/memory-store.js";

/** Threads of a memory that are called at the same time. */
const threadsAtOnce = 100;

export async function eachThread(
  memory: MemoryRef,
  memories: Pick<MemoryStore, "threads">,
  act: (threadId: string) => Promise<void>,
): Promise<void> {
  // The thread of entries without a conversation comes before all others: its name is empty.
  let after: string | undefined;
  for (;;) {
    const page = await memories.threads(memory, after, threadsAtOnce);
    await Promise.all(page.map(act));
    after = page.at(-1);
    if (after === undefined) return;
  }
}
