/** A roundtable as callers see it: as an answer, as a row of the list, and as the record that everything else is read from. */
import type { Ask } from "../../src/asks/ask.js";
import { awaitedContext, viewOfRequest } from "../../src/roundtable/context-request.js";
import type { ResultOutcome } from "../../src/roundtable/context-results.js";
import { type Debate, exitWords, inSeatOrder, isCompleted, statusOf } from "../../src/roundtable/debate.js";
import type { DebateRecord } from "../../src/roundtable/debate-record.js";
import { type SeatInfo, seatsOf } from "../../src/roundtable/panel.js";
import { shownPosition } from "../../src/roundtable/record-views.js";
import { shownRequest } from "../../src/roundtable/request-book.js";
import type { Roundtable, RoundtableSummary } from "../../src/roundtable/roundtable.js";
import { isInBackground, type RoundtableRecord, type RoundtableStore } from "./store.js";

/** Its seats, with the perspectives that were made for them. */
export function seatsAt({ definition, perspectives }: RoundtableRecord): SeatInfo[] {
  return seatsOf(definition.panel).map(({ id, name, persona, role, perspective }, index) => {
    const view = perspective ?? perspectives?.[index];
    return {
      id,
      name,
      ...(persona === undefined ? {} : { persona }),
      ...(role === undefined ? {} : { role }),
      ...(view === undefined ? {} : { perspective: view }),
    };
  });
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
  more: { readonly usage: Roundtable["usage"]; readonly outcomes?: readonly ResultOutcome[] | undefined },
): Roundtable {
  const record = store.roundtable();
  const debate = debateOf(store);
  const seats = seatsAt(record);
  const { open, blocking } = awaitedContext(debate.requests);
  const last = debate.rounds.at(-1);
  const { error, synthesis, degraded } = record;
  return {
    ...summaryView(store),
    message: messageOf(store, debate),
    ...(blocking ? { blocking } : open.length > 0 ? { blocking: false } : {}),
    agents: seats.map(({ id, name, role, perspective }) => ({
      agentId: id,
      name,
      ...(role === undefined ? {} : { role }),
      ...(perspective === undefined ? {} : { perspective }),
    })),
    roundNumber: last?.round ?? 0,
    responses: inSeatOrder(last?.positions ?? [], seats).map((position) => shownPosition(seats, position)),
    ...(last?.consensus === undefined ? {} : { consensus: last.consensus }),
    ...(open.length === 0 ? {} : { contextRequests: open.map(viewOfRequest) }),
    ...(last === undefined || last.failures.length === 0
      ? {}
      : { failures: last.failures.map(({ seat, ...failure }) => ({ agentId: seat, ...failure })) }),
    ...(more.outcomes === undefined ? {} : { outcomes: [...more.outcomes] }),
    ...(synthesis === undefined ? {} : { synthesis }),
    ...(error === undefined ? {} : { error }),
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
    ...(topic === undefined ? {} : { topic }),
    mode: definition.panel.mode,
    panel: definition.panelName,
    currentRound: debate.rounds.at(-1)?.round ?? 0,
    totalRounds: debate.totalRounds,
    ...(exit === undefined ? {} : { exit }),
    ...(definition.subject === undefined ? {} : { subject: definition.subject }),
    ...(definition.externalId === undefined ? {} : { externalId: definition.externalId }),
    metadata: definition.metadata,
    createdAt: iso(createdAt),
    updatedAt: iso(updatedAt),
    ...(endedAt === undefined ? {} : { endedAt: iso(endedAt) }),
  };
}

export function debateRecord(store: RoundtableStore): DebateRecord {
  const record = store.roundtable();
  const debate = debateOf(store);
  const { roundtableId, definition, topic, exit, synthesis, spent, createdAt, endedAt } = record;
  return {
    sessionId: roundtableId,
    ...(topic === undefined ? {} : { topic }),
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
    ...(exit === undefined ? {} : { exit }),
    ...(synthesis === undefined ? {} : { synthesis }),
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
