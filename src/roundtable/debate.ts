/**
 * A debate as a pure state machine: its record, what it is waiting for, and what a continue does. The owner of a debate (its object, or
 * the turn or run that it is nested in) keeps the record and asks here what is next.
 */
import { z } from "zod";
import type { LimitRefusal } from "../agent/limit-refusal.js";
import { defined } from "../conversation/defined.js";
import { consensusSchema } from "./consensus/schema.js";
import { awaitedContext, type ContextRequest, seatsWithNews, waitingSeats } from "./context-request.js";
import type { SeatInfo, Waiting } from "./panel.js";
import { positionSchema } from "./position.js";

export const seatFailureSchema = z.object({
  seat: z.string(),
  error: z.string(),
  attempts: z.int(),
  reason: z.enum(["failed", "blocked", "budget", "cancelled"]),
  /** The tenant's limit that was in the way, and what an end user may be told of it. */
  limit: z.enum(["limit_reached", "unpriced_model"]).optional(),
  userMessage: z.string().optional(),
});
export type SeatFailure = z.infer<typeof seatFailureSchema>;

export const roundRecordSchema = z.object({
  round: z.int(),
  focusQuestion: z.string().optional(),
  /** In the order of the seats. */
  positions: z.array(positionSchema),
  failures: z.array(seatFailureSchema),
  /** Seats that wait for what they asked for. */
  absent: z.array(z.string()),
  consensus: consensusSchema.optional(),
  /** Further passes of this round: with answers, in which the seats named spoke again. */
  passes: z.array(z.object({ kind: z.enum(["rerun", "closing"]), seats: z.array(z.string()) })),
  startedAt: z.iso.datetime(),
  endedAt: z.iso.datetime(),
});
export type RoundRecord = z.infer<typeof roundRecordSchema>;

/** The limit that was in the way of any of them. */
export function limitOf(failures: readonly SeatFailure[]): LimitRefusal | undefined {
  return failures.flatMap(({ limit: code, userMessage }) => (code ? { code, ...defined({ userMessage }) } : [])).at(0);
}

const exitReasons = [
  "rounds",
  "agreement",
  "stability",
  "confidence",
  "budget",
  "stopped",
  "answered",
  "blocked",
] as const;
export const exitSchema = z.object({ reason: z.enum(exitReasons), round: z.int() });
export type Exit = z.infer<typeof exitSchema>;

/** Why a debate has ended, for people. */
export const exitWords: Readonly<Record<Exit["reason"], string>> = {
  rounds: "all its rounds are done",
  agreement: "its seats agree",
  stability: "nobody moves any more",
  confidence: "every seat is sure",
  budget: "its budget is used up",
  stopped: "it was stopped",
  answered: "it was asked to answer now",
  blocked: "its topic was blocked",
};

/** What decides how a debate goes on. */
export interface Debate {
  readonly seats: readonly Pick<SeatInfo, "id">[];
  readonly totalRounds: number;
  readonly waiting: Waiting;
  /** Those that are complete. */
  readonly rounds: readonly RoundRecord[];
  readonly requests: readonly ContextRequest[];
  /** No further round; there may still be a closing pass. */
  readonly exit?: Exit | undefined;
  readonly paused: boolean;
}

/** The seats that asked for something required in the last round, have it by now, and haven't spoken since. */
function closingSeats({ seats, rounds, requests, exit }: Debate): string[] {
  const last = rounds.at(-1);
  if (last === undefined || exit === undefined || !allowsClosing(exit)) return [];
  if (last.passes.some(({ kind }) => kind === "closing")) return [];
  const answered = requests.filter(({ status }) => status === "answered");
  const asking = seatsWithNews(answered, last.round, "required");
  const returning = new Set(answered.flatMap(({ askers }) => askers.map(({ seat }) => seat)));
  return idsOf(seats).filter((id) => asking.has(id) || (last.absent.includes(id) && returning.has(id)));
}

function idsOf(seats: Debate["seats"]): string[] {
  return seats.map(({ id }) => id);
}

function allowsClosing({ reason }: Exit): boolean {
  switch (reason) {
    case "rounds":
    case "agreement":
    case "stability":
    case "confidence":
      return true;
    case "budget":
    case "stopped":
    case "answered":
    case "blocked":
      return false;
  }
}

/** Whether nothing more can come of it. */
export function isCompleted(debate: Debate): boolean {
  const { open } = awaitedContext(debate.requests);
  return debate.exit !== undefined && open.length === 0 && closingSeats(debate).length === 0;
}

export const debateStatuses = ["completed", "needs_context", "in_progress"] as const;
export type DebateStatus = (typeof debateStatuses)[number];

/** `needs_context` whenever a request is unresolved, whatever else holds. */
export function statusOf(debate: Debate): DebateStatus {
  if (awaitedContext(debate.requests).open.length > 0) return "needs_context";
  return isCompleted(debate) ? "completed" : "in_progress";
}

/** A debate has no more rounds than this, however often it is prolonged. */
export const maxRounds = 20;

