/** A chat as a page that is opened again shows it: the messages that its streams brought, made of what is kept of them. */
import type { ChatPage } from "../../application/sessions/use-chat.js";
import type { Ask } from "../../asks/ask.js";
import { isFinal, type Turn } from "../../chat/session.js";
import { replyText } from "../../conversation/message.js";
import { readChunks } from "./chunk-reader.js";
import type { UiChatMessage } from "./chunks.js";
import { type TurnEvent, UiMessage } from "./message.js";

/** A message of a turn, and the ask that it ends with: what follows the answer is another message. */
interface Segment {
  readonly message: UiChatMessage;
  readonly askId: string | undefined;
}

export interface LoadedChat {
  /** The oldest first. */
  readonly items: UiChatMessage[];
  /** Whether something is being written: its message is what the stream brings, and isn't among these. */
  readonly resume: boolean;
}

export function loadedChat({ sessionId, said, turns, unfinished }: ChatPage): LoadedChat {
  const segments = new Map(
    turns.map((turn) => {
      const own = said.flatMap(({ turnId, asks }) => (turnId === turn.turnId ? asks : []));
      return [turn.turnId, segmentsOf(sessionId, turn, own)];
    }),
  );
  /** The messages of a turn that are still to be shown, up to the one that ends with an ask. */
  const take = (turnId: string, askId?: string): UiChatMessage[] => {
    const left = segments.get(turnId) ?? [];
    const end = askId === undefined ? left.length : left.findIndex((segment) => segment.askId === askId) + 1;
    segments.set(turnId, left.slice(end));
    return left.slice(0, end).map(({ message }) => message);
  };
  const items = said.flatMap(({ turnId, message }, at): UiChatMessage[] => {
    const isLast = !said.slice(at + 1).some((later) => later.turnId === turnId);
    const rest = () => (isLast ? take(turnId) : []);
    if (message.role !== "user" && message.role !== "system") return rest();
    const { messageId: id, role, content: text, answers } = message;
    const before = answers === undefined ? [] : take(turnId, answers);
    return [...before, { id, role, metadata: { sessionId, turnId }, parts: [{ type: "text", text }] }, ...rest()];
  });
  for (const { turnId } of unfinished) {
    if (said.some((one) => one.turnId === turnId)) continue;
    // Its verdict isn't in: nobody reads its text before that.
    items.push({ id: `${turnId}.message`, role: "user", metadata: { sessionId, turnId }, parts: [] }, ...take(turnId));
  }
  const resume = unfinished.some((turn) => turn.status !== "waiting" && turn.waitsFor === undefined);
  // The SDK writes what it resumes into the message that stands last, if that is an agent's.
  if (resume) items.splice(items.findLastIndex(({ role }) => role !== "assistant") + 1);
  return { items, resume };
}

function segmentsOf(sessionId: string, turn: Turn, asks: readonly Ask[]): Segment[] {
  // Its reply stands with the later message.
  if (turn.answeredIn !== undefined) return [];
  const events: TurnEvent[] = [];
  const segments: Segment[] = [];
  for (const stretch of stretchesOf(turn, asks)) {
    events.push(...stretch.events);
    const message = new UiMessage(sessionId, turn.turnId);
    const chunks = [...message.begin(events), ...message.end()];
    segments.push({ message: readChunks(chunks), askId: stretch.askId });
  }
  return segments.filter(({ message }, at) => message.parts.length > 1 || at === segments.length - 1);
}

interface Stretch {
  readonly events: TurnEvent[];
  readonly askId?: string;
}

/** What the stream told of a turn, anew: up to each question that was answered, and up to its end. */
function stretchesOf(turn: Turn, ofMessage: readonly Ask[]): Stretch[] {
  const { turnId, reply, status, waitsFor, userMessage } = turn;
  const byId = new Map([...ofMessage, ...turn.asks].map((ask) => [ask.askId, ask]));
  const asks = [...byId.values()].filter(({ audience }) => audience === "user");
  const rounds = reply?.modelReply.turns ?? [];
  const calls = rounds.flatMap(({ toolCalls = [] }) => toolCalls.map(({ toolCallId }) => toolCallId));
  const others = asks.filter(({ from }) => from.toolCallId === undefined || !calls.includes(from.toolCallId));

  const done: Stretch[] = [];
  let events: TurnEvent[] = [];
  let said = "";
  const open = (ask: Ask): void => {
    events.push({ type: "ask.opened", data: ask });
    if (ask.status === "open") return;
    done.push({ events: [...events, { type: "turn.waiting", data: { turnId, reply: said } }], askId: ask.askId });
    events = [];
  };
  for (const ask of others) if (ask.status !== "open") open(ask);
  for (const [at, { toolCalls = [] }] of rounds.entries()) {
    said = replyText({ timestamp: "", turns: rounds.slice(0, at + 1) });
    events.push({ type: "reply.delta", data: { turnId, text: said, attempt: 0, offset: 0 } });
    for (const call of toolCalls) {
      for (const ask of asks) if (ask.from.toolCallId === call.toolCallId) open(ask);
      events.push({ type: "tool.called", data: call });
    }
  }
  for (const ask of others) if (ask.status === "open") open(ask);
  if (isFinal(status)) {
    const called = (turn.calls ?? []).map((call): TurnEvent => ({ type: "tool.called", data: call }));
    return [...done, { events: [...events, ...called, { type: "turn.completed", data: turn }] }];
  }
  if (status === "waiting") {
    const waits = { turnId, ...(reply === undefined ? {} : { reply: said }), waitsFor, userMessage };
    return [...done, { events: [...events, { type: "turn.waiting", data: waits }] }];
  }
  if (waitsFor === undefined) return done;
  return [...done, { events: [...events, { type: "turn.queued", data: { turnId, waitsFor, userMessage } }] }];
}
