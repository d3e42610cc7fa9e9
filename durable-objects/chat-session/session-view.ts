/** A session as callers and its copy in the list see it. */
import type { Session } from "../../src/chat/session.js";
import type { VersionedContext } from "./session-context.js";
import type { ChatSessionStore } from "./store.js";

export function sessionView(store: ChatSessionStore, contexts: VersionedContext): Session {
  const { sessionId, definition, createdAt, updatedAt } = store.session();
  const { memory } = definition;
  const { version, context } = contexts.current();
  const current = store.currentTurn();
  const lastTurn = store.lastTurn();
  return {
    ...definition,
    ...(memory === undefined ? {} : { memory: { ...memory, threadId: memory.threadId ?? sessionId } }),
    context,
    sessionId,
    contextVersion: version,
    status: current === undefined ? "idle" : current.status === "waiting" ? "waiting" : "running",
    ...(lastTurn === undefined ? {} : { lastTurn }),
    createdAt: new Date(createdAt).toISOString(),
    updatedAt: new Date(updatedAt).toISOString(),
  };
}
