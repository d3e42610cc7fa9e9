/** The full-text index in D1 as a source of candidates: three round trips a search, whatever the size of the memory. */
import { z } from "zod";
import type { Candidate, MemoryStatistics } from "../../memory/retrieval/candidate.js";
import { type CandidatePlan, matchExpression, scopedTerm } from "../../memory/retrieval/candidate-plan.js";
import { roleMark, tagMark } from "../../memory/retrieval/entry-terms.js";
import type { CandidateSource } from "../../memory/retrieval/search.js";
import type { Database } from "../database.js";
import { type EntryFilter, endOfTime, holdsAt } from "./entry-filter.js";
import type { MemoryRef } from "./memory-store.js";

const candidateColumns =
  "e.entry_id, e.thread_id, e.seq, e.session_key, e.speaker, e.role, e.occurred_at, e.raw_terms, e.summary_terms, e.tag_terms, e.mark_terms, e.raw_length";

const candidateRow = z
  .object({
    entry_id: z.string(),
    thread_id: z.string(),
    seq: z.int(),
    session_key: z.string(),
    speaker: z.string().nullable(),
    role: z.string(),
    occurred_at: z.string(),
    raw_terms: z.string(),
    summary_terms: z.string(),
    tag_terms: z.string(),
    mark_terms: z.string(),
    raw_length: z.int(),
  })
  .transform(
    (row): Candidate => ({
      entryId: row.entry_id,
      threadId: row.thread_id,
      seq: row.seq,
      sessionKey: row.session_key,
      speaker: row.speaker ?? undefined,
      role: row.role,
      occurredAt: row.occurred_at,
      terms: { raw: row.raw_terms, summary: row.summary_terms, tags: row.tag_terms, marks: row.mark_terms },
      length: row.raw_length,
    }),
  );

const statisticsRow = z.object({
  entry_count: z.int(),
  raw_length: z.int(),
  raw_count: z.int(),
  summary_length: z.int(),
  summary_count: z.int(),
  tag_length: z.int(),
  tag_count: z.int(),
  first_day: z.string().nullable(),
  last_day: z.string().nullable(),
});

const vocabularyRows = z.array(z.object({ term: z.string(), doc: z.int() }));
/** Terms that begin alike and are looked at as forms of one word. */
const maxForms = 60;
/** Stored characters of a neighbour: what stands around an entry adds a little, and need not be read to its end. */
const neighbourCharacters = 1_500;

const perhaps = (length: number, count: number): number => (count === 0 ? 0 : length / count);

/** One memory's entries under the filters of one search. */
export class EntrySource implements CandidateSource {
  /** Those that may be hits, of all that were read: neighbours are read whatever the filters say. */
  private readonly visible = new Set<string>();
  private readonly required: readonly string[];

  constructor(
    private readonly db: Database,
    private readonly memory: MemoryRef,
    private readonly filter: EntryFilter,
    /** ISO. */
    private readonly now: string,
  ) {
    this.required = requiredMarks(filter);
  }

  /** For the ranking: whether an entry may be a hit. */
  readonly accepts = (candidate: Candidate): boolean => {
    const { after, before, threadId } = this.filter;
    const marks = candidate.terms.marks.split(" ");
    return (
      this.visible.has(candidate.entryId) &&
      this.required.every((mark) => marks.includes(mark)) &&
      (after === undefined || candidate.occurredAt >= after) &&
      (before === undefined || candidate.occurredAt < before) &&
      (threadId === undefined || candidate.threadId === threadId)
    );
  };

  async statistics(lookups: readonly string[], beginnings: readonly string[] = []): Promise<MemoryStatistics> {
    const { tenantId, key } = this.memory;
    const prefix = scopedTerm(String(key), "");
    const [memory, ...vocabulary] = await this.db.batch([
      this.db
        .prepare(
          `SELECT entry_count, raw_length, raw_count, summary_length, summary_count, tag_length, tag_count, first_day, last_day
           FROM memories WHERE tenant_id = ? AND key = ?`,
        )
        .bind(tenantId, key),
      this.db
        .prepare("SELECT term, doc FROM entry_vocab WHERE term IN (SELECT value FROM json_each(?))")
        .bind(JSON.stringify(lookups.map((term) => prefix + term))),
      ...beginnings.map((beginning) =>
        this.db
          .prepare("SELECT term, doc FROM entry_vocab WHERE term >= ?1 AND term < ?2 LIMIT ?3")
          .bind(prefix + beginning, `${prefix}${beginning}\u{10ffff}`, maxForms),
      ),
    ]);
    const row = statisticsRow.parse(memory?.results[0]);
    const terms = vocabulary.flatMap(({ results }) => vocabularyRows.parse(results));
    return {
      entryCount: row.entry_count,
      averageLength: {
        raw: perhaps(row.raw_length, row.raw_count),
        summary: perhaps(row.summary_length, row.summary_count),
        tags: perhaps(row.tag_length, row.tag_count),
      },
      frequencies: new Map(terms.map(({ term, doc }) => [term.slice(prefix.length), doc])),
      span: { from: (row.first_day ?? this.now).slice(0, 10), to: (row.last_day ?? this.now).slice(0, 10) },
    };
  }

