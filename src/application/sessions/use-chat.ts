/** A chat as a page has it: a session by the page's own id, made by the first message, whose last turn is followed. */
import type { RecordedConversation } from "../../chat/conversation.js";
import { isFinal, newSessionSchema, type Session, type Turn } from "../../chat/session.js";
import type { ChatMessage } from "../../conversation/message.js";
import { need, ok, problem, type Result } from "../../conversation/problem.js";
import type { Actor } from "../../tenancy/actor.js";
import { authorize } from "../../tenancy/authority.js";
import { askFor } from "../asks/ask-view.js";
import { followEvents, openStream } from "../events/follow-events.js";
import type { Services } from "../services.js";
import { ensureSession } from "./begin-session.js";
import { isOwn, noSession } from "./own-session.js";
import { readTranscript } from "./read-transcript.js";
import { readTurn } from "./read-turn.js";
import { type MessageInput, sendMessage } from "./send-message.js";
import { messageFor } from "./turn-for.js";

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

/** What was said in a chat and is shown, the newest last, with the turns that it belongs to. */
export interface ChatPage {
  readonly sessionId: string;
  readonly said: readonly SaidMessage[];
  /** Of what was said, and those that haven't ended. */
  readonly turns: readonly Turn[];
  /** Those that haven't ended, in order; none on a page of earlier ones. */
  readonly unfinished: readonly Turn[];
  /** What `before` has to be for what was said before these. */
  readonly earlier: number | null;
}

type SaidMessage = Pick<RecordedConversation["items"][number], "turnId" | "message" | "asks">;

/** How many messages more than it was asked for a page has at most, so that it begins with a user's message. */
const mostMore = 10;

/** Messages of a chat, as the transcript shows them to this actor. */
export async function loadChat(
  actor: Actor,
  { chatId, before, limit }: { readonly chatId: string; readonly before?: number | undefined; readonly limit: number },
  services: Services,
): Promise<ChatPage> {
  need(authorize(actor, readTranscript));
  const session = need(await chatOf(actor, chatId, services)) ?? need(noSession);
  const { sessionId, lastTurn } = session;
  const read = async (end: number, most: number) =>
    need(await services.sessions.conversation(actor.tenantId, sessionId, end, most));
  let { items, earlier } = await read(before ?? Number.MAX_SAFE_INTEGER, limit);
  for (let more = 0; more < mostMore && earlier !== null && !beginsTurn(items[0]?.message); more += 1) {
    const page = await read(earlier, 1);
    items = [...page.items, ...items];
    earlier = page.earlier;
  }
  const turnOf = (turnId: string) => readTurn(actor, { sessionId, turnId, waitMs: 0 }, services);
  const unfinished: Turn[] = [];
  for (let next = before === undefined ? lastTurn?.turnId : undefined; next !== undefined; ) {
    const turn = await turnOf(next);
    if (!isFinal(turn.status)) unfinished.unshift(turn);
    next = isFinal(turn.status) ? undefined : turn.waitsFor?.turnId;
  }
  const ids = new Set(items.flatMap(({ turnId }) => (turnId === "" ? [] : [turnId])));
  for (const { turnId } of unfinished) ids.delete(turnId);
  const turns = [...(await Promise.all([...ids].map(turnOf))), ...unfinished];
  const said = items.map(({ turnId, message, asks }) => ({
    ...{ turnId, message: messageFor(actor, message), asks: asks.map((ask) => askFor(actor, ask)) },
  }));
  return { sessionId, said, turns, unfinished, earlier };
}

function beginsTurn(message: ChatMessage | undefined): boolean {
  return message === undefined || message.role === "system" || (message.role === "user" && !message.answers);
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
