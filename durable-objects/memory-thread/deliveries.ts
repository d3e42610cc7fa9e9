/** What a thread sends out: jobs for the queue, and deletions for D1. */
import { z } from "zod";
import type { MemoryPlatform } from "../../src/application/memory/memory-platform.js";
import type { FlushJob } from "../../src/memory/memory.js";
import type { OutboxMessage } from "../kit/outbox.js";

const rangeSchema = z.object({ fromSeq: z.int(), toSeq: z.int() });
const erasureSchema = z.object({ entryId: z.string() });

/** Jobs for the same thread that go out together are one job. */
export async function deliverFromThread(
  messages: readonly OutboxMessage[],
  { tenantId, memoryId, threadId }: { tenantId: string; memoryId: string; threadId: string },
  platform: Pick<MemoryPlatform, "sendJobs" | "eraseEntry">,
): Promise<void> {
  const ranges = messages
    .filter(({ topic }) => topic === "flush")
    .map(({ payload }) => rangeSchema.parse(JSON.parse(payload)));
  if (ranges.length > 0) {
    const fromSeq = Math.min(...ranges.map((range) => range.fromSeq));
    const toSeq = Math.max(...ranges.map((range) => range.toSeq));
    const job: FlushJob = { tenantId, memoryId, threadId, fromSeq, toSeq };
    await platform.sendJobs([job]);
  }
  for (const { topic, payload } of messages) {
    if (topic !== "erase") continue;
    const { entryId } = erasureSchema.parse(JSON.parse(payload));
    await platform.eraseEntry({ tenantId, memoryId }, entryId);
  }
}
