/**
 * Retrieval: which entries of a memory answer a query, and why. Pure; the store is a port (`CandidateSource`).
 *
 * Writing: `entryTerms(entry)` gives the terms that are kept with an entry; `distinctTerms(terms)` the set of them that
 * goes into the index. Searching: `search(source, query, options)`, in three round trips: statistics, candidates, and
 * the surroundings of the likely ones.
 *
 * ## How D1 serves it
 *
 * ```sql
 * -- per entry, next to its text; `key` is the integer primary key of the entry, and the rowid in the index
 * entries(key INTEGER PRIMARY KEY, entry_id, memory_key INTEGER, thread_id, seq, session_key, speaker, role, occurred_at,
 *         raw_terms, summary_terms, tag_terms, mark_terms, …)
 *   UNIQUE (memory_key, thread_id, seq)   -- neighbours
 *   INDEX  (memory_key, occurred_at)      -- date probes
 * -- per memory, kept up to date in the batch that writes or deletes an entry
 * memories(key INTEGER PRIMARY KEY, entry_count, raw_length, raw_count, summary_length, summary_count, tag_length,
 *          tag_count, first_day, last_day, …)   -- averageLength.raw = raw_length / raw_count
 *
 * CREATE VIRTUAL TABLE entry_index USING fts5(terms, content='', detail=none, columnsize=0,
 *   tokenize="ascii tokenchars '@:.+#-_='");
 * INSERT INTO entry_index(entry_index, rank) VALUES ('secure-delete', 1);
 * CREATE VIRTUAL TABLE entry_vocab USING fts5vocab('entry_index', 'row');
 * ```
 *
 * The index holds rowids only. The indexed text is `distinctTerms(terms)`, each written `scopedTerm(memoryKey, term)`
 * ("12:book") and joined by spaces: every list in the index belongs to one memory, so another memory changes neither
 * results nor cost, and the vocabulary table holds the document frequencies of this memory, without counters that
 * could drift. Reading one costs a walk over its list (about 10 µs per 1,000 entries).
 *
 * - write: `INSERT INTO entry_index(rowid, terms) VALUES (?key, ?terms)`
 * - delete, correct, change tags: `INSERT INTO entry_index(entry_index, rowid, terms) VALUES ('delete', ?key, ?terms)`
 *   with the very terms that were indexed (made again from the stored columns, before these go). With secure-delete
 *   nothing of them stays in the index; `contentless_delete=1` would leave them behind a tombstone.
 * - 1, a batch: `SELECT … FROM memories WHERE key = ?`;
 *   `SELECT term, doc FROM entry_vocab WHERE term IN (SELECT value FROM json_each(?scopedTerms))`
 * - 2, a batch, a statement each (D1 takes at most 5 SELECTs in a UNION): for a probe
 *   `SELECT e.… FROM entry_index JOIN entries e ON e.key = entry_index.rowid WHERE entry_index MATCH ?matchExpression
 *    AND <not deleted, not expired, filters> ORDER BY entry_index.rowid DESC LIMIT ?`, which stops at its limit; for a date probe
 *   `SELECT … FROM entries WHERE memory_key = ? AND occurred_at >= ? AND occurred_at < ? ORDER BY occurred_at DESC LIMIT ?`.
 *   Filters by role and tag go into the match (`matchExpression(probe, key, [roleMark("user")])`), others into WHERE.
 *   A filter that most entries pass may rather be `accepts`: then an answer is also found by the question before it.
 * - 3: `SELECT … FROM json_each(?places) p CROSS JOIN entries e WHERE e.memory_key = ? AND e.thread_id = p.value->>0
 *    AND e.seq BETWEEN p.value->>1 - 2 AND p.value->>1 + 2`; CROSS, so that
 *   SQLite goes from the places to the entries and not through the whole memory
 */

export { type Candidate, defaultSessionKey, type MemoryStatistics } from "./candidate";
export {
  type CandidatePlan,
  type DateProbe,
  DEFAULT_PLAN_LIMITS,
  matchExpression,
  type PlanLimits,
  type Probe,
  planCandidates,
  scopedTerm,
} from "./candidate-plan";
export { type DateMention, findDates } from "./dates";
export {
  distinctTerms,
  type EntryTerms,
  type EntryText,
  entryTerms,
  roleMark,
  spokenText,
  tagMark,
} from "./entry-terms";
export { frequencyLookups, type ParsedQuery, parseQuery } from "./query";
export { chooseSeeds, type Ranked, type RankOptions, rank, type Why } from "./ranking";
export { type CandidateSource, DEFAULT_SEEDS, type SearchOptions, search } from "./search";
export { indexTerms, type Token, tokenize } from "./tokenizer";
export { DEFAULT_WEIGHTS, type RankingWeights } from "./weights";
