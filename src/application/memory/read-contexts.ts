/** The context of a memory and its versions: read, listed, compared. Version 0 is empty and always there. */
import { createTwoFilesPatch } from "diff";
import { ok, type Result, refuse } from "../../conversation/problem.js";
import type { ContextVersion } from "../../memory/memory.js";
import type { ContextSource, ContextStore } from "../../stores/memory/context-store.js";
import type { MemoryRef } from "../../stores/memory/memory-store.js";
import type { Actor } from "../../tenancy/actor.js";
import { type Page, type PageRequest, readPage } from "../page.js";
import type { Services } from "../services.js";
import { lookUpMemory } from "./find-memory.js";

export interface ContextVersionRef {
  readonly memoryId: string;
  readonly version: number;
}

/** The context as it is now. */
export async function readMemoryContext(
  actor: Actor,
  memoryId: string,
  services: Services,
): Promise<Result<ContextVersion>> {
  const memory = await lookUpMemory(actor, "readMemoryContext", memoryId, services);
  if (!memory.ok) return memory;
  return ok(await services.near.contexts.current(memory.value));
}

/** Newest first. */
export async function listContextVersions(
  actor: Actor,
  query: PageRequest & { readonly memoryId: string },
  services: Services,
): Promise<Result<Page<Omit<ContextVersion, "coverage">>>> {
  const memory = await lookUpMemory(actor, "listContextVersions", query.memoryId, services);
  if (!memory.ok) return memory;
  const read = (position: string | undefined, limit: number) => {
    const before = Number(position ?? Number.MAX_SAFE_INTEGER);
    return services.near.contexts.versions(memory.value, Number.isSafeInteger(before) ? before : 0, limit);
  };
  return readPage(query, read, ({ version }) => String(version));
}

/** One version, with up to where it covers each thread. */
export async function readContextVersion(
  actor: Actor,
  { memoryId, version }: ContextVersionRef,
  services: Services,
): Promise<Result<ContextVersion>> {
  const memory = await lookUpMemory(actor, "readContextVersion", memoryId, services);
  if (!memory.ok) return memory;
  return findContextVersion(memory.value, version, services.near.contexts);
}

/** The entries that a version rests on, and since which version. */
export async function listContextSources(
  actor: Actor,
  query: PageRequest & ContextVersionRef,
  services: Services,
): Promise<Result<Page<ContextSource>>> {
  const memory = await lookUpMemory(actor, "listContextSources", query.memoryId, services);
  if (!memory.ok) return memory;
  const version = await findContextVersion(memory.value, query.version, services.near.contexts);
  if (!version.ok) return version;
  const read = (position = "", limit: number) => {
    const [since = "0", entryId = ""] = position.split(" ");
    return services.near.contexts.sources(memory.value, query.version, { since: Number(since), entryId }, limit);
  };
  return readPage(query, read, ({ since, entryId }) => `${since} ${entryId}`);
}

/** What is different between two versions, as a unified diff. */
export async function compareContextVersions(
  actor: Actor,
  { memoryId, from, to }: { readonly memoryId: string; readonly from: number; readonly to: number },
  services: Services,
): Promise<Result<{ from: number; to: number; diff: string }>> {
  const memory = await lookUpMemory(actor, "compareContextVersions", memoryId, services);
  if (!memory.ok) return memory;
  const [before, after] = await Promise.all([
    findContextVersion(memory.value, from, services.near.contexts),
    findContextVersion(memory.value, to, services.near.contexts),
  ]);
  if (!before.ok) return before;
  if (!after.ok) return after;
  const texts = [`${before.value.document}\n`, `${after.value.document}\n`] as const;
  return ok({ from, to, diff: createTwoFilesPatch(`version ${from}`, `version ${to}`, ...texts) });
}

export async function findContextVersion(
  memory: MemoryRef,
  version: number,
  contexts: Pick<ContextStore, "version">,
): Promise<Result<ContextVersion>> {
  const found = version === 0 ? { version: 0, document: "", coverage: {} } : await contexts.version(memory, version);
  if (found !== undefined) return ok(found);
  return refuse("not_found", `This memory's context has no version ${version}.`);
}
