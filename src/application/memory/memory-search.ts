/** Search: entries with the reasons for their scores, and the contexts that share words with the query. No model is called. */
import { type SearchOptions, search } from "../../memory/retrieval/search.js";
import type { Database } from "../../platform/sql.js";
import type { ContextStore } from "../../stores/memory/context-store.js";
import { EntrySource } from "../../stores/memory/entry-search.js";
import type { EntryStore } from "../../stores/memory/entry-store.js";
import type { MemoryRef } from "../../stores/memory/memory-store.js";
import type { EntryVectors } from "../../stores/memory/vectors.js";
import { coverageOf } from "../../text/overlap.js";
import type { SearchRequest, SearchResult } from "./search-shapes.js";

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
  const coverage = coverageOf(query);
  const contexts = versions
    .map((version) => ({ ...version, score: coverage(version.document) }))
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
