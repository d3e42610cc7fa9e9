/** Positions and debates for tests of the roundtable's rules. */
import { consensusOf } from "../../src/roundtable/consensus/consensus.js";
import { type ContextAsker, type ContextRequest, newRequest } from "../../src/roundtable/context-request.js";
import { applyResults, type ContextResult } from "../../src/roundtable/context-results.js";
import type { DebateRecord } from "../../src/roundtable/debate-record.js";
import { modeNamed } from "../../src/roundtable/modes/table.js";
import type { Position } from "../../src/roundtable/position.js";
import { pseudonym } from "../../src/roundtable/prompts.js";

export function position(seat: string, text: string, more: Partial<Position> = {}): Position {
  return {
    seat,
    round: 1,
    position: text,
    reasoning: `${text} That follows.`,
    confidence: 0.7,
    citations: [],
    citedContext: [],
    ...more,
  };
}

/** The list in another order. */
export function shuffled<T>(items: readonly T[], random: () => number): T[] {
  return items
    .map((item) => ({ item, at: random() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ item }) => item);
}

/** A debate of two rounds: Ben moves towards Ana on an answer that he had asked for; Cem stays apart. */
export function debate(more: Partial<DebateRecord> = {}): DebateRecord {
  const mode = more.mode ?? "collaborative";
  const seats = more.seats ?? [
    { id: "ana", name: "Ana Alvarez", persona: "A banker.", role: "red" },
    { id: "ben", name: "Ben Baker", perspective: { name: "security", description: "" } },
    { id: "cem", name: "Cem Cinar" },
  ];
  const names = modeNamed(mode).anonymous
    ? (seat: string) => pseudonym(seats.findIndex(({ id }) => id === seat))
    : (seat: string) => seats.find(({ id }) => id === seat)?.name ?? seat;
  const first = [
    position("ana", "Migrate the ledger to Postgres in May.", { stance: "YES", confidence: 0.9 }),
    position("ben", "Wait with the ledger until the budget is known.", { stance: "NO", confidence: 0.6 }),
    position("cem", "Keep the ledger where it is.", { stance: "NO", confidence: 0.8, reasoning: "It works." }),
  ];
  const second = [
    position("ana", "Migrate the ledger to Postgres in May.", { round: 2, stance: "YES", confidence: 0.9 }),
    position("ben", "Migrate the ledger in May: the budget is there.", {
      round: 2,
      stance: "YES",
      confidence: 0.8,
      citedContext: ["ask_1"],
      citations: [{ title: "Budget [draft]", url: "https://example.com/budget" }],
    }),
    position("cem", "Keep the ledger where it is.", {
      round: 2,
      stance: "NO",
      confidence: 0.8,
      reasoning: "It works.",
    }),
  ];
  const consensus = (...rounds: readonly (readonly Position[])[]) =>
    consensusOf({ rounds, stancesAreParts: false, stableRounds: 3, nameOf: names });
  const at = { absent: [], passes: [], startedAt: openedAt, endedAt: later };
  return {
    sessionId: "rt_1",
    topic: "Shall we migrate the ledger?",
    mode,
    panel: "board",
    status: "completed",
    seats,
    totalRounds: 3,
    rounds: [
      { ...at, round: 1, positions: first, failures: [], consensus: consensus(first) },
      {
        ...at,
        round: 2,
        positions: second,
        failures: [],
        consensus: consensus(first, second),
        focusQuestion: "And in May?",
      },
    ],
    requests: [
      {
        requestId: "ask_1",
        number: 1,
        query: "What is the budget for May?",
        priority: "required",
        round: 1,
        askers: [{ seat: "ben", round: 1, reason: "It bounds the work.", priority: "required" }],
        status: "answered",
        result: "€ 40,000 are there.",
        source: "finance",
        openedAt,
        closedAt: later,
      },
      {
        requestId: "ask_2",
        number: 2,
        query: "Who audits the ledger?",
        priority: "optional",
        round: 2,
        askers: [{ seat: "cem", round: 2, reason: "They may object.", priority: "optional" }],
        status: "withdrawn",
        openedAt,
        closedAt: later,
      },
    ],
    exit: { reason: "rounds", round: 2 },
    usage: { modelCalls: 7, inputTokens: 900, outputTokens: 100, activeMs: 5 },
    createdAt: openedAt,
    ...more,
  };
}

export const openedAt = "2026-01-01T00:00:00.000Z";
export const later = "2026-01-02T00:00:00.000Z";

/** How a seat asks for something. */
export function asked(seat: string, query: string, more: Partial<AskedFor> = {}): AskedFor {
  return { seat, query, round: 1, reason: `${seat} needs it`, priority: "required", ...more };
}
export type AskedFor = ContextAsker & { readonly query: string };

/** A debate's requests, each opened under `ask_1`, `ask_2` … */
export function requestsOf(...askers: readonly AskedFor[]): readonly ContextRequest[] {
  const requests: ContextRequest[] = [];
  for (const asker of askers) {
    requests.push(newRequest(requests, asker, { requestId: `ask_${requests.length + 1}`, openedAt }));
  }
  return requests;
}

/** The requests with these results. */
export function withResults(requests: readonly ContextRequest[], ...results: readonly ContextResult[]) {
  const { accepted } = applyResults(requests, results, { ended: false, now: later });
  return requests.map((request) => accepted.find(({ requestId }) => requestId === request.requestId) ?? request);
}
