/** Find entries of a memory, with the reasons for their scores, and contexts. No model is called. */
import { ok, type Result } from "../../conversation/problem.js";
import type { Actor } from "../../tenancy/actor.js";
import type { Services } from "../services.js";
import { lookUpMemory } from "./find-memory.js";
import { type SearchRequest, type SearchResult, searchMemory } from "./memory-search.js";

export async function searchEntries(
  actor: Actor,
  { memoryId, request }: { readonly memoryId: string; readonly request: SearchRequest },
  services: Services,
): Promise<Result<SearchResult>> {
  const memory = await lookUpMemory(actor, "searchEntries", memoryId, services);
  if (!memory.ok) return memory;
  const { near, memory: service } = services;
  const { now, vectors } = service.ports;
  return ok(await searchMemory(memory.value, request, { ...near, now, vectors }));
}
