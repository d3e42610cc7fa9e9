/** A chat as a page has it: a session by the page's own id, made by the first message, whose last turn is followed. */
import { newSessionSchema, type Session } from "../../chat/session.js";
import { need, ok, problem, type Result } from "../../conversation/problem.js";
import type { Actor } from "../../tenancy/actor.js";
import { authorize } from "../../tenancy/authority.js";
import { followEvents, openStream } from "../events/follow-events.js";
import type { Services } from "../services.js";
import { ensureSession } from "./begin-session.js";
import { isOwn, noSession } from "./own-session.js";
import { type MessageInput, sendMessage } from "./send-message.js";

export interface ChatMessageInput extends Pick<MessageInput, "content" | "idempotencyKey"> {
  /** The session's `externalId`. */
  readonly chatId: string;
  /** Whom the first message is for; a token for one agent needs none. */
  readonly agent?: string | undefined;
  /** Whether its turn is followed through what it waits for. */
  readonly follow: boolean;
}

/** A turn of a chat, and its events from the first one on. */
export interface ChatTurn {
  readonly sessionId: string;
  readonly turnId: string;
  readonly events: ReadableStream<Uint8Array>;
}

/** Sends a message to a chat, which begins with it if there is none yet. A message that answers a question goes on with its turn. */
export async function sendToChat(
  actor: Actor,
  { chatId, agent, follow: isFollowed, ...message }: ChatMessageInput,
  services: Services,
): Promise<ChatTurn> {
  need(authorize(actor, sendMessage));
  const known = need(await chatOf(actor, chatId, services));
  const { sessionId } = known ?? (await beginChat(actor, chatId, agent, services));
  const { turnId } = await sendMessage(actor, { ...message, sessionId, waitMs: 0 }, services);
  return follow(actor, { sessionId, turnId, follow: isFollowed }, services);
}

/** The turn of a chat that goes on, or waits for an answer, and its events; undefined when none does. */
export async function resumeChat(
  actor: Actor,
  { chatId, follow: isFollowed }: Pick<ChatMessageInput, "chatId" | "follow">,
  services: Services,
): Promise<ChatTurn | undefined> {
  const turn = await unfinishedTurn(actor, chatId, services);
  return turn && follow(actor, { ...turn, follow: isFollowed }, services);
}

/** Which turn of a chat `resumeChat` follows. Opens no stream. */
export async function unfinishedTurn(
  actor: Actor,
  chatId: string,
  services: Services,
): Promise<Pick<ChatTurn, "sessionId" | "turnId"> | undefined> {
  need(authorize(actor, followEvents));
  const session = await chatOf(actor, chatId, services);
  // Another's chat answers as if there were none.
  if (!session.ok) return undefined;
  // A page that opens a new chat asks before its first message: nothing runs there.
  const { sessionId, status, lastTurn } = session.value ?? {};
  if (sessionId === undefined || lastTurn === undefined || status === "idle") return undefined;
  return { sessionId, turnId: lastTurn.turnId };
}

/** The session of a chat; undefined when there is none. Of another subject's not even the id is told. */
async function chatOf(
  actor: Actor,
  chatId: string,
  { claims, sessions }: Services,
): Promise<Result<Session | undefined>> {
  const sessionId = await claims.byExternalId(actor.tenantId, "sessions", chatId);
  // A claim whose session was never made, by a crash, is taken over.
  const session = sessionId === undefined ? undefined : await sessions.describe(actor.tenantId, sessionId);
  if (session?.ok !== true) return ok(undefined);
  if (actor.role !== "user") return session;
  const isOther = actor.only?.sessionId !== undefined && actor.only.sessionId !== sessionId;
  return isOther || !isOwn(actor, session.value) ? noSession : session;
}

async function beginChat(
  actor: Actor,
  externalId: string,
  named: string | undefined,
  services: Services,
): Promise<Session> {
  const [only, ...others] = actor.only?.agents ?? [];
  const agent = named ?? (others.length === 0 ? only : undefined);
  if (agent === undefined) {
    const errors = [{ path: "agent", message: "the first message of a chat names it" }];
    const detail = "The chat is new. Name its agent in the body, as `agent`, or use a token that is for one agent.";
    throw problem("invalid", detail, { errors });
  }
  // A page has one input: what is typed while a question is open is its answer.
  const definition = newSessionSchema.parse({ agent, whileWaiting: "answer" });
  return (await ensureSession(actor, { externalId, definition }, services)).session;
}

async function follow(
  actor: Actor,
  { sessionId, turnId, follow: isFollowed }: Pick<ChatTurn, "sessionId" | "turnId"> & { readonly follow: boolean },
  services: Services,
): Promise<ChatTurn> {
  const query = { after: 0, lingerMs: 0, work: turnId, follow: isFollowed };
  const events = await openStream(actor, { kind: "session", id: sessionId }, query, services);
  return { sessionId, turnId, events };
}
