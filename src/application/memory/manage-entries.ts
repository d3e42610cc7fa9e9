/** Entries of a memory: added, listed, read, tagged, corrected, deleted. Their texts never change. */
import { recordOf } from "../../conversation/actor-record.js";
import { ok, type Result, refuse } from "../../conversation/problem.js";
import type { Entry, NewEntry, Tags } from "../../memory/entry.js";
import type { EntryFilter } from "../../stores/memory/entry-filter.js";
import type { MemoryRef } from "../../stores/memory/memory-store.js";
import { type Actor, ownKey } from "../../tenancy/actor.js";
import { type Page, type PageRequest, readPage } from "../page.js";
import type { Services } from "../services.js";
import { deleteOfMemory, findMemory, lookUpMemory } from "./find-memory.js";
import type { EntryOptions } from "./memory-service.js";
import { superviseEntry, superviseTags } from "./supervised-texts.js";

export interface EntryRef {
  readonly memoryId: string;
  readonly entryId: string;
}

/** What a write says beside its entry: sent twice under one key it is there once. */
interface EntryInput {
  readonly entry: NewEntry;
  readonly idempotencyKey?: string | undefined;
}

/** Adds an entry without a conversation. */
export async function addEntry(
  actor: Actor,
  { memoryId, entry, idempotencyKey }: EntryInput & { readonly memoryId: string },
  services: Services,
): Promise<Result<Entry>> {
  const memory = await findMemory(actor, "addEntry", memoryId, services);
  if (!memory.ok) return memory;
  const written = await supervised(memory.value, { entry, idempotencyKey }, actor, services);
  if (!written.ok) return written;
  return services.memory.addEntry(memory.value, ...written.value);
}

/** The entries that hold, by the time at which they were said. */
export async function listEntries(
  actor: Actor,
  query: PageRequest & { readonly memoryId: string; readonly filter: EntryFilter },
  services: Services,
): Promise<Result<Page<Entry>>> {
  const memory = await lookUpMemory(actor, "listEntries", query.memoryId, services);
  if (!memory.ok) return memory;
  const read = (position = "", limit: number) => {
    const [occurredAt = "", entryId = ""] = position.split(" ");
    return services.near.entries.list(memory.value, query.filter, { occurredAt, entryId }, limit);
  };
  return readPage(query, read, ({ occurredAt, entryId }) => `${occurredAt} ${entryId}`);
}

/** An entry, superseded or not. */
export async function readEntry(
  actor: Actor,
  { memoryId, entryId }: EntryRef,
  services: Services,
): Promise<Result<Entry>> {
  const memory = await lookUpMemory(actor, "readEntry", memoryId, services);
  if (!memory.ok) return memory;
  const entry = await services.near.entries.get(memory.value, entryId);
  return entry === undefined ? refuse("not_found", "There is no such entry in this memory.") : ok(entry);
}

/** Replaces an entry's tags. */
export async function tagEntry(
  actor: Actor,
  { memoryId, entryId, tags }: EntryRef & { readonly tags: Tags },
  services: Services,
): Promise<Result<Entry>> {
  const memory = await findMemory(actor, "tagEntry", memoryId, services);
  if (!memory.ok) return memory;
  const allowed = await superviseTags(memory.value, actor, tags, services);
  if (!allowed.ok) return allowed;
  return services.memory.setTags(memory.value, entryId, tags);
}

/** Adds an entry that holds from its own time on; the one that it corrects held until then. */
export async function correctEntry(
  actor: Actor,
  { memoryId, entryId, entry, idempotencyKey }: EntryInput & EntryRef,
  services: Services,
): Promise<Result<Entry>> {
  const memory = await findMemory(actor, "correctEntry", memoryId, services);
  if (!memory.ok) return memory;
  const written = await supervised(memory.value, { entry, idempotencyKey }, actor, services);
  if (!written.ok) return written;
  return services.memory.correct(memory.value, entryId, ...written.value);
}

/** The entry as supervisors let it be written; what is there under the key already isn't supervised again. */
async function supervised(
  memory: MemoryRef,
  { entry, idempotencyKey }: EntryInput,
  actor: Actor,
  services: Services,
): Promise<Result<[NewEntry, EntryOptions]>> {
  const key = ownKey(actor, idempotencyKey);
  const options = { idempotencyKey: key, vouchedBy: recordOf(actor), request: entry };
  const known = key === undefined ? undefined : await services.memory.ports.entries.byKey(memory, key);
  if (known !== undefined) return ok([entry, options]);
  const written = await superviseEntry(memory, actor, entry, services);
  return written.ok ? ok([written.value, options]) : written;
}

/** Deletes an entry for good: text, index, thread, and the contexts that rest on it. */
export async function deleteEntry(
  actor: Actor,
  { memoryId, entryId }: EntryRef,
  services: Services,
): Promise<Result<void>> {
  const memory = await findMemory(actor, "deleteEntry", memoryId, services);
  if (!memory.ok) return memory;
  const deleted = { by: recordOf(actor), at: services.now() };
  return deleteOfMemory(memory.value, services, () => services.memory.deleteEntry(memory.value, entryId, deleted));
}
