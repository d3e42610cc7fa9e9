/** Memories of a vault: created, listed, read, and deleted with their threads, entries and contexts. */
import { z } from "zod";
import { recordOf } from "../../conversation/actor-record.js";
import { externalIdSchema, subjectSchema } from "../../conversation/names.js";
import { need, problem } from "../../conversation/problem.js";
import { memoryChangeSchema, memorySchema, newMemorySchema, shownMemorySchema } from "../../memory/memory.js";
import { newId } from "../../platform/ids.js";
import { run } from "../../platform/sql.js";
import { insertDeletion } from "../../stores/audit-log.js";
import { act } from "../act.js";
import { claimId, externalIdTaken } from "../creation.js";
import { listOf, metadataInput, pageInput, readPage } from "../page.js";
import { refuseHeldMemory } from "../subjects/on-hold.js";
import { findMemory, findVault, memoryInput, memoryTag, vaultInput } from "./find-memory.js";
import { noMemory } from "./memory-service.js";
import { isOwnMemory, memoryFor } from "./own-memory.js";

/** A memory made twice under one key is one memory. */
export const createMemory = act("createMemory", {
  role: "operator",
  clientMay: true,
  route: {
    method: "post",
    path: "/v1/vaults/{vaultId}/memories",
    tag: memoryTag,
    summary: "Make a memory in a vault",
    body: "memory",
    answer: "The memory",
    status: 201,
    location: "/v1/memories/{memoryId}",
  },
  input: () => z.object({ ...vaultInput(), memory: newMemorySchema }),
  output: () => memorySchema,
  run: async (actor, { vaultId, memory }, services) => {
    const { memories } = services.memory.ports;
    await findVault(actor, { vaultId }, memories);
    const claimed = await claimId(actor, newId("mem"), ["memory", vaultId, memory], services);
    const made = await memories.createMemory({ tenantId: actor.tenantId, vaultId, memoryId: claimed }, memory);
    const { memoryId, externalId = "" } = made.memory;
    if (memoryId !== claimed) throw externalIdTaken(externalId, memoryId);
    return made.memory;
  },
});

/** The memory that has the caller's own id, made in this vault if there is none: once, however many ask at the same time. */
export const ensureMemory = act("createMemory", {
  role: "operator",
  clientMay: true,
  route: {
    method: "put",
    path: "/v1/vaults/{vaultId}/memories/by-external-id/{externalId}",
    tag: memoryTag,
    summary: "The memory that has your own id: the one there is, or a new one in this vault",
    description: "However many ask at the same time, one memory is made. Of one that is there nothing is changed.",
    body: "memory",
    shows: "memory",
    answer: "The one there is",
    other: { when: "created", status: 201, answer: "A new one" },
    location: "/v1/memories/{memoryId}",
  },
  input: () => z.object({ ...vaultInput(), externalId: externalIdSchema, memory: newMemorySchema }),
  output: () => z.object({ memory: memorySchema, created: z.boolean() }),
  run: async (actor, { vaultId, externalId, memory }, services) => {
    const { memories } = services.memory.ports;
    await findVault(actor, { vaultId }, memories);
    if (memory.externalId !== undefined && memory.externalId !== externalId) {
      const errors = [{ path: "externalId", message: "it is another one than in the path" }];
      throw problem("invalid", "The body and the path name different externalIds; leave it out of the body.", {
        errors,
      });
    }
    const ref = { tenantId: actor.tenantId, vaultId, memoryId: newId("mem") };
    const made = await memories.createMemory(ref, { ...memory, externalId });
    if (made.memory.vaultId !== vaultId) throw externalIdTaken(externalId, made.memory.memoryId);
    return made;
  },
});

