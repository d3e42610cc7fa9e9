/** Send a message to a session: it becomes a turn, or waits in order. */
import type { Turn } from "../../chat/session.js";
import { ok, type Result } from "../../conversation/problem.js";
import { sha256Hex } from "../../platform/digest.js";
import { newId } from "../../platform/ids.js";
import type { Actor } from "../../tenancy/actor.js";
import { authorize } from "../../tenancy/authority.js";
import { withAsksFor } from "../asks/ask-view.js";
import { noRoot } from "../events/follow-events.js";
import type { Services } from "../services.js";

export interface MessageInput {
  readonly sessionId: string;
  readonly content: string;
  /** How long the turn's end is waited for, in milliseconds; 0 gives the turn as it is. */
  readonly waitMs: number;
  /** A message sent twice under one key is one turn. */
  readonly idempotencyKey?: string | undefined;
}

export async function sendMessage(actor: Actor, message: MessageInput, services: Services): Promise<Result<Turn>> {
  const allowed = authorize(actor, "sendMessage");
  if (!allowed.ok) return allowed;
  const { sessionId, content, idempotencyKey, waitMs } = message;
  const turn = await services.sessions.send(actor.tenantId, sessionId, {
    content,
    // Without a key of the caller's own this message gets one: our own calls are repeated too.
    idempotencyKey: idempotencyKey ?? newId("req"),
    requestHash: await sha256Hex(content),
    waitMs,
  });
  return turn.ok ? ok(withAsksFor(actor, turn.value)) : turn;
}

/** Sends a message and gives the events of its turn, as server-sent events: from the first one, until nothing goes on any more. */
export async function streamMessage(
  actor: Actor,
  message: Omit<MessageInput, "waitMs">,
  services: Services,
): Promise<Result<ReadableStream<Uint8Array>>> {
  const turn = await sendMessage(actor, { ...message, waitMs: 0 }, services);
  if (!turn.ok) return turn;
  const query = { after: 0, lingerMs: 0, work: turn.value.turnId };
  const stream = await services.sessions.streamEvents(actor.tenantId, message.sessionId, query);
  return stream === null ? noRoot("session") : ok(stream);
}
