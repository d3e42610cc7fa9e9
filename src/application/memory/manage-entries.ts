/** Entries of a memory: added, listed, read, tagged, corrected, deleted, found. Their texts never change. */
import { z } from "zod";
import { recordOf } from "../../conversation/actor-record.js";
import { need, problem } from "../../conversation/problem.js";
import { entrySchema, type NewEntry, newEntrySchema, tagsSchema, timeSchema } from "../../memory/entry.js";
import type { MemoryRef } from "../../stores/memory/memory-store.js";
import { type Actor, ownKey } from "../../tenancy/actor.js";
import { lazily } from "../../text/lazily.js";
import { act } from "../act.js";
import { listOf, pageInput, readPage } from "../page.js";
import type { Services } from "../services.js";
import { refuseHeldMemory } from "../subjects/on-hold.js";
import { deleteOfMemory, findMemory, lookUpMemory, memoryInput, memoryTag, supervisedWrite } from "./find-memory.js";
import type { EntryOptions } from "./memory-service.js";
import { checkOwnWords, entriesFor } from "./own-memory.js";
import { superviseEntry, superviseTags } from "./supervised-texts.js";

const entryInput = lazily(() => ({ ...memoryInput(), entryId: z.string().max(100) }));

/** Adds an entry without a conversation. Sent twice under one key it is there once. */
export const addEntry = act("addEntry", {
  role: "operator",
  clientMay: true,
  route: {
    method: "post",
    path: "/v1/memories/{memoryId}/entries",
    tag: memoryTag,
    summary: "Add an entry without a conversation; without a summary its own beginning is one",
    description: supervisedWrite,
    body: "entry",
    answer: "The entry",
    status: 201,
  },
  input: () => z.object({ ...memoryInput(), entry: newEntrySchema }),
  output: () => entrySchema,
  run: async (actor, { memoryId, entry }, services) => {
    const memory = await findMemory(actor, { memoryId }, services);
    return need(await services.memory.addEntry(memory, ...(await supervised(memory, entry, actor, services))));
  },
});

/** By the time at which they were said. */
export const listEntries = act("listEntries", {
  role: "operator",
  clientMay: true,
  ofSubject: true,
  route: {
    method: "get",
    path: "/v1/memories/{memoryId}/entries",
    tag: memoryTag,
    summary: "The entries that hold, by the time at which they were said",
    answer: "A page of entries",
  },
  input: () =>
    z.object({
      ...memoryInput(),
      ...pageInput(),
      asOf: timeSchema.optional(),
      role: z.string().max(40).optional(),
      tag: z.string().max(400).optional().meta({ description: "`name` or `name=value`" }),
      after: timeSchema.optional(),
      before: timeSchema.optional(),
      threadId: z.string().max(100).optional(),
    }),
  output: () => listOf(entrySchema),
  run: async (actor, { memoryId, limit, cursor, ...filter }, services) => {
    const memory = await lookUpMemory(actor, { memoryId }, services);
    const read = (position = "", most: number) => {
      const [occurredAt = "", entryId = ""] = position.split(" ");
      return services.near.entries.list(memory, filter, { occurredAt, entryId }, most);
    };
    const page = await readPage({ limit, cursor }, read, ({ occurredAt, entryId }) => `${occurredAt} ${entryId}`);
    const { items, nextCursor } = page;
    return { items: [...(await entriesFor(actor, memory, items, services))], nextCursor };
  },
});

/** Superseded or not. */
export const readEntry = act("readEntry", {
  role: "operator",
  clientMay: true,
  ofSubject: true,
  route: {
    method: "get",
    path: "/v1/memories/{memoryId}/entries/{entryId}",
    tag: memoryTag,
    summary: "One entry, superseded or not",
    answer: "The entry",
  },
  input: () => z.object(entryInput()),
  output: () => entrySchema,
  run: async (actor, ref, services) => {
    const memory = await lookUpMemory(actor, ref, services);
    const found = await services.near.entries.get(memory, ref.entryId);
    const [entry] = found === undefined ? [] : await entriesFor(actor, memory, [found], services);
    if (entry === undefined) throw problem("not_found", "There is no such entry in this memory.");
    return entry;
  },
});

export const tagEntry = act("tagEntry", {
  role: "operator",
  clientMay: true,
  route: {
    method: "patch",
    path: "/v1/memories/{memoryId}/entries/{entryId}",
    tag: memoryTag,
    summary: "Replace an entry's tags; its text never changes",
    description: supervisedWrite,
    body: "change",
    answer: "The entry",
  },
  input: () => z.object({ ...entryInput(), change: z.strictObject({ tags: tagsSchema }) }),
  output: () => entrySchema,
  run: async (actor, { memoryId, entryId, change: { tags } }, services) => {
    const memory = await findMemory(actor, { memoryId }, services);
    need(await superviseTags(memory, actor, tags, services));
    return need(await services.memory.setTags(memory, entryId, tags));
  },
});

/** Deletes an entry for good: text, index, thread, and the contexts that rest on it. */
export const deleteEntry = act("deleteEntry", {
  role: "operator",
  clientMay: true,
  ofSubject: true,
  route: {
    method: "delete",
    path: "/v1/memories/{memoryId}/entries/{entryId}",
    tag: memoryTag,
    summary: "Delete an entry for good: text, index, thread, and the contexts that rest on it",
    answer: "It is gone",
  },
  input: () => z.object(entryInput()),
  run: async (actor, ref, services) => {
    const memory = await findMemory(actor, ref, services);
    await refuseHeldMemory(memory, services);
    const deleted = { by: recordOf(actor), at: services.now() };
    await deleteOfMemory(memory, services, async () =>
      need(await services.memory.deleteEntry(memory, ref.entryId, deleted)),
    );
  },
});

/** Adds an entry that holds from its own time on; the one that it corrects held until then. */
export const correctEntry = act("correctEntry", {
  role: "operator",
  clientMay: true,
  ofSubject: true,
  route: {
    method: "post",
    path: "/v1/memories/{memoryId}/entries/{entryId}/corrections",
    tag: memoryTag,
    summary: "Correct an entry: a new one holds from its time on; the old one held until then",
    description: supervisedWrite,
    body: "entry",
    answer: "The new entry",
    status: 201,
  },
  input: () => z.object({ ...entryInput(), entry: newEntrySchema }),
  output: () => entrySchema,
  run: async (actor, { memoryId, entryId, entry }, services) => {
    checkOwnWords(actor, entry);
    const memory = await findMemory(actor, { memoryId }, services);
    const written = need(
      await services.memory.correct(memory, entryId, ...(await supervised(memory, entry, actor, services))),
    );
    const [shown] = await entriesFor(actor, memory, [written], services);
    return shown ?? written;
  },
});

/** The entry as supervisors let it be written; what is there under the key already isn't supervised again. */
async function supervised(
  memory: MemoryRef,
  entry: NewEntry,
  actor: Actor,
  services: Services,
): Promise<[NewEntry, EntryOptions]> {
  const key = ownKey(actor, actor.command?.key);
  const options = { idempotencyKey: key, vouchedBy: recordOf(actor), request: entry };
  const known = key === undefined ? undefined : await services.memory.ports.entries.byKey(memory, key);
  return [known === undefined ? need(await superviseEntry(memory, actor, entry, services)) : entry, options];
}
