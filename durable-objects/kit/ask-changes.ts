/** What an ask leaves where it is opened or closed: a copy, an event, an act on record, a line of the log and its deadline. */
import type { Ask } from "../../src/asks/ask.js";
import type { Claim } from "../../src/asks/claim.js";
import { askEvents } from "../../src/asks/events.js";
import { hookOf } from "../../src/asks/proposal.js";
import { askForAll } from "../../src/asks/views.js";
import type { ActorRecord } from "../../src/conversation/actor-record.js";
import { defined } from "../../src/conversation/defined.js";
import type { Level, LogFields } from "../../src/platform/metrics.js";
import type { RecordedAct } from "../../src/tenancy/audit.js";
import type { AskBook } from "./asks.js";
import type { Deadlines } from "./deadlines.js";
import type { EventLog } from "./events.js";
import type { Outbox } from "./outbox.js";

/** The parts of the kit that an ask's change is written to. */
interface AskChangeParts {
  readonly outbox: Outbox;
  readonly events: EventLog;
  readonly deadlines: Deadlines;
  log(level: Level, event: string, fields: LogFields): void;
}

const askDeadline = "ask:";

/** The ask that a deadline of this name closes; nothing for a deadline of another kind. */
export function askOfDeadline(name: string): string | undefined {
  return name.startsWith(askDeadline) ? name.slice(askDeadline.length) : undefined;
}

/** In the write that opens or closes the ask. */
export function recordAskChange(ask: Ask, work: string, kit: AskChangeParts): void {
  const { outbox, events, deadlines } = kit;
  const isOpen = ask.status === "open";
  const type = isOpen ? "ask.opened" : "ask.closed";
  outbox.put("ask", ask.askId, ask);
  events.append(type, work, { askId: ask.askId });
  kit.log("info", type, {
    askId: ask.askId,
    subject: ask.kind,
    outcome: ask.status,
    latencyMs: Date.parse(ask.closedAt ?? ask.openedAt) - Date.parse(ask.openedAt),
  });
  deadlines.move(askDeadline + ask.askId, isOpen && ask.deadline !== undefined ? Date.parse(ask.deadline) : undefined);
  if (!isOpen) outbox.put("act", ask.askId, closingAct(ask, work));
}

/** Somebody decided, or claimed, although another was at it: on record. */
export function recordTakeOver(
  [ask, work, claim, actor]: readonly [Ask, string, Claim, ActorRecord],
  outbox: Outbox,
  at: number,
): void {
  const reasons = [`It was claimed by ${claim.by.kind} ${claim.by.id}.`];
  const act = { type: "ask.taken_over", decision: "taken_over", reasons } as const;
  outbox.put("act", ask.askId, { ...act, workId: work, actor, subject: subjectOf(ask), at });
}

/** Somebody put it off, or brought it back: on record. */
export function recordDeferral(
  [ask, work, actor]: readonly [Ask, string, ActorRecord],
  outbox: Outbox,
  at: number,
): void {
  const reasons = ask.deferred === undefined ? [] : [`Until ${ask.deferred.until}.`];
  const act = { type: "ask.deferred", decision: reasons.length === 0 ? "brought_back" : "deferred", reasons } as const;
  outbox.put("act", ask.askId, { ...act, workId: work, actor, subject: subjectOf(ask), at });
}

function subjectOf({ askId, kind, from: { tool, toolCallId }, batchId }: Ask): RecordedAct["subject"] {
  return { askId, kind, tool, toolCallId, ...defined({ batchId }) };
}

/** How an ask was closed, as the tenant's audit records it: why, and without its texts. */
function closingAct(ask: Ask, work: string): RecordedAct {
  const { answer, status, closedBy, closedAt = ask.openedAt } = ask;
  const hook = hookOf(ask);
  return {
    type: status === "open" ? "ask.answered" : `ask.${status}`,
    workId: work,
    ...defined({ hook }),
    decision: answer !== undefined && "decision" in answer ? answer.decision : status,
    actor: closedBy,
    subject: subjectOf(ask),
    reasons: answer === undefined ? [] : [answer.note, answer.message].flatMap((why) => why ?? []),
    at: Date.parse(closedAt),
  };
}

export function isAskEvent(type: string): boolean {
  return type.startsWith("ask.");
}

/** What everybody who follows the object's events reads of an ask: the log stores its id alone. */
export function presentAskEvent(data: unknown, asks: AskBook): unknown {
  const { data: event } = askEvents["ask.opened"].stored.safeParse(data);
  const ask = event === undefined ? undefined : asks.get(event.askId);
  return ask === undefined ? data : askForAll(ask);
}
