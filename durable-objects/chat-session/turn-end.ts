/** What is stored and sent when a turn ends, however it does. */
import type { EndedStatus } from "../../src/agent/work.js";
import { withinReplySize } from "../../src/chat/reply-size.js";
import type { SessionDefinition, SettledOutcome, TurnGrounds } from "../../src/chat/session.js";
import type { TurnOutcome } from "../../src/chat/turn.js";
import { defined } from "../../src/conversation/defined.js";
import type { AssistantMessage, PlainMessage, ToolCallResult } from "../../src/conversation/message.js";
import { roundtableServer } from "../../src/roundtable/position.js";
import { routingServer } from "../../src/routing/routing-tools.js";
import type { Kit } from "../kit/kit.js";
import type { SessionOutbox } from "./session-outbox.js";
import type { ChatSessionStore } from "./store.js";
import type { TurnRecord } from "./turn-rows.js";

export interface EndPorts {
  readonly store: ChatSessionStore;
  readonly kit: Kit;
  readonly outbox: SessionOutbox;
}

/** Ends a turn: its outcome, what it says as a message, its event and what others are sent of it are one write. */
export function endTurn(
  turn: TurnRecord,
  status: EndedStatus,
  outcome: SettledOutcome,
  { store, kit, outbox }: EndPorts,
): void {
  const { turnId, acceptedAt, keyId } = turn;
  const { agent, subject, experiment } = store.session().definition;
  const { cancelledBy: by, degraded } = outcome;
  const ended = { kind: "turn", outcome: status, since: acceptedAt, agent, subject, keyId, by, degraded };
  kit.end(turnId, ended, (usage, endedAt) => {
    const createdAt = new Date(endedAt).toISOString();
    outbox.auditEnded(turnId);
    const reply = outcome.reply === undefined ? undefined : { ...outcome.reply, createdAt };
    const error = outcome.error === undefined ? undefined : { ...outcome.error, createdAt };
    const stored = { ...outcome, ...defined({ reply, error }), usage };
    // The last event of the turn, but for what comes after its end.
    const lastEvent = kit.events.append("turn.completed", turnId, { turnId });
    store.turns.end(turnId, status, stored, { at: endedAt, lastEvent, lastPass: store.passes.lastNumber() });
    if (reply !== undefined) {
      store.messages.add(reply, turnId, true);
      outbox.remember(reply.messageId);
    }
    if (error !== undefined) addError(error, turn, store);
    outbox.updateIndex({ turnEnded: true });
    outbox.notifyConversation({ turnId });
    if (experiment !== undefined && status !== "cancelled")
      kit.outbox.put("experiment", turnId, {
        ...experiment,
        blocked: status === "blocked",
        failed: status === "failed",
        degraded: outcome.degraded.length > 0,
      });
    // A team's workers that were interrupted must not count as busy for ever.
    if (status === "cancelled" || status === "failed")
      kit.outbox.put("work_ended", turnId, { work: turnId, at: endedAt });
  });
}

/** An error stands behind the message that it is about: one whose verdict never came isn't cleared, so nobody reads its text. */
function addError(error: PlainMessage, turn: TurnRecord, store: ChatSessionStore): void {
  const { messageId, turnId, acceptedAt } = turn;
  if (store.messages.get(messageId) === undefined) {
    const content = "[withheld] The turn failed before its message was cleared.";
    const createdAt = new Date(acceptedAt).toISOString();
    store.messages.add({ messageId, role: "user", content, createdAt }, turnId, false);
  }
  store.messages.add(error, turnId, false);
}

/** What is stored of what a turn came to. */
export function settledOf(outcome: TurnOutcome, grounds: TurnGrounds): SettledOutcome {
  const { reply, error, failure, request, response, degraded } = outcome;
  return {
    ...defined({ reply, error, failure }),
    request: { action: request.action, reasons: [...request.reasons] },
    ...defined({ response: response && { action: response.action, reasons: [...response.reasons] } }),
    degraded: [...degraded],
    grounds,
  };
}

/** Decisions, handoffs, positions, and names that a model invented: a replay makes its own. */
const ownServers: readonly string[] = [routingServer, roundtableServer, ""];

/**
 * What a replay is answered from, beside message, reply and asks.
 * @param calls of everybody who worked; the reply's own stand in it, and aren't kept twice
 */
export function groundsOf(
  calls: readonly ToolCallResult[],
  reply: AssistantMessage | undefined,
  { subject, metadata, supervisors }: SessionDefinition,
): TurnGrounds {
  const inReply = new Set(
    (reply?.modelReply.turns ?? []).flatMap(({ toolCalls = [] }) => toolCalls).map(({ toolCallId }) => toolCallId),
  );
  const kept = calls.filter(({ server, toolCallId }) => !ownServers.includes(server) && !inReply.has(toolCallId));
  const [bounded] = kept.length === 0 ? [] : withinReplySize([{ turnId: "", toolCalls: [...kept] }]);
  return defined({
    calls: bounded?.toolCalls,
    subject,
    metadata: Object.keys(metadata).length === 0 ? undefined : metadata,
    supervisors: supervisors.length === 0 ? undefined : [...supervisors],
  });
}

/** What comes of a turn that failed without anybody having foreseen it. @param failure why, for operators */
export function crashOutcome(turn: TurnRecord, failure?: string): SettledOutcome {
  const content = "The answer failed: an internal error, which has been logged. Send the message again.";
  const error = { messageId: turn.replyId, role: "error" as const, content };
  return { error, ...defined({ failure }), degraded: [] };
}

/** What comes of a turn whose agent can't work as it is set up. @param failure for operators: it stands in the warnings of what was stored, too */
export function misconfiguredOutcome(turn: TurnRecord, failure: string): SettledOutcome {
  const content = "The answer failed: this assistant isn't set up completely. Whoever runs it can see why.";
  const error = { messageId: turn.replyId, role: "error" as const, content, code: "misconfigured" as const };
  return { error, failure, degraded: [] };
}