export const findMemories = act("findMemories", {
  role: "client",
  ofSubject: true,
  route: {
    method: "get",
    path: "/v1/memories",
    tag: memoryTag,
    summary: "The memories of all vaults",
    description:
      "`metadata.x=y` finds those whose metadata has `y` under `x`. With an end user's token: those of its subject.",
    answer: "A page of memories",
  },
  input: () =>
    z.object({
      ...pageInput(),
      subject: subjectSchema.optional(),
      externalId: externalIdSchema.optional(),
      metadata: metadataInput(),
    }),
  output: () => listOf(shownMemorySchema),
  run: async (actor, { limit, cursor, ...filter }, { near, memory }) => {
    const isUser = actor.role === "user";
    const { subject = isUser ? actor.subject : undefined } = filter;
    if (!isOwnMemory(actor, { subject })) return { items: [], nextCursor: null };
    // What an application notes isn't asked for by its end users.
    const own = isUser ? { externalId: filter.externalId, subject } : filter;
    const { memories } = isUser ? memory.ports : near;
    const read = (after = "", most: number) => memories.memories(actor.tenantId, own, after, most);
    const { items, nextCursor } = await readPage({ limit, cursor }, read, ({ memoryId }) => memoryId);
    return { items: items.map((one) => memoryFor(actor, one)), nextCursor };
  },
});

export const listMemories = act("listMemories", {
  role: "client",
  route: {
    method: "get",
    path: "/v1/vaults/{vaultId}/memories",
    tag: memoryTag,
    summary: "The memories of a vault",
    answer: "A page of memories",
  },
  input: () => z.object({ ...vaultInput(), ...pageInput() }),
  output: () => listOf(memorySchema),
  run: async (actor, { vaultId, ...page }, { near }) => {
    await findVault(actor, { vaultId }, near.memories);
    const read = (after = "", limit: number) => near.memories.memories(actor.tenantId, { vaultId }, after, limit);
    return readPage(page, read, ({ memoryId }) => memoryId);
  },
});

export const readMemory = act("readMemory", {
  role: "client",
  ofSubject: true,
  route: {
    method: "get",
    path: "/v1/memories/{memoryId}",
    tag: memoryTag,
    summary: "One memory",
    answer: "The memory",
  },
  input: () => z.object(memoryInput()),
  output: () => shownMemorySchema,
  run: async (actor, { memoryId }, services) => {
    if (actor.role === "user") await findMemory(actor, { memoryId }, services);
    return memoryFor(actor, (await services.near.memories.memory(actor.tenantId, memoryId)) ?? need(noMemory));
  },
});

/** Its title, its model, and whom it is about. */
export const changeMemory = act("changeMemory", {
  role: "operator",
  clientMay: true,
  route: {
    method: "patch",
    path: "/v1/memories/{memoryId}",
    tag: memoryTag,
    summary: "Change a memory's title, its model or its subject",
    description:
      "The model writes what is written from now on. Tokens of the new subject read what is there already; sessions that are bound to it stay so.",
    body: "change",
    answer: "The memory",
  },
  input: () => z.object({ ...memoryInput(), change: memoryChangeSchema }),
  output: () => memorySchema,
  run: async (actor, { memoryId, change }, services) => {
    const memory = await findMemory(actor, { memoryId }, services);
    const done = { by: recordOf(actor), at: services.now() };
    return (await services.memory.ports.memories.change(memory, change, done)) ?? need(noMemory);
  },
});

export const deleteMemory = act("deleteMemory", {
  role: "operator",
  clientMay: true,
  route: {
    method: "delete",
    path: "/v1/memories/{memoryId}",
    tag: memoryTag,
    summary: "Delete a memory: its threads, entries and contexts",
    answer: "It is gone",
  },
  input: () => z.object(memoryInput()),
  run: async (actor, { memoryId }, services) => {
    const memory = await findMemory(actor, { memoryId }, services);
    await refuseHeldMemory(memory, services);
    // First: once it is gone, a repetition finds nothing to do.
    const deleted = { type: "memory.deleted", by: recordOf(actor), at: services.now() } as const;
    await run(services.db)`${insertDeletion(actor.tenantId, memoryId, deleted)}`;
    await services.memory.deleteMemory(memory);
  },
});
