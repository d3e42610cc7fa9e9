/** A session as callers and its copy in the list see it, and its events as they are shown. */
import { askForAll } from "../../src/asks/views.js";
import type { EventData } from "../../src/catalogues/events.js";
import { chatEvents } from "../../src/chat/events.js";
import type { Session, Turn } from "../../src/chat/session.js";
import { waitingText } from "../../src/chat/waits-for.js";
import { defined } from "../../src/conversation/defined.js";
import type { BoundMemories } from "../../src/conversation/memory-binding.js";
import { type ModelReply, replyText } from "../../src/conversation/message.js";
import type { Result } from "../../src/conversation/problem.js";
import type { VersionedContext } from "./session-context.js";
import type { ChatSessionStore } from "./store.js";

export function sessionView(store: ChatSessionStore, contexts: VersionedContext): Session {
  const { sessionId, definition, createdAt, updatedAt, hold } = store.session();
  const { memory } = definition;
  const { version, context } = contexts.current();
  const current = store.turns.current();
  const lastTurn = store.turns.last();
  return {
    ...definition,
    ...defined({ memory: memory && withThread(memory, sessionId) }),
    context,
    sessionId,
    contextVersion: version,
    status: current === undefined ? "idle" : current.status === "waiting" ? "waiting" : "running",
    ...defined({ hold: hold && { state: hold.state, since: new Date(hold.since).toISOString(), by: hold.by } }),
    ...defined({ lastTurn: lastTurn && { turnId: lastTurn.turnId, status: lastTurn.status } }),
    createdAt: new Date(createdAt).toISOString(),
    updatedAt: new Date(updatedAt).toISOString(),
  };
}

/** With the thread that is written, which is the session's own where none was named. */
function withThread(memory: BoundMemories, sessionId: string): BoundMemories {
  if (!Array.isArray(memory)) return { ...memory, threadId: memory.threadId ?? sessionId };
  return memory.map((one, at) => (at === 0 ? { ...one, threadId: one.threadId ?? sessionId } : one));
}

export interface EventSources {
  readonly context: VersionedContext;
  /** What there is of the reply of a turn that waits or has waited, and hasn't ended. */
  readonly partial: (turnId: string) => ModelReply | undefined;
  readonly turn: (turnId: string) => Result<Turn>;
}

/** What holds now of what a stored event names by its id; nothing for an event that is shown as it is stored. */
export function presentEvent(type: string, data: unknown, { context, partial, turn }: EventSources): unknown {
  if (type === "context.changed") return presentContext(data, context);
  if (type === "turn.queued") return presentQueued(data);
  if (type === "turn.waiting") return presentWaiting(data, partial);
  return type === "turn.completed" ? presentTurn(data, turn) : undefined;
}

function presentContext(data: unknown, context: VersionedContext): EventData<"context.changed"> | undefined {
  const { data: stored } = chatEvents["context.changed"].stored.safeParse(data);
  const version = stored === undefined ? undefined : context.version(stored.version);
  if (stored === undefined || version === undefined) return undefined;
  const { author, reason, at } = version;
  return { ...stored, author, reason, at };
}

function presentQueued(data: unknown): EventData<"turn.queued"> | undefined {
  const { data: stored } = chatEvents["turn.queued"].stored.safeParse(data);
  return stored && { ...stored, userMessage: waitingText(stored.waitsFor) };
}

function presentWaiting(data: unknown, partialOf: EventSources["partial"]): EventData<"turn.waiting"> | undefined {
  const { data: stored } = chatEvents["turn.waiting"].stored.safeParse(data);
  if (stored === undefined) return undefined;
  const partial = partialOf(stored.turnId);
  const userMessage = stored.waitsFor && waitingText(stored.waitsFor);
  return { ...stored, ...defined({ reply: partial && replyText(partial), userMessage }) };
}

function presentTurn(data: unknown, turnOf: EventSources["turn"]): EventData<"turn.completed"> | undefined {
  const { data: stored } = chatEvents["turn.completed"].stored.safeParse(data);
  const turn = stored === undefined ? undefined : turnOf(stored.turnId);
  if (!turn?.ok) return undefined;
  // Everybody who follows the session reads it.
  const { failure: _, ...shown } = turn.value;
  return { ...shown, asks: shown.asks.map(askForAll) };
}
