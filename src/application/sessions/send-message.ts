/** Send a message to a session: it becomes a turn, or waits in order. */
import type { TurnRequest } from "../../chat/turn-request.js";
import { recordOf } from "../../conversation/actor-record.js";
import { defined } from "../../conversation/defined.js";
import type { Metadata } from "../../conversation/names.js";
import { need, refuse } from "../../conversation/problem.js";
import type { SendCommand } from "../../gateways/session-object.js";
import { sha256Hex } from "../../platform/digest.js";
import { newId } from "../../platform/ids.js";
import { keyOf } from "../../stores/reader-store.js";
import { type Actor, ownKey } from "../../tenancy/actor.js";
import { authorize } from "../../tenancy/authority.js";
import { act } from "../act.js";
import { noteConnectionSoon, readerOf } from "../connections.js";
import type { Services } from "../services.js";
import { ownSession } from "./own-session.js";
import { turnFor } from "./turn-for.js";

export interface MessageInput {
  readonly sessionId: string;
  readonly content: string;
  readonly speaker?: string | undefined;
  readonly metadata?: Metadata | undefined;
  /** What comes along with it, from callers that keep the conversation or the tools themselves. */
  readonly request?: TurnRequest | undefined;
  /** How long the turn's end is waited for, in milliseconds; 0 gives the turn as it is. */
  readonly waitMs: number;
  /** Waits, and is followed, through whatever the turn waits for. */
  readonly follow?: boolean | undefined;
  /** A message sent twice under one key is one turn: this one, where the request brings none. */
  readonly idempotencyKey?: string | undefined;
}

export const sendMessage = act("sendMessage", {
  role: "client",
  ofSubject: true,
  run: async (actor, message: MessageInput, services) => {
    const command = await sendCommandOf(actor, message, services);
    return turnFor(actor, need(await services.sessions.send(actor.tenantId, message.sessionId, command)));
  },
});

/** Sends a message and returns the events of its turn, as server-sent events: from the first one, until nothing goes on any more. With `follow` until it has ended. */
export async function streamMessage(
  actor: Actor,
  message: Omit<MessageInput, "waitMs">,
  services: Services,
): Promise<ReadableStream<Uint8Array>> {
  need(authorize(actor, sendMessage));
  const command = await sendCommandOf(actor, { ...message, waitMs: 0 }, services);
  const { sessionId, follow } = message;
  const query = { after: 0, lingerMs: 0, follow, reader: readerOf(actor, "session", services.now()) };
  const stream = need(await services.sessions.sendAndFollow(actor.tenantId, sessionId, command, query));
  noteConnectionSoon(actor, sessionId, services);
  return stream;
}

/** What the session's object is told, if it is the actor's own. */
async function sendCommandOf(actor: Actor, message: MessageInput, services: Services): Promise<SendCommand> {
  need(await ownSession(actor, message.sessionId, services));
  const { content, speaker, metadata, request, idempotencyKey, waitMs, follow } = message;
  if (actor.role === "user" && speaker !== undefined) need(ownName);
  const key = ownKey(actor, actor.command?.key ?? idempotencyKey);
  return {
    content,
    speaker,
    metadata,
    ...defined({ request }),
    ...(await keyOfMessage(key, { content, speaker, metadata, request })),
    keyId: keyOf(actor),
    revision: actor.revision,
    measures: actor.measures,
    waitMs,
    follow,
    sender: recordOf(actor),
  };
}

const ownName = refuse(
  "forbidden",
  "An end user's token can't name its speaker: its user is the token's subject. Leave `speaker` out, or have your backend send the message with its key.",
  { errors: [{ path: "speaker", message: "it can't be sent with a token" }] },
);

/** Without a key of the caller's own the message is known by the turn that it begins: nobody but us repeats it. */
async function keyOfMessage(
  own: string | undefined,
  message: Pick<MessageInput, "content" | "speaker" | "metadata" | "request">,
): Promise<{ readonly idempotencyKey: string; readonly turnId?: string; readonly requestHash: string }> {
  if (own !== undefined) return { idempotencyKey: own, requestHash: await sha256Hex(requestText(message)) };
  const turnId = newId("trn");
  return { idempotencyKey: turnId, turnId, requestHash: "" };
}

/** What makes a request the same one again. A message without more to it is its content, as the versions before had it. */
function requestText({
  content,
  speaker,
  metadata,
  request,
}: Pick<MessageInput, "content" | "speaker" | "metadata" | "request">): string {
  if (request !== undefined) return JSON.stringify([content, speaker, metadata, request]);
  return speaker === undefined && metadata === undefined ? content : JSON.stringify([content, speaker, metadata]);
}
