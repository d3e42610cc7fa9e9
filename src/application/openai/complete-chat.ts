/**
 * Talk to an agent as OpenAI's clients do. The conversation is a session, or it is sent along with the message: then a session is made
 * for this one turn and removed after it, so that the same supervision, authority and record hold. While such a turn waits for an answer its
 * session stays.
 */
import { isFinal, newSessionSchema, type Turn } from "../../chat/session.js";
import { callerServer, type TurnRequest } from "../../chat/turn-request.js";
import { replyText } from "../../conversation/message.js";
import { attempt, need, problem } from "../../conversation/problem.js";
import { newId } from "../../platform/ids.js";
import type { Actor } from "../../tenancy/actor.js";
import { authorize } from "../../tenancy/authority.js";
import { act } from "../act.js";
import { claimId } from "../creation.js";
import { openStream } from "../events/follow-events.js";
import { removeSession } from "../removal.js";
import { isKnownTo } from "../resources/resource-view.js";
import type { Services } from "../services.js";
import { checkParts, sessionOf } from "../sessions/begin-session.js";
import { readSession } from "../sessions/read-session.js";
import { readTurn } from "../sessions/read-turn.js";
import { sendMessage } from "../sessions/send-message.js";
import { answerInChat } from "./answer-in-chat.js";
import type { ChatInput, ChatPlace, KeptSessions } from "./chat-input.js";
import { resolveResults } from "./conversation-before.js";
import { followResponse, withinWindow } from "./follow-response.js";
import { askUnderKey } from "./keyed-answer.js";
import { checkSent, checkTold, checkUnsupported } from "./may-send.js";
import { checkTools } from "./own-tools.js";
import { withQuestionsFor } from "./questions-for.js";
import { shownText } from "./shown-text.js";

/** How the caller hangs on. */
export interface ChatCaller {
  /** Aborted when nobody waits for the answer any more: a turn without a session of its own is given up then. */
  readonly signal: AbortSignal;
  /** Keeps the Worker at work on something that the caller needn't wait for. */
  readonly background: (work: Promise<unknown>) => void;
  /** Of a call under an Idempotency-Key: whether its answer was kept for those that repeat it, once that is known. */
  readonly answerKept?: Promise<boolean> | undefined;
  readonly kept?: KeptSessions | undefined;
}

/** A turn that has ended, or waits for an answer. */
export interface ChatOutcome {
  readonly place: ChatPlace;
  readonly turn: Turn;
}

/** How long an answer is waited for, in milliseconds: as long as OpenAI's own clients wait. */
const maxWaitMs = 600_000;
/** What one wait may take at most, in milliseconds. */
const oneWaitMs = 60_000;

export interface ChatCall {
  readonly input: ChatInput;
  readonly caller: ChatCaller;
}

export const completeChat = act("completeChat", {
  role: "client",
  ofSubject: true,
  run: async (actor, { input, caller }: ChatCall, services): Promise<ChatOutcome> => {
    const place = await beginChat(actor, input, caller, services);
    const dropped = aborted(patient(actor, caller));
    let turn: Turn | undefined;
    try {
      turn = await Promise.race([settledTurn(actor, place, services), dropped.promise]);
      return { place, turn };
    } finally {
      dropped.stop();
      release(actor, { place, turn }, caller, services);
    }
  },
});

export type ChatEvent =
  /** A further piece of the reply, cleared by supervision. */
  | { readonly kind: "text"; readonly text: string }
  /** `isVoid`: what was sent of the reply doesn't hold any more, and can't be taken back. */
  | { readonly kind: "end"; readonly outcome: ChatOutcome; readonly isVoid: boolean };

/** The same while it is written. Refusals come before the stream; what goes wrong later ends it. */
export async function streamChat(
  actor: Actor,
  { input, caller }: ChatCall,
  services: Services,
): Promise<{ readonly place: ChatPlace; readonly events: AsyncGenerator<ChatEvent> }> {
  need(authorize(actor, completeChat));
  return followPlace(actor, await beginChat(actor, input, caller, services), caller, services);
}

