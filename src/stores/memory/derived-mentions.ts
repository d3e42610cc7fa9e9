/**
 * What models wrote of other entries with a deleted one in view: their summaries and tags may repeat its words, in any thread, since
 * every prompt holds the context.
 */
import { z } from "zod";
import type { Entry } from "../../memory/entry.js";
import { matchExpression, scopedTerm } from "../../memory/retrieval/candidate-plan.js";
import { entryTerms, splitTerms } from "../../memory/retrieval/entry-terms.js";
import type { Database } from "../database.js";
import type { MemoryRef } from "./memory-store.js";

/** Words that so many entries of the memory have tell of nothing in particular. */
const commonFrom = 200;
/** Words of an entry that are looked for, the rarest ones. */
const maxTerms = 60;
const maxMentions = 2_000;

const echoRow = z.object({
  entry_id: z.string(),
  raw_terms: z.string(),
  summary_terms: z.string(),
  tag_terms: z.string(),
});

/** The entries of a memory whose summary or tags, written by a model, have a word from another entry and not from their own text. */
export async function findDerivedMentions(
  db: Database,
  memory: MemoryRef,
  { rawEntry, ...entry }: Entry,
): Promise<string[]> {
  const { raw, summary, tags } = entryTerms({ ...entry, rawText: rawEntry });
  const distinctive = await distinctiveTerms(db, memory, [raw, summary, tags].flatMap(splitTerms));
  if (distinctive.length === 0) return [];
  const probe = { anyOf: distinctive.map((term) => [term]), limit: maxMentions };
  const { results } = await db
    .prepare(
      `SELECT e.entry_id, e.raw_terms, e.summary_terms, e.tag_terms FROM entry_index CROSS JOIN entries e ON e.key = entry_index.rowid
       WHERE entry_index MATCH ?1 AND e.tenant_id = ?2 AND e.memory_key = ?3 AND e.summary_source = 'model' AND e.entry_id <> ?4
       LIMIT ?5`,
    )
    .bind(matchExpression(probe, String(memory.key)), memory.tenantId, memory.key, entry.entryId, maxMentions)
    .all();
  return results.flatMap((row) => {
    const { entry_id, raw_terms, summary_terms, tag_terms } = echoRow.parse(row);
    const own = new Set(splitTerms(raw_terms));
    const written = new Set([summary_terms, tag_terms].flatMap(splitTerms));
    return distinctive.some((term) => written.has(term) && !own.has(term)) ? [entry_id] : [];
  });
}

/** The rarest of these words in the memory, without those that are common in it. */
async function distinctiveTerms(db: Database, memory: MemoryRef, terms: readonly string[]): Promise<string[]> {
  const prefix = scopedTerm(String(memory.key), "");
  const { results } = await db
    .prepare(
      `SELECT term, doc FROM entry_vocab WHERE term IN (SELECT value FROM json_each(?1)) AND doc < ?2 ORDER BY doc, term LIMIT ?3`,
    )
    .bind(JSON.stringify([...new Set(terms)].map((term) => prefix + term)), commonFrom, maxTerms)
    .all();
  return z
    .array(z.object({ term: z.string() }))
    .parse(results)
    .map(({ term }) => term.slice(prefix.length));
}