  async candidates(plan: CandidatePlan): Promise<readonly Candidate[]> {
    const { tenantId, key } = this.memory;
    const conditions = this.conditions();
    const statements = [
      ...(plan.entryIds.length === 0
        ? []
        : [
            this.db
              .prepare(
                `SELECT ${candidateColumns} FROM entries e WHERE e.tenant_id = ?1 AND +e.memory_key = ?2 AND ${conditions}
                   AND e.entry_id IN (SELECT value FROM json_each(?8))`,
              )
              .bind(tenantId, key, ...this.bindings(), JSON.stringify(plan.entryIds)),
          ]),
      ...plan.dateProbes.map(({ range, limit }) =>
        this.db
          .prepare(
            `SELECT ${candidateColumns} FROM entries e WHERE e.tenant_id = ?1 AND e.memory_key = ?2 AND ${conditions}
               AND e.occurred_at >= ?8 AND e.occurred_at < ?9 ORDER BY e.occurred_at DESC LIMIT ?10`,
          )
          .bind(tenantId, key, ...this.bindings(), range.from, `${range.to}T99`, limit),
      ),
      // CROSS, so that SQLite goes from the index to the entries and doesn't ask the index about each entry of the memory.
      ...plan.probes.map((probe) =>
        this.db
          .prepare(
            `SELECT ${candidateColumns} FROM entry_index CROSS JOIN entries e ON e.key = entry_index.rowid
             WHERE entry_index MATCH ?8 AND e.tenant_id = ?1 AND e.memory_key = ?2 AND ${conditions}
             ORDER BY entry_index.rowid DESC LIMIT ?9`,
          )
          .bind(tenantId, key, ...this.bindings(), matchExpression(probe, String(key), this.required), probe.limit),
      ),
    ];
    if (statements.length === 0) return [];
    const found = new Map<string, Candidate>();
    for (const { results } of await this.db.batch(statements)) {
      for (const row of results) {
        const candidate = candidateRow.parse(row);
        if (found.size < plan.maxCandidates) found.set(candidate.entryId, candidate);
      }
    }
    for (const entryId of found.keys()) this.visible.add(entryId);
    return [...found.values()];
  }

  async neighbours(seeds: readonly Candidate[], reach: number): Promise<readonly Candidate[]> {
    const places = seeds.map(({ threadId, seq }) => [threadId, seq]);
    // CROSS, so that SQLite goes from the places to the entries and not through the whole memory.
    const { results } = await this.db
      .prepare(
        `SELECT ${candidateColumns.replace("e.raw_terms", `substr(e.raw_terms, 1, ${neighbourCharacters}) AS raw_terms`)}, ${this.conditions()} AS visible
         FROM json_each(?8) AS place CROSS JOIN entries e
         WHERE e.memory_key = ?2 AND e.thread_id = place.value ->> 0
           AND e.seq BETWEEN (place.value ->> 1) - ?9 AND (place.value ->> 1) + ?9 AND e.tenant_id = ?1 AND e.deleted_at IS NULL
           AND (e.expires_at IS NULL OR e.expires_at > ?3)`,
      )
      .bind(this.memory.tenantId, this.memory.key, ...this.bindings(), JSON.stringify(places), reach)
      .all();
    return results.map((row) => {
      const candidate = candidateRow.parse(row);
      if (z.object({ visible: z.int() }).parse(row).visible === 1) this.visible.add(candidate.entryId);
      return candidate;
    });
  }

  /** Bindings 3 to 7 belong to it. */
  private conditions(): string {
    const holds = holdsAt("?3", "?4").replaceAll(
      /\b(deleted_at|occurred_at|superseded_at|expires_at)\b/g,
      (column) => `e.${column}`,
    );
    return `(${holds} AND (?5 IS NULL OR e.occurred_at >= ?5) AND (?6 IS NULL OR e.occurred_at < ?6) AND (?7 IS NULL OR e.thread_id = ?7))`;
  }

  private bindings(): (string | null)[] {
    const { asOf, after, before, threadId } = this.filter;
    return [asOf ?? this.now, asOf ?? endOfTime, after ?? null, before ?? null, threadId ?? null];
  }
}

function requiredMarks({ role, tag }: EntryFilter): string[] {
  const [name = "", ...value] = (tag ?? "").split("=");
  return [
    ...(role === undefined ? [] : [roleMark(role)]),
    ...(tag === undefined ? [] : [value.length === 0 ? tagMark(name) : tagMark(name, value.join("="))]),
  ];
}
