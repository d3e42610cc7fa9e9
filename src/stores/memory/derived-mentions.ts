/**
 * What models wrote of other entries with a deleted one in view: their summaries and tags may repeat its words, in any thread, since
 * every prompt holds the context.
 */
import { z } from "zod";
import type { Entry } from "../../memory/entry.js";
import { matchExpression, scopedTerm } from "../../memory/retrieval/candidate-plan.js";
import { entryTerms, splitTerms } from "../../memory/retrieval/entry-terms.js";
import { all, type Database, listed } from "../../platform/sql.js";
import { text } from "../columns.js";
import type { MemoryRef } from "./memory-store.js";

/** Words that so many entries of the memory have tell of nothing in particular. */
const commonFrom = 200;
/** Words of an entry that are looked for, the rarest ones. */
const maxTerms = 60;
const maxMentions = 2_000;

const echoRow = z.object({
  entry_id: text,
  raw_terms: text,
  summary_terms: text,
  tag_terms: text,
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
  const rows = await all(db, echoRow)`
    SELECT e.entry_id, e.raw_terms, e.summary_terms, e.tag_terms FROM entry_index CROSS
    JOIN entries e ON e.key = entry_index.rowid
    WHERE entry_index MATCH ${matchExpression(probe, String(memory.key))} AND e.tenant_id = ${memory.tenantId}
      AND e.memory_key = ${memory.key} AND e.summary_source = 'model' AND e.entry_id <> ${entry.entryId}
    LIMIT ${maxMentions}`;
  return rows.flatMap(({ entry_id, raw_terms, summary_terms, tag_terms }) => {
    const own = new Set(splitTerms(raw_terms));
    const written = new Set([summary_terms, tag_terms].flatMap(splitTerms));
    return distinctive.some((term) => written.has(term) && !own.has(term)) ? [entry_id] : [];
  });
}

/** The rarest of these words in the memory, without those that are common in it. */
async function distinctiveTerms(db: Database, memory: MemoryRef, terms: readonly string[]): Promise<string[]> {
  const prefix = scopedTerm(String(memory.key), "");
  return (
    await all(db, z.object({ term: z.string() }))`SELECT term, doc FROM entry_vocab
      WHERE term IN ${listed([...new Set(terms)].map((term) => prefix + term))} AND doc < ${commonFrom}
      ORDER BY doc, term LIMIT ${maxTerms}`
  ).map(({ term }) => term.slice(prefix.length));
}
