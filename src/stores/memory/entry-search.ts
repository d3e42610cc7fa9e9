/** The full-text index in D1 as a source of candidates: three round trips a search, whatever the size of the memory. */
import { z } from "zod";
import type { Candidate, MemoryStatistics } from "../../memory/retrieval/candidate.js";
import { type CandidatePlan, matchExpression, scopedTerm } from "../../memory/retrieval/candidate-plan.js";
import { roleMark, tagMark } from "../../memory/retrieval/entry-terms.js";
import type { CandidateSource } from "../../memory/retrieval/search.js";
import { all, batch, type Database, listed, raw, type Sql, sql } from "../../platform/sql.js";
import { integer, text, textOrNull } from "../columns.js";
import { type EntryFilter, endOfTime, holdsAt } from "./entry-filter.js";
import type { MemoryRef } from "./memory-store.js";

const candidateColumns = sql`
  e.entry_id, e.thread_id, e.seq, e.session_key, e.speaker, e.role, e.occurred_at, e.raw_terms, e.summary_terms,
    e.tag_terms, e.mark_terms, e.raw_length`;

const candidateRow = z
  .object({
    entry_id: text,
    thread_id: text,
    seq: integer,
    session_key: text,
    speaker: textOrNull,
    role: text,
    occurred_at: text,
    raw_terms: text,
    summary_terms: text,
    tag_terms: text,
    mark_terms: text,
    raw_length: integer,
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

/** Stored characters of a neighbour: what stands around an entry adds a little, and need not be read to its end. */
const neighbourCharacters = 1_500;
const neighbourColumns = raw(
  candidateColumns.text.replace("e.raw_terms", `substr(e.raw_terms, 1, ${neighbourCharacters}) AS raw_terms`),
);
const neighbourRow = z.looseObject({ visible: z.int() }).transform((row) => [candidateRow.parse(row), row] as const);

const statisticsRow = z.object({
  entry_count: integer,
  raw_length: integer,
  raw_count: integer,
  summary_length: integer,
  summary_count: integer,
  tag_length: integer,
  tag_count: integer,
  first_day: textOrNull,
  last_day: textOrNull,
});

const vocabularyRows = z.array(z.object({ term: z.string(), doc: z.int() }));
/** Terms that begin alike and are looked at as forms of one word. */
const maxForms = 60;

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
    const [memory, ...vocabulary] = await batch(this.db, [
      sql`SELECT entry_count, raw_length, raw_count, summary_length, summary_count, tag_length, tag_count, first_day,
          last_day
        FROM memories WHERE tenant_id = ${tenantId} AND key = ${key}`,
      sql`SELECT term, doc FROM entry_vocab WHERE term IN ${listed(lookups.map((term) => prefix + term))}`,
      ...beginnings.map(
        (beginning) =>
          sql`SELECT term, doc FROM entry_vocab
            WHERE term >= ${prefix + beginning} AND term < ${`${prefix}${beginning}\u{10ffff}`} LIMIT ${maxForms}`,
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
    const conditions = sql`e.tenant_id = ${tenantId} AND ${this.conditions()}`;
    const statements = [
      ...(plan.entryIds.length === 0
        ? []
        : [
            sql`SELECT ${candidateColumns} FROM entries e
              WHERE ${conditions} AND +e.memory_key = ${key} AND e.entry_id IN ${listed(plan.entryIds)}`,
          ]),
      ...plan.dateProbes.map(
        ({ range, limit }) => sql`SELECT ${candidateColumns} FROM entries e
          WHERE ${conditions} AND e.memory_key = ${key} AND e.occurred_at >= ${range.from}
            AND e.occurred_at < ${`${range.to}T99`}
          ORDER BY e.occurred_at DESC LIMIT ${limit}`,
      ),
      // CROSS, so that SQLite goes from the index to the entries and doesn't ask the index about each entry of the memory.
      ...plan.probes.map(
        (probe) => sql`SELECT ${candidateColumns} FROM entry_index CROSS JOIN entries e ON e.key = entry_index.rowid
          WHERE entry_index MATCH ${matchExpression(probe, String(key), this.required)} AND ${conditions}
            AND e.memory_key = ${key}
          ORDER BY entry_index.rowid DESC LIMIT ${probe.limit}`,
      ),
    ];
    if (statements.length === 0) return [];
    const found = new Map<string, Candidate>();
    for (const { results } of await batch(this.db, statements)) {
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
    const rows = await all(this.db, neighbourRow)`
      SELECT ${neighbourColumns}, ${this.conditions()} AS visible FROM json_each(${JSON.stringify(places)}) AS place
      CROSS JOIN entries e
      WHERE e.memory_key = ${this.memory.key} AND e.thread_id = place.value ->> 0
        AND e.seq BETWEEN (place.value ->> 1) - ${reach} AND (place.value ->> 1) + ${reach}
        AND e.tenant_id = ${this.memory.tenantId} AND e.deleted_at IS NULL
        AND (e.expires_at IS NULL OR e.expires_at > ${this.filter.asOf ?? this.now})`;
    return rows.map(([candidate, { visible }]) => {
      if (visible === 1) this.visible.add(candidate.entryId);
      return candidate;
    });
  }

  private conditions(): Sql {
    const { asOf, after, before, threadId } = this.filter;
    return sql`(${holdsAt(asOf ?? this.now, asOf ?? endOfTime)} AND (${after} IS NULL OR e.occurred_at >= ${after})
        AND (${before} IS NULL OR e.occurred_at < ${before}) AND (${threadId} IS NULL OR e.thread_id = ${threadId}))`;
  }
}

function requiredMarks({ role, tag }: EntryFilter): string[] {
  const [name = "", ...value] = (tag ?? "").split("=");
  return [
    ...(role === undefined ? [] : [roleMark(role)]),
    ...(tag === undefined ? [] : [value.length === 0 ? tagMark(name) : tagMark(name, value.join("="))]),
  ];
}
