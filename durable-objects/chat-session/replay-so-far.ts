/** What somebody who follows a session late gets besides its log: of a reply that is being written or was, its text. */
import type { ReplyDelta } from "../../src/chat/reply-stream.js";
import { replyText } from "../../src/conversation/message.js";
import type { StreamOptions } from "../kit/event-stream.js";
import type { EventLog, LiveEvent } from "../kit/events.js";
import type { ChatSessionStore } from "./store.js";
import type { TurnRun } from "./turn-runner.js";

export interface ReplaySources {
  readonly store: ChatSessionStore;
  readonly events: EventLog;
  /** The turn that is driven now, if one is. */
  readonly running: () => TurnRun | undefined;
}

/**
 * @param turnId the one turn that is followed; without it the whole session is, and its log tells of ended turns
 * @param also turns that are followed with it
 */
export function replaySoFar(
  turnId: string | undefined,
  also: ((turnId: string) => boolean) | undefined,
  sources: ReplaySources,
): Pick<StreamOptions, "catchUp" | "unseen"> {
  return {
    catchUp: () => catchUp((work) => turnId === undefined || turnId === work || also?.(work) === true, sources),
    unseen: turnId === undefined ? undefined : (event) => wholeReply(event, sources),
  };
}

/** What was released of the reply that is being written. */
function catchUp(isFollowed: (turnId: string) => boolean, { running, events }: ReplaySources): LiveEvent | undefined {
  const run = running();
  const delta = run?.stream?.soFar();
  if (run === undefined || delta === undefined) return undefined;
  const { turnId: work } = run.turn;
  return isFollowed(work) ? deltaEvent(work, delta, events) : undefined;
}

/** The reply that an ended turn came to, as one delta. */
function wholeReply({ type, work }: LiveEvent, { store, events }: ReplaySources): LiveEvent | undefined {
  const reply = type === "turn.completed" && work !== undefined ? store.turns.get(work)?.outcome?.reply : undefined;
  if (work === undefined || reply === undefined) return undefined;
  return deltaEvent(work, { text: replyText(reply.modelReply), attempt: 0, offset: 0 }, events);
}

function deltaEvent(work: string, delta: ReplyDelta, events: EventLog): LiveEvent {
  return events.live("reply.delta", work, { turnId: work, ...delta });
}
