/** Parts of a debate's record as callers read them: a round, its sources, what was asked for. */
import { z } from "zod";
import { consensusSchema } from "./consensus/schema.js";
import { type ContextRequest, contextRequestViewSchema, viewOfRequest } from "./context-request.js";
import { inSeatOrder } from "./debate.js";
import type { DebateRecord } from "./debate-record.js";
import type { SeatInfo } from "./panel.js";
import { type Citation, citationSchema, type Position } from "./position.js";
import { type ShownPosition, shownFailureSchema, shownPositionSchema } from "./roundtable.js";

export const shownRoundSchema = z.object({
  round: z.int(),
  focusQuestion: z.string().optional(),
  responses: z.array(shownPositionSchema),
  failures: z.array(shownFailureSchema),
  /** Seats that waited for what they had asked for. */
  absent: z.array(z.string()),
  /** Further passes, in which the seats named spoke again. */
  passes: z.array(z.object({ kind: z.enum(["rerun", "closing"]), agentIds: z.array(z.string()) })),
  consensus: consensusSchema.optional(),
  /** What was asked for in it. */
  contextRequests: z.array(contextRequestViewSchema),
  startedAt: z.iso.datetime(),
  endedAt: z.iso.datetime(),
});
export type ShownRound = z.infer<typeof shownRoundSchema>;

export function shownPosition(seats: readonly SeatInfo[], { seat, ...position }: Position): ShownPosition {
  const info = seats.find(({ id }) => id === seat);
  return {
    agentId: seat,
    name: info?.name ?? seat,
    ...(info?.role === undefined ? {} : { role: info.role }),
    ...position,
  };
}

export function shownRound({ seats, rounds, requests }: DebateRecord, number: number): ShownRound | undefined {
  const record = rounds.find(({ round }) => round === number);
  if (record === undefined) return undefined;
  const { positions, failures, passes, ...rest } = record;
  return {
    ...rest,
    responses: inSeatOrder(positions, seats).map((position) => shownPosition(seats, position)),
    failures: failures.map(({ seat, ...failure }) => ({ agentId: seat, ...failure })),
    passes: passes.map(({ kind, seats: agentIds }) => ({ kind, agentIds })),
    contextRequests: requests.filter(({ askers }) => askers.some(({ round }) => round === number)).map(viewOfRequest),
  };
}

export const shownCitationSchema = citationSchema.extend({
  /** Who rests on it, and in which rounds. */
  agentIds: z.array(z.string()),
  rounds: z.array(z.int()),
});
export type ShownCitation = z.infer<typeof shownCitationSchema>;

/** Each source once, in the order in which they were cited first. */
export function shownCitations({ rounds }: Pick<DebateRecord, "rounds">): ShownCitation[] {
  const sources = new Map<string, { citation: Citation; agentIds: Set<string>; rounds: Set<number> }>();
  for (const { round, positions } of rounds) {
    for (const { seat, citations } of positions) {
      for (const citation of citations) {
        const key = citation.url ?? citation.title;
        const known = sources.get(key) ?? { citation, agentIds: new Set(), rounds: new Set() };
        known.agentIds.add(seat);
        known.rounds.add(round);
        sources.set(key, known);
      }
    }
  }
  return [...sources.values()].map(({ citation, agentIds, rounds: cited }) => ({
    ...citation,
    agentIds: [...agentIds],
    rounds: [...cited],
  }));
}

export interface RequestFilter {
  readonly priority?: ContextRequest["priority"] | undefined;
  readonly status?: ContextRequest["status"] | undefined;
  readonly agentId?: string | undefined;
  readonly round?: number | undefined;
}

export function filteredRequests(
  requests: readonly ContextRequest[],
  { priority, status, agentId, round }: RequestFilter,
): readonly ContextRequest[] {
  return requests.filter(
    (request) =>
      (priority === undefined || request.priority === priority) &&
      (status === undefined || request.status === status) &&
      (agentId === undefined || request.askers.some(({ seat }) => seat === agentId)) &&
      (round === undefined || request.askers.some((asker) => asker.round === round)),
  );
}
