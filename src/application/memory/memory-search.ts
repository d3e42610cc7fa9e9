/** Search: entries with the reasons for their scores, and the contexts that share words with the query. No model is called. */
import { z } from "zod";
import { entrySchema, timeSchema } from "../../memory/entry.js";
import { contextSchema } from "../../memory/memory.js";
import { type SearchOptions, search } from "../../memory/retrieval/search.js";
import type { Database } from "../../stores/database.js";
import type { ContextStore } from "../../stores/memory/context-store.js";
import { EntrySource } from "../../stores/memory/entry-search.js";
import type { EntryStore } from "../../stores/memory/entry-store.js";
import type { MemoryRef } from "../../stores/memory/memory-store.js";
import type { EntryVectors } from "../../stores/memory/vectors.js";
import { tokenize } from "../../text/tokenizer.js";

export const searchSchema = z.strictObject({
  query: z.string().min(1).max(4_000),
  topEntries: z.int().min(0).max(100).default(10),
  topContexts: z.int().min(0).max(20).default(1),
  filter: z
    .strictObject({
      role: z.string().max(40).optional(),
      /** `name` or `name=value`. */
      tag: z.string().max(400).optional(),
      after: timeSchema.optional(),
      before: timeSchema.optional(),
      threadId: z.string().max(100).optional(),
    })
    .prefault({}),
  asOf: timeSchema.optional(),
});
export type SearchRequest = z.infer<typeof searchSchema>;

const whySchema = z.object({
  terms: z.array(
    z.object({ term: z.string(), word: z.string(), weight: z.number(), topics: z.array(z.string()).optional() }),
  ),
  neighbours: z.number(),
  session: z.number(),
  speaker: z.number(),
  date: z.number(),
  vector: z.number(),
  form: z.number(),
  total: z.number(),
});

export const plainContextSchema = contextSchema.omit({ coverage: true });

export const searchResultSchema = z.object({
  entries: z.array(
    z.object({
      entry: entrySchema,
      score: z.number(),
      /** What makes up the score. */
      why: whySchema,
      /** Entries that say the same and are left out for this one. */
      duplicates: z.array(z.string()),
    }),
  ),
  contexts: z.array(plainContextSchema.extend({ score: z.number() })),
  latestContext: plainContextSchema,
});
export type SearchResult = z.infer<typeof searchResultSchema>;

/** Versions of the context that are looked at. */
const searchedVersions = 20;

export interface SearchPorts {
  readonly db: Database;
  readonly now: () => number;
  readonly entries: Pick<EntryStore, "byIds">;
  readonly contexts: Pick<ContextStore, "versions">;
  readonly vectors: Pick<EntryVectors, "ofQuery" | "nearest" | "similarities">;
}

export async function searchMemory(
  memory: MemoryRef,
  request: SearchRequest,
  ports: SearchPorts,
): Promise<SearchResult> {
  const { query, topEntries, topContexts, filter, asOf } = request;
  const now = new Date(ports.now()).toISOString();
  const source = new EntrySource(ports.db, memory, { ...filter, asOf }, now);
  const ranked =
    topEntries === 0
      ? []
      : await search(source, query, {
          limit: topEntries,
          now: asOf ?? now,
          accepts: source.accepts,
          ...(await byMeaning(memory, query, ports)),
        });
  const [entries, versions] = await Promise.all([
    ports.entries.byIds(
      memory,
      ranked.map(({ entryId }) => entryId),
    ),
    ports.contexts.versions(memory, Number.MAX_SAFE_INTEGER, searchedVersions),
  ]);
  const byId = new Map(entries.map((entry) => [entry.entryId, entry]));
  const queryTerms = new Set(tokenize(query).map(({ term }) => term));
  const contexts = versions
    .map((version) => ({ ...version, score: likeness(queryTerms, version.document) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || b.version - a.version)
    .slice(0, topContexts);
  return {
    entries: ranked.flatMap(({ entryId, score, why, duplicates }) => {
      const entry = byId.get(entryId);
      return entry === undefined ? [] : [{ entry, score, why, duplicates }];
    }),
    contexts,
    latestContext: versions[0] ?? { version: 0, document: "" },
  };
}

/** Likenesses by vectors, where the tenant has a provider that answers soon; otherwise nothing, and words decide alone. */
async function byMeaning(
  memory: MemoryRef,
  query: string,
  { vectors }: SearchPorts,
): Promise<Pick<SearchOptions, "similarities" | "likenessOf">> {
  const queryVector = await vectors.ofQuery(memory, query);
  if (queryVector === undefined) return {};
  return {
    similarities: await vectors.nearest(memory, queryVector),
    likenessOf: (entryIds) => vectors.similarities(memory, queryVector, entryIds),
  };
}

/** The share of the query's terms that a document has. */
function likeness(queryTerms: ReadonlySet<string>, document: string): number {
  if (queryTerms.size === 0) return 0;
  const documentTerms = new Set(tokenize(document).map(({ term }) => term));
  return [...queryTerms].filter((term) => documentTerms.has(term)).length / queryTerms.size;
}