/** The debate with so many rounds left from here; one that has ended goes on. Or why it can't. */
export function prolonged(debate: Debate, more: number): Debate | { readonly refused: string } {
  const { exit, rounds } = debate;
  const totalRounds = (rounds.at(-1)?.round ?? 0) + more;
  if (exit?.reason === "blocked") return { refused: "Its topic was blocked: start a roundtable with another one." };
  if (exit?.reason === "budget") {
    return {
      refused: "Its budget is used up. Fork it: the fork has a budget of its own. POST …/fork {round, rounds}.",
    };
  }
  if (totalRounds > maxRounds) {
    const left = maxRounds - totalRounds + more;
    return { refused: `A debate has at most ${maxRounds} rounds; this one can have ${left} more.` };
  }
  return { ...debate, exit: undefined, totalRounds };
}

export interface ContinueOptions {
  /** Goes on without what is required and open. */
  readonly skipPending?: boolean | undefined;
  /** Asks those of the current round again who asked for something and have it now. */
  readonly rerun?: "requesters" | undefined;
}

export type NextStep =
  | { readonly kind: "refused"; readonly detail: string }
  /** What is required is still open: nothing runs, and no round is spent. */
  | { readonly kind: "needs_context" }
  | {
      readonly kind: "round" | "rerun" | "closing";
      readonly round: number;
      readonly speakers: readonly string[];
      /** Seats that sit this round out until they have what they asked for. */
      readonly absent: readonly string[];
    }
  | { readonly kind: "complete" };

/**
 * What a continue does.
 * @example
 * const next = nextStep(debate, { skipPending: true });
 * if (next.kind === "round") begin(next.round, next.speakers);
 */
export function nextStep(debate: Debate, { skipPending = false, rerun }: ContinueOptions): NextStep {
  const { rounds, requests, waiting, seats, exit } = debate;
  if (debate.paused)
    return { kind: "refused", detail: 'The roundtable is paused. Resume it first: POST …/control {action: "resume"}.' };
  if (isCompleted(debate)) {
    return {
      kind: "refused",
      detail: `The roundtable is completed: ${exitWords[exit?.reason ?? "rounds"]}. To go on, say how many more rounds: POST …/continue {rounds: 2}; or fork it from a round: POST …/fork.`,
    };
  }
  const waitingNow = skipPending ? new Set<string>() : waitingSeats(requests);
  if (waitingNow.size > 0 && (waiting === "all" || exit !== undefined)) return { kind: "needs_context" };

  const ids = idsOf(seats);
  const last = rounds.at(-1);
  if (exit !== undefined && last !== undefined) {
    const speakers = closingSeats(debate);
    return speakers.length === 0 ? { kind: "complete" } : { kind: "closing", round: last.round, speakers, absent: [] };
  }
  if (rerun === "requesters") {
    const news = last === undefined ? new Set<string>() : seatsWithNews(requests, last.round);
    const speakers = ids.filter((id) => news.has(id) && !waitingNow.has(id));
    if (last === undefined || speakers.length === 0) return nobodyToAsk;
    return { kind: "rerun", round: last.round, speakers, absent: [] };
  }
  const speakers = ids.filter((id) => !waitingNow.has(id));
  if (speakers.length === 0) return { kind: "needs_context" };
  return { kind: "round", round: (last?.round ?? 0) + 1, speakers, absent: ids.filter((id) => waitingNow.has(id)) };
}

const nobodyToAsk: NextStep = {
  kind: "refused",
  detail: "Nobody asked for anything in this round that is resolved by now: there is nobody to ask again.",
};

/** The round after another pass of some of its seats: their positions are replaced, a seat that fails now keeps what it held. */
export function mergePass(
  round: RoundRecord,
  pass: { readonly kind: "rerun" | "closing"; readonly seats: readonly string[] },
  result: Pick<RoundRecord, "positions" | "failures" | "endedAt">,
): RoundRecord {
  const spoken = new Set(result.positions.map(({ seat }) => seat));
  return {
    ...round,
    positions: [...round.positions.filter(({ seat }) => !spoken.has(seat)), ...result.positions],
    failures: [
      ...round.failures.filter(({ seat }) => !spoken.has(seat)),
      ...result.failures.filter(({ seat }) => !round.failures.some((failure) => failure.seat === seat)),
    ],
    absent: round.absent.filter((seat) => !spoken.has(seat)),
    passes: [...round.passes, { kind: pass.kind, seats: [...pass.seats] }],
    endedAt: result.endedAt,
  };
}

/** The rounds with one that is new, or has changed. */
export function withRound(rounds: readonly RoundRecord[], round: RoundRecord): RoundRecord[] {
  return [...rounds.filter((one) => one.round !== round.round), round];
}

/** Positions and failures in the order of the seats. */
export function inSeatOrder<T extends { readonly seat: string }>(items: readonly T[], seats: Debate["seats"]): T[] {
  const place = new Map(seats.map(({ id }, index) => [id, index]));
  return items.toSorted((a, b) => (place.get(a.seat) ?? 0) - (place.get(b.seat) ?? 0));
}
