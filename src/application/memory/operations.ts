/**
 * The memory agent's operations under the names of the seed, for a face that offers them as tools: a name, what it takes, and a
 * plain function over the service. No rule lives here.
 */
import { z } from "zod";
import { ok, type Result } from "../../conversation/problem.js";
import { newEntrySchema, timeSchema } from "../../memory/entry.js";
import { levels, newMemorySchema, newMessageSchema, newVaultSchema, threadIdSchema } from "../../memory/memory.js";
import type { MemoryRef } from "../../stores/memory/memory-store.js";
import { searchMemory, searchSchema } from "./memory-search.js";
import { type MemoryService, maxWaitMs } from "./memory-service.js";

export interface MemoryOperation {
  readonly name: string;
  readonly description: string;
  readonly input: z.ZodType;
  /** @param args what `input` has let through, or anything: it is parsed again */
  readonly run: (service: MemoryService, tenantId: string, args: unknown) => Promise<Result<unknown>>;
}

const ofMemory = z.object({ memoryId: z.string().max(100) });
const ofThread = ofMemory.extend({ threadId: threadIdSchema });
const page = { after: z.string().max(200).default(""), limit: z.int().min(1).max(200).default(50) };

function operation<T>(
  name: string,
  description: string,
  input: z.ZodType<T>,
  run: (service: MemoryService, tenantId: string, args: T) => Promise<Result<unknown>>,
): MemoryOperation {
  return { name, description, input, run: (service, tenantId, args) => run(service, tenantId, input.parse(args)) };
}

/** One that works on a memory of the tenant's; another's doesn't exist. */
function onMemory<T extends { memoryId: string }>(
  name: string,
  description: string,
  input: z.ZodType<T>,
  run: (service: MemoryService, memory: MemoryRef, args: T) => Promise<Result<unknown>>,
): MemoryOperation {
  return operation(name, description, input, async (service, tenantId, args) => {
    const memory = await service.memory(tenantId, args.memoryId);
    return memory.ok ? run(service, memory.value, args) : memory;
  });
}

export const memoryOperations: readonly MemoryOperation[] = [
  onMemory(
    "start_session",
    "Begin a session of a thread; gives the context and the entries that it doesn't cover yet.",
    ofThread,
    async (service, memory, { threadId }) => ok(await service.startSession(memory, threadId)),
  ),
  onMemory(
    "process_conversation_message",
    "Give a thread one message of the conversation. It is stored at once; entry and context follow.",
    ofThread.extend({ ...newMessageSchema.shape, idempotencyKey: z.string().max(200).optional() }),
    (service, memory, { memoryId: _, threadId, idempotencyKey, ...message }) =>
      service.processMessages(memory, threadId, [message], idempotencyKey),
  ),
  onMemory(
    "end_session",
    "End the session of a thread; what the context doesn't cover yet is taken in.",
    ofThread,
    (service, memory, { threadId }) => service.endSession(memory, threadId),
  ),
  operation("create_vault", "Make a vault.", newVaultSchema, async ({ ports }, tenantId, { title }) =>
    ok(await ports.memories.createVault(tenantId, title)),
  ),
  operation("list_vaults", "List the vaults.", z.object(page), async ({ ports }, tenantId, { after, limit }) =>
    ok(await ports.memories.vaults(tenantId, after, limit)),
  ),
  operation(
    "create_memory_in_vault",
    "Make a memory in a vault.",
    newMemorySchema.extend({ vaultId: z.string().max(100) }),
    async ({ ports }, tenantId, { vaultId, ...memory }) => {
      const vault = await ports.memories.vault(tenantId, vaultId);
      return vault === undefined ? noVault : ok(await ports.memories.createMemory(tenantId, vaultId, memory));
    },
  ),
  operation(
    "list_memories",
    "List the memories of a vault.",
    z.object({ vaultId: z.string().max(100), ...page }),
    async ({ ports }, tenantId, { vaultId, after, limit }) =>
      ok(await ports.memories.memories(tenantId, vaultId, after, limit)),
  ),
  onMemory("get_memory", "Read a memory.", ofMemory, async ({ ports }, { tenantId, memoryId }) =>
    ok(await ports.memories.memory(tenantId, memoryId)),
  ),
  onMemory(
    "add_entry",
    "Add an entry without a conversation.",
    ofMemory.extend({ ...newEntrySchema.shape, idempotencyKey: z.string().max(200).optional() }),
    (service, memory, { memoryId: _, idempotencyKey, ...entry }) => service.addEntry(memory, entry, idempotencyKey),
  ),
  onMemory(
    "get_entry",
    "Read an entry.",
    ofMemory.extend({ entryId: z.string().max(100) }),
    async ({ ports }, memory, { entryId }) => {
      const entry = await ports.entries.get(memory, entryId);
      return entry === undefined ? noEntry : ok(entry);
    },
  ),
  onMemory(
    "list_entries",
    "List the entries that hold, by the time at which they were said.",
    ofMemory.extend({ after: timeSchema.optional(), before: timeSchema.optional(), limit: page.limit }),
    async ({ ports }, memory, { after, before, limit }) =>
      ok(await ports.entries.list(memory, { after, before }, undefined, limit)),
  ),
  onMemory("get_context", "Read the context document.", ofMemory, async ({ ports }, memory) =>
    ok(await ports.contexts.current(memory)),
  ),
  onMemory(
    "put_context",
    "Write a new version of the context document; `version` is the one that it was written from.",
    ofMemory.extend({ document: z.string().min(1).max(5_000), version: z.int().min(0) }),
    async ({ ports }, memory, { document, version }) => {
      const put = await ports.contexts.put(memory, { document, expected: version, source: "person", author: "tool" });
      return put.kind === "stored" ? ok({ version: put.version }) : changed;
    },
  ),
  onMemory(
    "search_memories",
    "Find entries and contexts.",
    ofMemory.extend(searchSchema.shape),
    async ({ ports }, memory, { memoryId: _, ...request }) => ok(await searchMemory(memory, request, ports)),
  ),
  onMemory(
    "await_consistency",
    "Wait until messages are stored, indexed, or in the context; says what was reached.",
    ofMemory.extend({
      threadId: threadIdSchema.optional(),
      seq: z.int().min(0).optional(),
      level: z.enum(levels).default("indexed"),
      timeoutMs: z.int().min(0).max(maxWaitMs).default(10_000),
    }),
    (service, memory, wanted) => service.awaitConsistency(memory, wanted),
  ),
];

const noVault: Result<never> = { ok: false, problem: { code: "not_found", detail: "There is no such vault." } };
const noEntry: Result<never> = {
  ok: false,
  problem: { code: "not_found", detail: "There is no such entry in this memory." },
};
const changed: Result<never> = {
  ok: false,
  problem: { code: "precondition_failed", detail: "The context has changed meanwhile. Read it again." },
};
