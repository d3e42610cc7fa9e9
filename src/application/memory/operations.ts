/**
 * The memory agent's operations under the names of the seed, for a face that offers them as tools: a name, what it takes, and the
 * act that it calls. No rule lives here.
 */
import { z } from "zod";
import type { Result } from "../../conversation/problem.js";
import { newEntrySchema, timeSchema } from "../../memory/entry.js";
import { levels, newMemorySchema, newMessageSchema, newVaultSchema, threadIdSchema } from "../../memory/memory.js";
import type { Actor } from "../../tenancy/actor.js";
import type { Services } from "../services.js";
import { awaitConsistency, maxWaitMs } from "./await-consistency.js";
import { addEntry, listEntries, readEntry } from "./manage-entries.js";
import { createMemory, listMemories, readMemory } from "./manage-memories.js";
import { createVault, listVaults } from "./manage-vaults.js";
import { searchSchema } from "./memory-search.js";
import { readMemoryContext } from "./read-contexts.js";
import { searchEntries } from "./search-entries.js";
import { endThread, recordMessages, startThread } from "./use-threads.js";
import { writeMemoryContext } from "./write-contexts.js";

export interface MemoryOperation {
  readonly name: string;
  readonly description: string;
  readonly input: z.ZodType;
  /** @param args what `input` has let through, or anything: it is parsed again */
  readonly run: (actor: Actor, args: unknown, services: Services) => Promise<Result<unknown>>;
}

const ofMemory = z.object({ memoryId: z.string().max(100) });
const ofVault = z.object({ vaultId: z.string().max(100) });
const ofThread = ofMemory.extend({ threadId: threadIdSchema });
const page = { cursor: z.string().max(500).optional(), limit: z.int().min(1).max(200).default(50) };
const idempotencyKey = z.string().max(200).optional();

function operation<T>(
  name: string,
  description: string,
  input: z.ZodType<T>,
  act: (actor: Actor, args: T, services: Services) => Promise<Result<unknown>>,
): MemoryOperation {
  return { name, description, input, run: (actor, args, services) => act(actor, input.parse(args), services) };
}

export const memoryOperations: readonly MemoryOperation[] = [
  operation(
    "start_session",
    "Begin a session of a thread; gives the context and the entries that it doesn't cover yet.",
    ofThread,
    startThread,
  ),
  operation(
    "process_conversation_message",
    "Give a thread one message of the conversation. It is stored at once; entry and context follow.",
    ofThread.extend({ ...newMessageSchema.shape, idempotencyKey }),
    (actor, { memoryId, threadId, idempotencyKey: key, ...message }, services) =>
      recordMessages(actor, { memoryId, threadId, messages: [message], idempotencyKey: key }, services),
  ),
  operation(
    "end_session",
    "End the session of a thread; what the context doesn't cover yet is taken in.",
    ofThread,
    endThread,
  ),
  operation("create_vault", "Create a vault.", newVaultSchema, createVault),
  operation("list_vaults", "List the vaults.", z.object(page), listVaults),
  operation(
    "create_memory_in_vault",
    "Create a memory in a vault.",
    newMemorySchema.extend(ofVault.shape),
    (actor, { vaultId, ...memory }, services) => createMemory(actor, { vaultId, memory }, services),
  ),
  operation("list_memories", "List the memories of a vault.", ofVault.extend(page), listMemories),
  operation("get_memory", "Read a memory.", ofMemory, (actor, { memoryId }, services) =>
    readMemory(actor, memoryId, services),
  ),
  operation(
    "add_entry",
    "Add an entry without a conversation.",
    ofMemory.extend({ ...newEntrySchema.shape, idempotencyKey }),
    (actor, { memoryId, idempotencyKey: key, ...entry }, services) =>
      addEntry(actor, { memoryId, entry, idempotencyKey: key }, services),
  ),
  operation("get_entry", "Read an entry.", ofMemory.extend({ entryId: z.string().max(100) }), readEntry),
  operation(
    "list_entries",
    "List the entries that hold, by the time at which they were said.",
    ofMemory.extend({ after: timeSchema.optional(), before: timeSchema.optional(), ...page }),
    (actor, { memoryId, cursor, limit, ...filter }, services) =>
      listEntries(actor, { memoryId, cursor, limit, filter }, services),
  ),
  operation("get_context", "Read the context document.", ofMemory, (actor, { memoryId }, services) =>
    readMemoryContext(actor, memoryId, services),
  ),
  operation(
    "put_context",
    "Write a new version of the context document; `version` is the one that it was written from.",
    ofMemory.extend({ document: z.string().min(1).max(5_000), version: z.int().min(0) }),
    (actor, { memoryId, document, version }, services) =>
      writeMemoryContext(actor, { memoryId, document, expected: version }, services),
  ),
  operation(
    "search_memories",
    "Find entries and contexts.",
    ofMemory.extend(searchSchema.shape),
    (actor, { memoryId, ...request }, services) => searchEntries(actor, { memoryId, request }, services),
  ),
  operation(
    "await_consistency",
    "Wait until messages are stored, indexed, or in the context; says what was reached.",
    ofMemory.extend({
      threadId: threadIdSchema.optional(),
      seq: z.int().min(0).optional(),
      level: z.enum(levels).default("indexed"),
      timeoutMs: z.int().min(0).max(maxWaitMs).default(10_000),
    }),
    awaitConsistency,
  ),
];
