/** What housekeeping does for memories: expired entries go for good, forgotten ones are taken in again, and vectors that are still missing are fetched. */
import { z } from "zod";
import { describeError, log } from "../../platform/logging.js";
import { rebuildContext } from "./erasure.js";
import type { MemoryService } from "./memory-service.js";

/** Entries that one run erases, and memories whose vectors it looks after, at most; the next one goes on. */
const expiredAtOnce = 200;
const memoriesAtOnce = 50;
const fillsOfMemory = 10;
/** So long what is set aside keeps its text: a day more than the platform can undo what set it aside, in milliseconds. */
const keptAsideMs = 31 * 86_400_000;
/** Calls to Vectorize that one run makes, at most. */
const sendsAtOnce = 50;

export async function maintainMemories(service: MemoryService, now: number): Promise<void> {
  await eraseExpired(service, now);
  await rebuildContexts(service);
  await fillVectors(service);
  await service.ports.events.forgetOld(now);
  const { index } = service.ports.vectors;
  for (let sent = 0; sent < sendsAtOnce && (await index.send()) > 0; sent++);
  await index.forget();
  await index.forgetAgain();
}

/** By the same way as any deletion: thread, text, index, vector, and the contexts that rest on it. What a hold names stays. */
async function eraseExpired(service: MemoryService, now: number): Promise<void> {
  const { db } = service.ports;
  const expired = (which: string, before: number) =>
    db
      .prepare(
        `SELECT m.tenant_id, m.memory_id, e.entry_id FROM entries e JOIN memories m ON m.key = e.memory_key
         WHERE ${which} <= ?1 AND NOT EXISTS (SELECT 1 FROM held_things h
           WHERE h.tenant_id = m.tenant_id AND h.kind = 'subject' AND h.id = m.subject) ORDER BY ${which.split(" ").at(-1)} LIMIT ?2`,
      )
      .bind(new Date(before).toISOString(), expiredAtOnce)
      .all();
  const { results } = await expired("e.expires_at IS NOT NULL AND e.deleted_at IS NULL AND e.expires_at", now);
  const aside = await expired("e.aside IS NOT NULL AND e.deleted_at", now - keptAsideMs);
  for (const row of [...results, ...aside.results]) {
    const { tenant_id, memory_id, entry_id } = expiredRow.parse(row);
    try {
      const memory = await service.memory(tenant_id, memory_id);
      if (memory.ok) await service.deleteEntry(memory.value, entry_id);
    } catch (error) {
      // One that can't be erased now doesn't keep the others.
      log("warn", "memory.expiry_failed", { tenantId: tenant_id, ...describeError(error) });
    }
  }
}

/** Whoever deleted an entry may have died before it said that there is something to rebuild. */
async function rebuildContexts(service: MemoryService): Promise<void> {
  for (const { tenantId, memoryId } of await service.ports.contexts.forgetting.forgetfulMemories(memoriesAtOnce)) {
    const memory = await service.memory(tenantId, memoryId);
    if (memory.ok) await rebuildContext(memory.value, service.ports);
  }
}

async function fillVectors(service: MemoryService): Promise<void> {
  for (const { tenantId, memoryId } of await service.ports.vectors.memoriesWithPending(memoriesAtOnce)) {
    const memory = await service.memory(tenantId, memoryId);
    if (!memory.ok) continue;
    for (let fills = 0; fills < fillsOfMemory && (await service.ports.vectors.fill(memory.value)) > 0; fills++);
  }
}

const expiredRow = z.object({ tenant_id: z.string(), memory_id: z.string(), entry_id: z.string() });
