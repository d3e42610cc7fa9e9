/** Everything that a debate holds, for those who read it; and parts of it as callers read them. */

import { z } from "zod";
import { spentSchema } from "../agent/budget.js";
import { defined } from "../conversation/defined.js";
import { consensusSchema } from "./consensus/schema.js";
import {
  awaitedContext,
  type ContextRequest,
  contextRequestSchema,
  contextRequestViewSchema,
  viewOfRequest,
} from "./context-request.js";
import {
  debateStatuses,
  exitSchema,
  inSeatOrder,
  type RoundRecord,
  roundRecordSchema,
  type SeatFailure,
} from "./debate.js";
import { modeNames } from "./modes/table.js";
import { type SeatInfo, seatInfoSchema } from "./panel.js";
import { type Citation, citationSchema, type Position, sourceKey } from "./position.js";
import {
  type Roundtable,
  roundtableErrorSchema,
  type ShownPosition,
  shownFailureSchema,
  shownPositionSchema,
} from "./roundtable.js";
import { synthesisSchema } from "./synthesis.js";

export const debateRecordSchema = z.object({
  sessionId: z.string(),
  /** The effective topic; absent until its verdict is in. */
  topic: z.string().optional(),
  mode: z.enum(modeNames),
  /** The stored panel, or `inline`. */
  panel: z.string(),
  status: z.enum(debateStatuses),
  seats: z.array(seatInfoSchema),
  totalRounds: z.int(),
  rounds: z.array(roundRecordSchema),
  requests: z.array(contextRequestSchema),
  exit: exitSchema.optional(),
  synthesis: synthesisSchema.optional(),
  /** Why the last command came to nothing. */
  error: roundtableErrorSchema.optional(),
  usage: spentSchema,
  createdAt: z.iso.datetime(),
  endedAt: z.iso.datetime().optional(),
});
export type DebateRecord = z.infer<typeof debateRecordSchema>;

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
    ...defined({ role: info?.role }),
    ...position,
  };
}

/** What every reader of a debate as a roundtable is shown: its seats, its last round, and what is asked for. */
export function shownDebate({
  seats,
  rounds,
  requests,
}: {
  readonly seats: readonly SeatInfo[];
  readonly rounds: readonly RoundRecord[];
  readonly requests: readonly ContextRequest[];
}): Pick<
  Roundtable,
  "agents" | "blocking" | "consensus" | "contextRequests" | "failures" | "responses" | "roundNumber"
> {
  const { open, blocking } = awaitedContext(requests);
  const last = rounds.at(-1);
  return {
    ...(open.length === 0 ? {} : { blocking }),
    agents: seats.map(({ id, name, role, perspective }) => ({ agentId: id, name, ...defined({ role, perspective }) })),
    roundNumber: last?.round ?? 0,
    responses: inSeatOrder(last?.positions ?? [], seats).map((position) => shownPosition(seats, position)),
    ...defined({ consensus: last?.consensus }),
    ...(open.length === 0 ? {} : { contextRequests: open.map(viewOfRequest) }),
    ...(last === undefined || last.failures.length === 0 ? {} : { failures: shownFailures(last.failures) }),
  };
}

export function shownFailures(failures: readonly SeatFailure[]): z.infer<typeof shownFailureSchema>[] {
  return failures.map(({ seat, limit: _, userMessage: __, ...failure }) => ({ agentId: seat, ...failure }));
}

export function shownRound({ seats, rounds, requests }: DebateRecord, number: number): ShownRound | undefined {
  const record = rounds.find(({ round }) => round === number);
  if (record === undefined) return undefined;
  const { positions, failures, passes, ...rest } = record;
  return {
    ...rest,
    responses: inSeatOrder(positions, seats).map((position) => shownPosition(seats, position)),
    failures: shownFailures(failures),
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
        const key = sourceKey(citation);
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
