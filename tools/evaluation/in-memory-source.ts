/**
 * A store of one memory in plain maps that answers as the one in D1 does: probes read posting lists from the newest
 * entry on, within the limits of the plan. So what is measured through it holds for the real store.
 */
import {
  type Candidate,
  defaultSessionKey,
  type Field,
  type MemoryStatistics,
  placeKey,
  textFields,
} from "../../src/memory/retrieval/candidate.js";
import type { CandidatePlan, Probe } from "../../src/memory/retrieval/candidate-plan.js";
import {
  distinctTerms,
  type EntryText,
  entryTerms,
  splitTerms,
  spokenText,
} from "../../src/memory/retrieval/entry-terms.js";
import type { CandidateSource } from "../../src/memory/retrieval/search.js";

/** An entry to be put into the store. */
export interface SourceEntry extends EntryText {
  entryId: string;
  threadId: string;
  seq: number;
  sessionKey?: string | undefined;
}

function makeCandidate(entry: SourceEntry): Candidate {
  const { entryId, threadId, seq, role, occurredAt } = entry;
  const sessionKey = entry.sessionKey ?? defaultSessionKey(threadId, occurredAt);
  const terms = entryTerms(entry);
  return {
    entryId,
    threadId,
    seq,
    sessionKey,
    speaker: spokenText(entry).speaker,
    role,
    occurredAt,
    terms,
    length: splitTerms(terms.raw).length,
  };
}

function averageLengths(candidates: readonly Candidate[]): Record<Field, number> {
  const averages: Record<Field, number> = { raw: 0, summary: 0, tags: 0 };
  for (const field of textFields) {
    const lengths = candidates.map(({ terms }) => splitTerms(terms[field]).length).filter((length) => length > 0);
    averages[field] = lengths.length === 0 ? 0 : lengths.reduce((a, b) => a + b, 0) / lengths.length;
  }
  return averages;
}

/** Builds the store from entries in the order they were written. */
export function inMemorySource(entries: readonly SourceEntry[]): CandidateSource {
  const candidates = entries.map(makeCandidate);
  const postings = new Map<string, number[]>();
  candidates.forEach(({ terms }, row) => {
    for (const term of distinctTerms(terms)) {
      const list = postings.get(term);
      if (list === undefined) postings.set(term, [row]);
      else list.push(row);
    }
  });
  const byPlace = new Map(candidates.map((candidate) => [placeKey(candidate.threadId, candidate.seq), candidate]));
  const rowOf = new Map(candidates.map(({ entryId }, row) => [entryId, row]));
  const days = candidates.map(({ occurredAt }) => occurredAt.slice(0, 10)).sort();
  const whole = {
    entryCount: candidates.length,
    averageLength: averageLengths(candidates),
    span: { from: days[0] ?? "1970-01-01", to: days.at(-1) ?? "1970-01-01" },
  };

  function probeRows({ anyOf, limit }: Probe): number[] {
    const rows = new Set<number>();
    for (const [first, ...others] of anyOf) {
      if (first === undefined) continue;
      const lists = others.map((term) => new Set(postings.get(term)));
      for (const row of postings.get(first) ?? []) if (lists.every((list) => list.has(row))) rows.add(row);
    }
    return [...rows].sort((a, b) => b - a).slice(0, limit);
  }

  function planRows(plan: CandidatePlan): number[] {
    const rows = new Set(plan.entryIds.flatMap((id) => rowOf.get(id) ?? []));
    for (const { range, limit } of plan.dateProbes) {
      const within = candidates.flatMap(({ occurredAt }, row) => {
        const day = occurredAt.slice(0, 10);
        return day >= range.from && day <= range.to ? [row] : [];
      });
      for (const row of within.slice(-limit)) rows.add(row);
    }
    for (const probe of plan.probes) for (const row of probeRows(probe)) rows.add(row);
    return [...rows].slice(0, plan.maxCandidates);
  }

  return {
    async statistics(lookups, beginnings = []): Promise<MemoryStatistics> {
      const alike = [...postings.keys()].filter((term) => beginnings.some((beginning) => term.startsWith(beginning)));
      const frequencies = new Map([...lookups, ...alike].map((term) => [term, postings.get(term)?.length ?? 0]));
      return { ...whole, frequencies };
    },
    async candidates(plan) {
      return planRows(plan).flatMap((row) => candidates[row] ?? []);
    },
    async neighbours(seeds, reach) {
      return seeds.flatMap(({ threadId, seq }) =>
        Array.from(
          { length: 2 * reach + 1 },
          (_, index) => byPlace.get(placeKey(threadId, seq - reach + index)) ?? [],
        ).flat(),
      );
    },
  };
}
