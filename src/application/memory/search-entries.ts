/** Find entries, with the reasons for their scores: in one memory, or in all that are about an end user. No model is called. */
import { z } from "zod";
import { subjectSchema } from "../../conversation/names.js";
import { need, problem } from "../../conversation/problem.js";
import type { Entry } from "../../memory/entry.js";
import type { MemoryRef } from "../../stores/memory/memory-store.js";
import type { Actor } from "../../tenancy/actor.js";
import { coverageOf } from "../../text/overlap.js";
import { act } from "../act.js";
import type { Services } from "../services.js";
import { lookUpMemory, memoryInput, memoryTag } from "./find-memory.js";
import { searchMemory } from "./memory-search.js";
import { noMemory } from "./memory-service.js";
import { contextFor, entriesFor, isOwnMemory, textsFor } from "./own-memory.js";
import {
  type SearchRequest,
  type SearchResult,
  searchResultSchema,
  searchSchema,
  subjectSearchResultSchema,
} from "./search-shapes.js";

/** With contexts. */
export const searchEntries = act("searchEntries", {
  role: "client",
  ofSubject: true,
  route: {
    method: "post",
    path: "/v1/memories/{memoryId}/search",
    tag: memoryTag,
    summary: "Find entries, with the reasons for their scores; no model is called",
    body: "request",
    answer: "What was found",
  },
  input: () => z.object({ ...memoryInput(), request: searchSchema }),
  output: () => searchResultSchema,
  run: async (actor, { memoryId, request }, services) => {
    const memory = await lookUpMemory(actor, { memoryId }, services);
    const [found] = await searchFor(actor, [memory], request, services);
    return found ?? need(noMemory);
  },
});

/** Memories of one subject that are searched at once. */
const mostOfSubject = 20;

export const searchMemories = act("searchMemories", {
  role: "client",
  ofSubject: true,
  route: {
    method: "post",
    path: "/v1/memories/search",
    tag: memoryTag,
    summary: "Find entries in all memories of a subject, the best ones of all first",
    description: `Of more than ${mostOfSubject} memories the oldest ${mostOfSubject} are searched. With an end user's token: those of its subject.`,
    body: "request",
    answer: "What was found",
  },
  input: () => z.object({ request: searchSchema.extend({ subject: subjectSchema.optional() }) }),
  output: () => subjectSearchResultSchema,
  run: async (actor, { request: { subject: named, ...request } }, services) => {
    const subject = named ?? (actor.role === "user" ? actor.subject : undefined);
    if (subject === undefined) {
      const errors = [{ path: "subject", message: "a search over memories names their subject" }];
      throw problem("invalid", "Whose memories? Name the end user as `subject`.", { errors });
    }
    if (!isOwnMemory(actor, { subject })) {
      throw problem("forbidden", "A token searches the memories of its own subject. Leave `subject` out.");
    }
    const memories = await services.memory.ports.memories.ofSubject(actor.tenantId, subject, mostOfSubject);
    const found = await searchFor(actor, memories, request, services);
    const idAt = (at: number): string => memories[at]?.memoryId ?? "";
    return {
      entries: best(found.flatMap(({ entries }) => entries)).slice(0, request.topEntries),
      contexts: best(
        found.flatMap(({ contexts }, at) => contexts.map((context) => ({ ...context, memoryId: idAt(at) }))),
      ).slice(0, request.topContexts),
      latestContexts: found.map(({ latestContext }, at) => ({ ...latestContext, memoryId: idAt(at) })),
    };
  },
});

function best<T extends { readonly score: number }>(found: readonly T[]): T[] {
  return found.toSorted((a, b) => b.score - a.score);
}

/** What a search finds in each of these memories, as its actor may read it. */
async function searchFor(
  actor: Actor,
  memories: readonly MemoryRef[],
  request: SearchRequest,
  services: Services,
): Promise<SearchResult[]> {
  const found = await findIn(memories, request, services);
  if (actor.role !== "user") return found;
  const coverage = coverageOf(request.query);
  const readable = async (
    { entries, contexts, latestContext }: SearchResult,
    memory: MemoryRef,
  ): Promise<SearchResult> => {
    const [shown, [latest, ...documents]] = await Promise.all([
      entriesFor(
        actor,
        memory,
        entries.map(({ entry }) => entry),
        services,
      ),
      textsFor(
        actor,
        memory,
        [latestContext, ...contexts].map(({ document }) => document),
        services,
      ),
    ]);
    return {
      // Words that an entry was found by may be some that its reader isn't shown.
      entries: shown.flatMap((entry, at) => {
        const hit = entries[at];
        if (hit === undefined || !isFoundBy(coverage, entry, hit.entry)) return [];
        return [{ ...hit, entry, why: { ...hit.why, terms: [] } }];
      }),
      contexts: contexts.flatMap((context, at) => {
        const score = coverage(documents[at] ?? "");
        return score > 0 ? [{ ...contextFor(actor, context, documents[at]), score }] : [];
      }),
      latestContext: contextFor(actor, latestContext, latest),
    };
  };
  return Promise.all(
    found.flatMap((result, at) => {
      const memory = memories[at];
      return memory === undefined ? [] : [readable(result, memory)];
    }),
  );
}

/** The best of all memories together: only these are held against rules. The query is made a vector once. */
async function findIn(
  memories: readonly MemoryRef[],
  request: SearchRequest,
  services: Services,
): Promise<SearchResult[]> {
  const { now, vectors } = services.memory.ports;
  let vector: ReturnType<typeof vectors.ofQuery> | undefined;
  const ports = {
    ...{ ...services.near, now },
    vectors: {
      ofQuery: (memory: MemoryRef, query: string) => (vector ??= vectors.ofQuery(memory, query)),
      nearest: vectors.nearest.bind(vectors),
      similarities: vectors.similarities.bind(vectors),
    },
  };
  const found = await Promise.all(memories.map((memory) => searchMemory(memory, request, ports)));
  const entries = new Set(best(found.flatMap((one) => one.entries)).slice(0, request.topEntries));
  const contexts = new Set(best(found.flatMap((one) => one.contexts)).slice(0, request.topContexts));
  return found.map((one) => ({
    ...one,
    entries: one.entries.filter((hit) => entries.has(hit)),
    contexts: one.contexts.filter((hit) => contexts.has(hit)),
  }));
}

/** An entry that rules changed is found by what its reader is shown, so that nobody can ask which words were hidden. */
function isFoundBy(coverage: (text: string) => number, shown: Entry, stored: Entry): boolean {
  if (shown.rawEntry === stored.rawEntry && shown.summary === stored.summary) return true;
  return coverage(`${shown.rawEntry} ${shown.summary}`) > 0;
}
