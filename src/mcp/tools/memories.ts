/** Vaults, memories and their context documents, under the names of the memory agent's own papers. */
import { z } from "zod";
import { awaitConsistency, marksSchema } from "../../application/memory/await-consistency.js";
import { createMemory, listMemories, readMemory } from "../../application/memory/manage-memories.js";
import { createVault, listVaults } from "../../application/memory/manage-vaults.js";
import { readMemoryContext } from "../../application/memory/read-contexts.js";
import { readPrompts } from "../../application/memory/read-prompts.js";
import { writeMemoryContext } from "../../application/memory/write-contexts.js";
import { maxContextCharacters } from "../../memory/context-document.js";
import {
  contextSchema,
  levels,
  memorySchema,
  newMemorySchema,
  newVaultSchema,
  vaultSchema,
} from "../../memory/memory.js";
import { promptNames } from "../../memory/prompts.js";
import { cursor, idempotencyKey, limit, pageOf } from "../inputs.js";
import { actTool, type McpTool, mcpTool } from "../tool.js";

const memory_id = z.string().max(100);
const vault_id = z.string().max(100);

export const memoryTools: readonly McpTool[] = [
  mcpTool({
    name: "create_vault",
    title: "Create a vault",
    description: "A vault holds memories.",
    act: createVault,
    effect: "adds",
    input: z.strictObject({ title: newVaultSchema.shape.title, idempotency_key: idempotencyKey }),
    output: vaultSchema,
    run: ({ title }, { actor, services }) => createVault(actor, { vault: { title } }, services),
  }),
  actTool(listVaults, {
    name: "list_vaults",
    title: "List vaults",
    description: "The vaults there are, a page at a time.",
    effect: "reads",
    input: z.strictObject({ limit, cursor }),
    output: pageOf(vaultSchema),
  }),
  mcpTool({
    name: "create_memory_in_vault",
    title: "Create a memory",
    description: "A memory holds entries (what was said, word for word) and a context document (what is known).",
    act: createMemory,
    effect: "adds",
    input: z.strictObject({
      vault_id,
      title: newMemorySchema.shape.title,
      memory_type: newMemorySchema.shape.memoryType,
      description: newMemorySchema.shape.description,
      subject: newMemorySchema.shape.subject,
      external_id: newMemorySchema.shape.externalId,
      idempotency_key: idempotencyKey,
    }),
    output: memorySchema,
    run: ({ vault_id: vaultId, memory_type, external_id, idempotency_key: _, ...fields }, { actor, services }) => {
      const memory = newMemorySchema.parse({ ...fields, memoryType: memory_type, externalId: external_id });
      return createMemory(actor, { vaultId, memory }, services);
    },
  }),
  mcpTool({
    name: "list_memories",
    title: "List memories",
    description: "The memories of a vault, a page at a time.",
    act: listMemories,
    effect: "reads",
    input: z.strictObject({ vault_id, limit, cursor }),
    output: pageOf(memorySchema),
    run: ({ vault_id: vaultId, ...page }, { actor, services }) => listMemories(actor, { ...page, vaultId }, services),
  }),
  mcpTool({
    name: "get_memory",
    title: "Read a memory's description",
    description: "What a memory is called and how many entries it has.",
    act: readMemory,
    effect: "reads",
    input: z.strictObject({ memory_id }),
    output: memorySchema,
    run: ({ memory_id: memoryId }, { actor, services }) => readMemory(actor, { memoryId }, services),
  }),
  mcpTool({
    name: "get_context",
    title: "Read what a memory knows",
    description: "The newest context document of a memory. Version 0 is empty: nothing was written yet.",
    act: readMemoryContext,
    effect: "reads",
    input: z.strictObject({ memory_id }),
    output: contextSchema,
    text: ({ document }) => document,
    run: ({ memory_id: memoryId }, { actor, services }) => readMemoryContext(actor, { memoryId }, services),
  }),
  mcpTool({
    name: "put_context",
    title: "Write what a memory knows",
    description:
      "Puts a new version of the context document. With expected_version it is refused when somebody else wrote meanwhile.",
    act: writeMemoryContext,
    effect: "changes",
    input: z.strictObject({
      memory_id,
      context: z.string().min(1).max(maxContextCharacters),
      expected_version: z.int().min(0).optional(),
      idempotency_key: idempotencyKey,
    }),
    output: z.object({ version: z.int() }),
    run: ({ memory_id: memoryId, context, expected_version }, { actor, services }) =>
      writeMemoryContext(actor, { memoryId, document: context, expected: expected_version }, services),
  }),
  mcpTool({
    name: "await_consistency",
    title: "Wait until a memory has taken in what it was given",
    description:
      "Waits until messages are stored, indexed, or in the context, and says honestly what was reached and what failed.",
    act: awaitConsistency,
    effect: "reads",
    input: z.strictObject({
      memory_id,
      thread_id: z.string().max(100).optional(),
      seq: z.int().min(0).optional(),
      level: z.enum(levels).default("indexed"),
      timeout_ms: z.int().min(0).max(60_000).default(10_000),
    }),
    output: z.object({
      reached: z.boolean(),
      watermarks: z.union([marksSchema(), z.object({ threads: z.record(z.string(), marksSchema()) })]),
      failures: z.array(z.looseObject({})),
    }),
    run: ({ memory_id: memoryId, thread_id: threadId, timeout_ms: timeoutMs, ...goal }, { actor, services }) =>
      awaitConsistency(actor, { memoryId, goal: { threadId, timeoutMs, ...goal } }, services),
  }),
  mcpTool({
    name: "get_default_prompts",
    title: "Read the rules of the memory agent",
    description:
      "How entries are captured, summarised and written into the context: the tenant's own rules where it has any.",
    act: readPrompts,
    effect: "reads",
    input: z.strictObject({}),
    output: z.object({ prompts: z.record(z.enum(promptNames), z.string()) }),
    run: async (input, { actor, services }) => ({ prompts: (await readPrompts(actor, input, services)).prompts }),
  }),
];
