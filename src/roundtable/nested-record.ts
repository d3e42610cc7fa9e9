/**
 * The record of a debate within other work: what it is called, how it is read like any roundtable, and what becomes of the labels of its
 * answers and sources where nobody could look them up.
 */
import { defined } from "../conversation/defined.js";
import { type ContextRequest, labelOf } from "./context-request.js";
import { exitWords } from "./debate.js";
import { sourcesOf } from "./debate-material.js";
import { type DebateRecord, shownDebate } from "./debate-record.js";
import type { Roundtable } from "./roundtable.js";

const nestedId = /^rt_[0-9a-z]{26}_([a-z]+_[0-9a-z]{26})$/;

/** The session or run in which a debate is, as its id says; undefined of a roundtable of its own. */
export function debateOwner(debateId: string): string | undefined {
  return nestedId.exec(debateId)?.[1];
}

/** The debate as a roundtable is read. It goes on with the work that it is in, and by nothing else. */
export function roundtableOf(record: DebateRecord): Roundtable {
  const { sessionId, topic, mode, panel, status, totalRounds, rounds, exit, synthesis, createdAt, endedAt } = record;
  const { activeMs: _, ...usage } = record.usage;
  const last = rounds.at(-1);
  return {
    sessionId,
    status,
    running: status === "in_progress",
    message: messageOf(record),
    ...defined({ topic }),
    mode,
    panel,
    ...shownDebate(record),
    currentRound: last?.round ?? 0,
    totalRounds,
    ...defined({ exit, synthesis }),
    asks: [],
    degraded: [],
    usage,
    metadata: {},
    createdAt,
    updatedAt: endedAt ?? last?.endedAt ?? createdAt,
    ...defined({ endedAt }),
  };
}

function messageOf({ sessionId, status, exit }: DebateRecord): string {
  const where = `It is part of ${debateOwner(sessionId) ?? "other work"}, and goes on with that.`;
  switch (status) {
    case "completed":
      return `The debate is completed: ${exitWords[exit?.reason ?? "rounds"]}.`;
    case "needs_context":
      return `Agents have requested additional context: answer the requests as asks. ${where}`;
    case "in_progress":
      return where;
  }
}

/** Labels in brackets, one or several. */
const labels = /\[([SC]\d{1,4}(?:, ?[SC]\d{1,4}){0,9})\]/g;

/**
 * A text for somebody who has no list of what C1 and S2 are: each label is replaced by its source, one that is nobody's is left out.
 * @example withSources("It costs 5 million [C1].", requests, rounds) // "It costs 5 million (the board)."
 */
export function withSources(
  text: string,
  requests: readonly ContextRequest[],
  rounds: Parameters<typeof sourcesOf>[0],
): string {
  const known = new Map<string, string>([
    ...requests.map((request): [string, string] => [labelOf(request), request.source ?? `asked: ${request.query}`]),
    ...sourcesOf(rounds).map(({ label, citation: { title, url } }): [string, string] => [
      label,
      url === undefined || url === title ? title : `${title}, ${url}`,
    ]),
  ]);
  const named = (list: string): string => {
    const sources = list.split(",").flatMap((label) => known.get(label.trim()) ?? []);
    return sources.length === 0 ? "" : `(${[...new Set(sources)].join("; ")})`;
  };
  return text.replace(labels, (_label, list: string) => named(list));
}
