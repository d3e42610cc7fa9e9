/** A message whose conversation ends with a question of ours is the answer to it. */
import { answerInWords } from "../../asks/answer-in-words.js";
import { type Ask, askOwner, mayAnswer } from "../../asks/ask.js";
import { isFinal } from "../../chat/session.js";
import type { TurnRef } from "../../chat/turn-request.js";
import { attempt, need } from "../../conversation/problem.js";
import type { Actor } from "../../tenancy/actor.js";
import { answerAsk } from "../asks/answer-ask.js";
import { answererOf } from "../asks/ask-view.js";
import type { Services } from "../services.js";
import { readSession } from "../sessions/read-session.js";
import type { ChatInput, ChatPlace } from "./chat-input.js";
import { claimAsk } from "./keyed-answer.js";
import { findResponse, isOfAnother, type StoredResponse } from "./read-response.js";
import { responseId } from "./response-ref.js";

/**
 * The turn that goes on with the answer; undefined where there is no such question, or it isn't one of this conversation. A question that the
 * actor can't answer this way stays open, and one that was answered elsewhere is the same: the turn is what it has come to. Whether what
 * asked was stored makes no difference: a stored response that asked goes on under its own id. Once that one is complete, only the words
 * that answered it give it again; others begin a new one.
 */
export async function answerInChat(
  actor: Actor,
  input: Omit<ChatInput, "request" | "metadata">,
  services: Services,
): Promise<ChatPlace | undefined> {
  const { askId, agent, sessionId, subject, content, isRepeated = false } = input;
  const owner = askId === undefined ? undefined : askOwner(askId);
  if (askId === undefined || owner === undefined || !owner.startsWith("ses_")) return undefined;
  const session = await attempt(() => readSession(actor, { sessionId: owner }, services));
  if (!session.ok || session.value.agent !== agent) return undefined;
  // In a session that is named, whoever may send to it may answer.
  if (sessionId === undefined ? isOfAnother(session.value, subject) : sessionId !== owner) return undefined;
  const ask = await services.asks.get(actor.tenantId, askId);
  const turnId = ask.ok ? ask.value.from.turnId : undefined;
  if (!ask.ok || turnId === undefined) return undefined;
  const ref = { sessionId: owner, turnId };
  const isStateless = session.value.stateless === true;
  const asked = isStateless || sessionId !== undefined ? undefined : await storedResponse(actor, ref, services);
  const isOfOneTurn = isStateless || asked !== undefined;
  if (sessionId === undefined && !isOfOneTurn) return undefined;
  const place: ChatPlace = { ...ref, isStateless, ...(asked && { asked, createdAt: asked.turn.createdAt }) };
  // In a session only the question that is open is one; of a single turn whatever it came to is still to be given.
  if (ask.value.status !== "open") {
    if (isRepeated) return place;
    if (!isOfOneTurn) return undefined;
    if (asked?.turn.status !== "completed") return place;
    return (await repeatsAnswer(actor, ask.value, content, services)) ? place : undefined;
  }
  await claimAsk(actor, input, askId, services);
  await answerOpenAsk(actor, ask.value, content, services);
  return place;
}

/** Whether the text says again what a closed question was answered with. Of what staff decides on, any text asks what has come of it. */
async function repeatsAnswer(actor: Actor, ask: Ask, content: string, services: Services): Promise<boolean> {
  const answer = answerBy(actor, ask, content);
  if (answer === undefined) return ask.audience === "staff";
  const repeated = await attempt(() => answerAsk(actor, { askId: ask.askId, answer }, services));
  if (!repeated.ok && (repeated.problem.code === "already_closed" || repeated.problem.code === "invalid")) return false;
  need(repeated);
  return true;
}

/**
 * The response whose own session it is. One of a conversation that is kept is none: what is new there names the conversation. One that came
 * to nothing stays so for good, and what follows it is a new one.
 */
async function storedResponse(actor: Actor, ref: TurnRef, services: Services): Promise<StoredResponse | undefined> {
  const found = await attempt(() => findResponse(actor, responseId(ref), services));
  if (!found.ok || found.value.request.ownSession !== "stays") return undefined;
  const { status } = found.value.turn;
  return isFinal(status) && status !== "completed" ? undefined : found.value;
}

/** Returns the text as the answer, where it is one that the actor may give; a question that was answered elsewhere meanwhile is the same. */
export async function answerOpenAsk(actor: Actor, ask: Ask, content: string, services: Services): Promise<void> {
  const answer = answerBy(actor, ask, content);
  if (answer === undefined) return;
  const answered = await attempt(() => answerAsk(actor, { askId: ask.askId, answer }, services));
  if (answered.ok || answered.problem.code !== "already_closed") need(answered);
}

/** What is asked, the question first that the next message answers: what the caller's user can answer comes first. */
export function openAsks(asks: readonly Ask[]): Ask[] {
  const rank = ({ audience, kind }: Ask): number => (audience === "user" ? 2 : 0) + (kind === "human" ? 1 : 0);
  return asks.filter(({ status }) => status === "open").toSorted((a, b) => rank(b) - rank(a));
}

/** The text as the actor's answer; undefined where it is none, or they may give none. */
function answerBy(actor: Actor, ask: Ask, content: string): unknown {
  return mayAnswer(ask, answererOf(actor)) ? answerInWords(ask, content) : undefined;
}
