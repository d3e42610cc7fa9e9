/** A roundtable as callers see it: as an answer, as a row of the list, as the record that everything else is read from, and in its events. */
import { z } from "zod";
import type { Ask } from "../../src/asks/ask.js";
import { defined } from "../../src/conversation/defined.js";
import { awaitedContext } from "../../src/roundtable/context-request.js";
import type { ResultOutcome } from "../../src/roundtable/context-results.js";
import { type Debate, exitWords, inSeatOrder, isCompleted, statusOf } from "../../src/roundtable/debate.js";
import { type DebateRecord, shownDebate, shownPosition } from "../../src/roundtable/debate-record.js";
import { type SeatInfo, seatInfo, seatsOf } from "../../src/roundtable/panel.js";
import { shownRequest } from "../../src/roundtable/request-book.js";
import type { Roundtable, RoundtableSummary } from "../../src/roundtable/roundtable.js";
import { isInBackground, type RoundtableRecord, type RoundtableStore } from "./store.js";

/** Its seats, with the perspectives that were made for them. */
export function seatsAt({ definition, perspectives }: RoundtableRecord): SeatInfo[] {
  return seatsOf(definition.panel).map((seat, index) =>
    seatInfo({ ...seat, ...defined({ perspective: seat.perspective ?? perspectives?.[index] }) }),
  );
}

/** What decides how it goes on. */
export function debateOf(store: RoundtableStore): Debate {
  const record = store.roundtable();
  const { rounds: totalRounds, waiting } = record.definition.panel;
  return {
    seats: seatsAt(record),
    totalRounds,
    waiting,
    rounds: store.rounds(),
    requests: store
      .requests()
      .map(({ request }) => request)
      .toSorted((a, b) => a.number - b.number),
    exit: record.exit,
    paused: record.paused,
  };
}

export function roundtableView(
  store: RoundtableStore,
  asks: readonly Ask[],
  more: Pick<Roundtable, "usage" | "retryAt"> & { readonly outcomes?: readonly ResultOutcome[] | undefined },
): Roundtable {
  const record = store.roundtable();
  const debate = debateOf(store);
  const { error, synthesis, degraded } = record;
  const seats = seatsAt(record);
  const taken = inSeatOrder(store.positions(), seats).map((position) => shownPosition(seats, position));
  return {
    ...summaryView(store),
    message: messageOf(store, debate),
    ...shownDebate({ ...debate, seats }),
    ...(taken.length === 0 ? {} : { taken }),
    ...defined({ retryAt: more.retryAt, outcomes: more.outcomes && [...more.outcomes], synthesis, error }),
    asks: asks.filter(({ kind, status }) => kind !== "context" && status === "open"),
    degraded,
    usage: more.usage,
  };
}

export function summaryView(store: RoundtableStore): RoundtableSummary {
  const record = store.roundtable();
  const debate = debateOf(store);
  const { definition, roundtableId, topic, exit, paused, createdAt, updatedAt, endedAt } = record;
  return {
    sessionId: roundtableId,
    status: statusOf(debate),
    running: isRunning(store),
    ...(paused ? { paused: true as const } : {}),
    ...defined({ topic }),
    mode: definition.panel.mode,
    panel: definition.panelName,
    currentRound: debate.rounds.at(-1)?.round ?? 0,
    totalRounds: debate.totalRounds,
    ...defined({ exit, subject: definition.subject, externalId: definition.externalId }),
    metadata: definition.metadata,
    createdAt: iso(createdAt),
    updatedAt: iso(updatedAt),
    ...(endedAt === undefined ? {} : { endedAt: iso(endedAt) }),
  };
}

export function debateRecord(store: RoundtableStore): DebateRecord {
  const record = store.roundtable();
  const debate = debateOf(store);
  const { roundtableId, definition, topic, exit, synthesis, error, spent, createdAt, endedAt } = record;
  return {
    sessionId: roundtableId,
    ...defined({ topic }),
    mode: definition.panel.mode,
    panel: definition.panelName,
    status: statusOf(debate),
    seats: seatsAt(record),
    totalRounds: debate.totalRounds,
    rounds: [...debate.rounds],
    requests: store
      .requests()
      .map(shownRequest)
      .toSorted((a, b) => a.number - b.number),
    ...defined({ exit, synthesis, error }),
    usage: { ...spent },
    createdAt: iso(createdAt),
    ...(endedAt === undefined ? {} : { endedAt: iso(endedAt) }),
  };
}

function isRunning(store: RoundtableStore): boolean {
  const command = store.command();
  return command?.status === "running" && !isInBackground(command.command);
}

/** What has happened, and what to do next. */
function messageOf(store: RoundtableStore, debate: Debate): string {
  const command = store.command();
  const { error, exit, paused } = store.roundtable();
  const { open, blocking } = awaitedContext(debate.requests);
  const round = debate.rounds.at(-1)?.round ?? 0;
  if (command !== undefined && isRunning(store)) {
    return command.command.kind === "synthesis"
      ? "The synthesis is being written."
      : `Round ${command.command.round} is running.`;
  }
  if (command?.status === "waiting")
    return `Round ${command.command.round} waits for an approval or a review: see asks.`;
  if (error !== undefined) return `The last command came to nothing: ${error.detail}`;
  if (open.length > 0) {
    return blocking
      ? "Agents have requested additional context before continuing."
      : "Agents have requested additional context that would help; continuing goes on without it.";
  }
  if (isCompleted(debate))
    return `The debate is completed after round ${round}: ${exitWords[exit?.reason ?? "rounds"]}.`;
  if (paused) return "The roundtable is paused.";
  if (exit !== undefined)
    return "What was asked for in the last round is answered: continue for a closing pass of those who asked.";
  return `Round ${round} of ${debate.totalRounds} is complete. Continue for the next.`;
}

function iso(at: number): string {
  return new Date(at).toISOString();
}

const positionEvent = z.object({ round: z.int(), agentId: z.string() });
const wholeEvents: readonly string[] = ["round.completed", "roundtable.completed", "synthesis.completed"];

/** What is shown of a stored event: the log stores ids, and what holds now is shown. */
export function presentEvent(
  type: string,
  data: unknown,
  { store, view }: { readonly store: RoundtableStore; readonly view: () => Roundtable },
): unknown {
  if (wholeEvents.includes(type)) return { ...view(), asks: [] };
  const { data: taken } = type === "position.taken" ? positionEvent.safeParse(data) : { data: undefined };
  if (taken === undefined) return data;
  const { roundtableId, ...record } = store.roundtable();
  const complete = store.rounds().find(({ round }) => round === taken.round)?.positions ?? [];
  // What was taken last comes first: a further pass replaces what was held.
  const position = [...store.positions(), ...complete].find(
    ({ seat, round }) => seat === taken.agentId && round === taken.round,
  );
  if (position === undefined) return data;
  return { roundtableId, ...shownPosition(seatsAt({ roundtableId, ...record }), position) };
}