/** The same of a turn that was begun before, from its beginning. The actor has been asked whether they may read it. */
export async function followPlace(
  actor: Actor,
  place: ChatPlace,
  caller: ChatCaller,
  services: Services,
): Promise<{ readonly place: ChatPlace; readonly events: AsyncGenerator<ChatEvent> }> {
  const query = { after: 0, lingerMs: 0, work: place.turnId };
  const stream = await openStream(actor, { kind: "session", id: place.sessionId }, query, services);
  const signal = patient(actor, caller);
  let isRead = false;
  const goneBefore = (): void => {
    if (!isRead) release(actor, { place }, caller, services);
  };
  // A generator that was never begun never comes to its end.
  signal.addEventListener("abort", goneBefore, { once: true });
  return { place, events: eventsOf(stream) };

  async function* eventsOf(bytes: ReadableStream<Uint8Array>): AsyncGenerator<ChatEvent> {
    isRead = true;
    let turn: Turn | undefined;
    try {
      const shown = shownText();
      for await (const text of shown.read(bytes, signal)) yield { kind: "text", text };
      if (signal.aborted) return;
      turn = await settledTurn(actor, place, services);
      const reply = turn.status === "completed" ? turn.reply : undefined;
      const rest = reply === undefined ? "" : shown.rest(replyText(reply.modelReply));
      if (rest !== undefined && rest !== "") yield { kind: "text", text: rest };
      yield { kind: "end", outcome: { place, turn }, isVoid: rest === undefined };
    } finally {
      release(actor, { place, turn }, caller, services);
    }
  }
}

/** Accepts the message, or the answer that it is. */
async function beginChat(actor: Actor, input: ChatInput, { kept }: ChatCaller, services: Services): Promise<ChatPlace> {
  checkSent(actor, input);
  await checkAgent(actor, input, services);
  const askId = await askUnderKey(actor, input, services);
  const keyed = { ...input, ...(askId !== undefined && { askId, isRepeated: true }) };
  if (input.previousId !== undefined) {
    const followed = await followResponse(actor, { ...keyed, previousId: input.previousId }, kept, services);
    return followed.kind === "answered" ? followed.place : inOwnSession(actor, followed.input, services);
  }
  const answered = await answerInChat(actor, keyed, services);
  if (answered !== undefined) return answered;
  if (input.sessionId === undefined) return inOwnSession(actor, input, services);
  const own = await inSession(actor, { ...input, sessionId: input.sessionId }, services);
  const { sessionId, content, speaker, request } = own;
  // What is noted on the message is the caller's; the session has notes of its own.
  const metadata = Object.keys(input.metadata).length === 0 ? undefined : input.metadata;
  const message = { sessionId, content, speaker, metadata, request, waitMs: 0 };
  const { turnId, createdAt } = await sendMessage(actor, message, services);
  return { sessionId, turnId, isStateless: false, createdAt };
}

/** A session for this one turn: made once under an Idempotency-Key, whatever became of the call, and whether it stays or not. */
async function inOwnSession(actor: Actor, input: ChatInput, services: Services): Promise<ChatPlace> {
  const { agent, content, speaker, subject, metadata: given, memory, isStored = false } = input;
  checkTold(actor, input);
  const window = withinWindow(input);
  // What a session has noted is its application's, and agents may read it; what an end user notes stands on the message.
  const [metadata, noted] = actor.role === "user" ? [{}, given] : [given, undefined];
  const own = need(sessionOf(actor, newSessionSchema.parse({ agent, subject, metadata, memory })));
  const { bind } = need(await checkParts(actor.tenantId, isStored ? own : { ...own, stateless: true }, services));
  const request: TurnRequest = { ...window, ownSession: isStored ? "stays" : "goes" };
  const asked = { agent, content, subject, metadata: given, memory, request };
  const claimed = await claimId(actor, newId("ses"), asked, services);
  const { session } = await services.sessions.create(actor.tenantId, claimed, await bind());
  const { sessionId } = session;
  const message = { sessionId, content, speaker, metadata: noted, request, waitMs: 0 };
  const { turnId, createdAt } = await sendMessage(actor, message, services);
  return { sessionId, turnId, isStateless: !isStored, createdAt };
}

/** Another tenant's agent, and one that a token isn't for, is no agent. */
async function checkAgent(actor: Actor, input: ChatInput, services: Services): Promise<void> {
  const { agent } = input;
  const stored = isKnownTo(actor, "agents", agent)
    ? await services.resources.get(actor.tenantId, "agents", agent)
    : undefined;
  if (stored !== undefined) {
    checkUnsupported(input, stored.body);
    return checkTools(actor.tenantId, input, stored.body, services);
  }
  throw problem("not_found", `There is no agent "${agent}"; GET /v1/models lists those there are.`, {
    errors: [{ path: "model", message: "there is no such agent" }],
  });
}

