/** Everything that happened in a turn, with the texts of its team's entries, and the same as a story. */
import { messageText, replyText } from "../../src/conversation/message.js";
import { renderTrace } from "../../src/routing/render-trace.js";
import type { TurnTrace } from "../../src/routing/trace.js";
import { eventsOf } from "../kit/events.js";
import type { Kit } from "../kit/kit.js";
import type { ChatSessionStore } from "./store.js";
import type { TurnRecord } from "./turn-rows.js";
import { turnView } from "./turn-view.js";

/** For operators: reasons and results stand in it as they were given. */
export function turnTrace(record: TurnRecord, store: ChatSessionStore, kit: Kit): TurnTrace {
  const { turnId, outcome } = record;
  const { sessionId, definition } = store.session();
  const turn = turnView(record, store, kit);
  const texts = store.trace.ofTurn(turnId);
  const entries = eventsOf(kit.events, turnId)
    // The end is the turn itself, which stands beside the trace.
    .filter(({ type }) => type !== "turn.completed")
    .map((event) => ({ ...event, data: texts.get(event.seq) ?? event.data }));
  const story = renderTrace({
    title: `Turn ${turnId}`,
    status: turn.status,
    who: `Session ${sessionId}, agent ${definition.agent}`,
    createdAt: turn.createdAt,
    endedAt: turn.endedAt,
    input: turn.message === undefined ? undefined : messageText(turn.message),
    response: turn.reply === undefined ? undefined : replyText(turn.reply.modelReply),
    failure: outcome?.failure ?? (turn.error === undefined ? undefined : messageText(turn.error)),
    cancelledBy: outcome?.cancelledBy,
    events: entries,
    asks: kit.asks.ofWork(turnId),
    passes: store.passes.ofTurn(turnId),
    usage: outcome?.usage ?? kit.works.usage(turnId),
  });
  return { sessionId, turnId, status: turn.status, entries, story };
}