/** What is sent to a session that is there: what came of calls has to fit those that its last reply handed over. */
async function inSession(
  actor: Actor,
  input: ChatInput & { readonly sessionId: string },
  services: Services,
): Promise<ChatInput & { readonly sessionId: string }> {
  const { sessionId, agent, content, memory, request } = input;
  if (memory !== undefined) {
    const errors = [{ path: "memory", message: "the session has its own" }];
    throw problem("invalid", "A session's memory is named when it begins; leave it out here.", { errors });
  }
  const session = await readSession(actor, { sessionId }, services);
  if (session.agent !== agent) {
    const errors = [{ path: "model", message: `the session's agent is "${session.agent}"` }];
    throw problem("invalid", "The session is with another agent than the model that is named.", { errors });
  }
  withinWindow(input);
  if (request.results.length === 0) return input;
  const last = session.lastTurn;
  const turn = last && (await attempt(() => readTurn(actor, { sessionId, ...last, waitMs: 0 }, services)));
  const left = turn?.ok ? (turn.value.reply?.modelReply.pendingToolCalls ?? []) : [];
  // A call of the agent's own that waits for its approval is nobody's to answer for.
  const pending = left.filter(({ server }) => server === callerServer);
  const isKnown = request.results.every(({ toolCallId }) => pending.some((one) => one.toolCallId === toolCallId));
  const resolved = isKnown ? resolveResults({ content, results: request.results }, pending) : undefined;
  if (resolved === undefined) {
    const errors = [{ path: "messages", message: "a tool_call_id is none of the session's last reply" }];
    throw problem("invalid", "What came of a call has to name a call of the session's last reply.", { errors });
  }
  return { ...input, content: resolved.content, request: { ...request, results: resolved.results } };
}

async function settledTurn(actor: Actor, place: ChatPlace, services: Services): Promise<Turn> {
  const { sessionId, turnId } = place;
  const until = services.now() + maxWaitMs;
  for (;;) {
    const read = await readTurn(actor, { sessionId, turnId, waitMs: oneWaitMs }, services);
    const turn = withQuestionsFor(actor, read);
    if (isFinal(turn.status) || turn.status === "waiting") return turn;
    if (turn.status === "queued") {
      const detail = `The session waits for an answer to an earlier question; this message waits behind it as ${turnId}.`;
      const session = await services.sessions.describe(actor.tenantId, sessionId);
      if (session.ok && session.value.status === "waiting") throw problem("waiting_on_ask", detail);
    }
    if (services.now() >= until) {
      throw problem("unavailable", `There is no answer after ${maxWaitMs / 60_000} minutes; the turn is ${turnId}.`);
    }
  }
}

function aborted(signal: AbortSignal): { readonly promise: Promise<never>; readonly stop: () => void } {
  let stop = (): void => {};
  const promise = new Promise<never>((_resolve, reject) => {
    const gone = (): void => reject(problem("unavailable", "The caller has gone."));
    if (signal.aborted) gone();
    signal.addEventListener("abort", gone);
    stop = () => signal.removeEventListener("abort", gone);
  });
  return { promise, stop };
}

/**
 * Removes the session of one turn, and with it whatever is still under way in it; one whose turn waits is needed for the answer, and one
 * that asked is left to the housekeeping: its caller looks up who answered. Under
 * an Idempotency-Key it stays until its answer is kept: until then whoever repeats the call finds it here, and what nobody comes
 * back for is forgotten by the housekeeping.
 * @param turn left out where it came to no end that anybody heard of
 */
function release(
  actor: Actor,
  { place, turn }: { readonly place: ChatPlace; readonly turn?: Turn | undefined },
  { background, kept, answerKept }: ChatCaller,
  services: Services,
): void {
  const { sessionId, isStateless } = place;
  if (!isStateless || turn?.status === "waiting") return;
  const remove = (): Promise<boolean> => removeSession(actor.tenantId, sessionId, services);
  if (kept !== undefined && turn?.status === "completed") kept.keep(sessionId);
  else if (turn !== undefined && turn.asks.length > 0) return;
  else if (actor.command === undefined) background(remove());
  else if (answerKept !== undefined) background(answerKept.then((isKept) => isKept && remove()));
}

/** A caller with a key may come back for the answer: that a connection ends doesn't end its work. */
function patient({ command }: Actor, { signal }: ChatCaller): AbortSignal {
  return command === undefined ? signal : new AbortController().signal;
}
