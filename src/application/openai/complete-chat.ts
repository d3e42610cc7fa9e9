/**
 * Talk to an agent as OpenAI's clients do. The conversation is a session, or it is sent along with the message: then a session is made
 * for this one turn and removed after it, so that the same supervision, authority and record hold. While such a turn waits for an answer its
 * session stays.
 */
import { isFinal, newSessionSchema, type Turn } from "../../chat/session.js";
import { callerServer, type TurnRequest } from "../../chat/turn-request.js";
import { replyText } from "../../conversation/message.js";
import { ok, type Result, refuse } from "../../conversation/problem.js";
import { newId } from "../../platform/ids.js";
import type { Actor } from "../../tenancy/actor.js";
import { authorize } from "../../tenancy/authority.js";
import { claimId } from "../creation.js";
import { openStream } from "../events/follow-events.js";
import { removeSession } from "../removal.js";
import { isKnownTo } from "../resources/resource-view.js";
import type { Services } from "../services.js";
import { sessionOf } from "../sessions/begin-session.js";
import { readSession } from "../sessions/read-session.js";
import { readTurn } from "../sessions/read-turn.js";
import { sendMessage } from "../sessions/send-message.js";
import { answerInChat } from "./answer-in-chat.js";
import type { ChatInput, ChatPlace, KeptSessions } from "./chat-input.js";
import { resolveResults } from "./conversation-before.js";
import { followResponse, withinWindow } from "./follow-response.js";
import { askUnderKey } from "./keyed-answer.js";
import { maySend, mayTell } from "./may-send.js";
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

export async function completeChat(
  actor: Actor,
  input: ChatInput,
  caller: ChatCaller,
  services: Services,
): Promise<Result<ChatOutcome>> {
  const begun = await beginChat(actor, input, caller, services);
  if (!begun.ok) return begun;
  const place = begun.value;
  const dropped = aborted(patient(input, caller));
  const turn = await Promise.race([settledTurn(actor, place, services), dropped.promise]);
  dropped.stop();
  release(actor, { place, turn, isKeyed: input.idempotencyKey !== undefined }, caller, services);
  return turn.ok ? ok({ place, turn: turn.value }) : turn;
}

export type ChatEvent =
  /** A further piece of the reply, cleared by supervision. */
  | { readonly kind: "text"; readonly text: string }
  /** `isVoid`: what was sent of the reply doesn't hold any more, and can't be taken back. */
  | { readonly kind: "end"; readonly outcome: Result<ChatOutcome>; readonly isVoid: boolean };

/** The same while it is written. Refusals come before the stream; what goes wrong later is its end. */
export async function streamChat(
  actor: Actor,
  input: ChatInput,
  caller: ChatCaller,
  services: Services,
): Promise<Result<{ readonly place: ChatPlace; readonly events: AsyncGenerator<ChatEvent> }>> {
  const begun = await beginChat(actor, input, caller, services);
  if (!begun.ok) return begun;
  const place = begun.value;
  const query = { after: 0, lingerMs: 0, work: place.turnId };
  const stream = await openStream(actor, { kind: "session", id: place.sessionId }, query, services);
  if (!stream.ok) return stream;
  const signal = patient(input, caller);
  const isKeyed = input.idempotencyKey !== undefined;
  let isRead = false;
  const goneBefore = (): void => {
    if (!isRead) release(actor, { place, turn: dropped, isKeyed }, caller, services);
  };
  // A generator that was never begun never comes to its end.
  signal.addEventListener("abort", goneBefore, { once: true });
  return ok({ place, events: eventsOf(stream.value) });

  async function* eventsOf(bytes: ReadableStream<Uint8Array>): AsyncGenerator<ChatEvent> {
    isRead = true;
    let turn: Result<Turn> = dropped;
    try {
      const shown = shownText();
      for await (const text of shown.read(bytes, signal)) yield { kind: "text", text };
      if (signal.aborted) return;
      turn = await settledTurn(actor, place, services);
      const reply = turn.ok && turn.value.status === "completed" ? turn.value.reply : undefined;
      const rest = reply === undefined ? "" : shown.rest(replyText(reply.modelReply));
      if (rest !== undefined && rest !== "") yield { kind: "text", text: rest };
      const outcome = turn.ok ? ok({ place, turn: turn.value }) : turn;
      yield { kind: "end", outcome, isVoid: rest === undefined };
    } finally {
      release(actor, { place, turn, isKeyed }, caller, services);
    }
  }
}

/** Accepts the message, or the answer that it is. */
async function beginChat(
  actor: Actor,
  input: ChatInput,
  { kept }: ChatCaller,
  services: Services,
): Promise<Result<ChatPlace>> {
  const allowed = authorize(actor, "completeChat");
  if (!allowed.ok) return allowed;
  const sends = maySend(actor, input);
  if (!sends.ok) return sends;
  const fits = await checkAgent(actor, input, services);
  if (!fits.ok) return fits;
  const repeated = await askUnderKey(actor, input, services);
  if (!repeated.ok) return repeated;
  const keyed = { ...input, ...(repeated.value !== undefined && { askId: repeated.value, isRepeated: true }) };
  if (input.previousId !== undefined) {
    const followed = await followResponse(actor, { ...keyed, previousId: input.previousId }, kept, services);
    if (!followed.ok) return followed;
    return followed.value.kind === "answered"
      ? ok(followed.value.place)
      : inOwnSession(actor, followed.value.input, services);
  }
  const answered = await answerInChat(actor, keyed, services);
  if (answered !== undefined) return answered;
  if (input.sessionId === undefined) return inOwnSession(actor, input, services);
  const own = await inSession(actor, { ...input, sessionId: input.sessionId }, services);
  if (!own.ok) return own;
  const { sessionId, content, speaker, request, idempotencyKey } = own.value;
  // What is noted on the message is the caller's; the session has notes of its own.
  const metadata = Object.keys(input.metadata).length === 0 ? undefined : input.metadata;
  const message = { sessionId, content, speaker, metadata, request, idempotencyKey, waitMs: 0 };
  const sent = await sendMessage(actor, message, services);
  if (!sent.ok) return sent;
  const { turnId, createdAt } = sent.value;
  return ok({ sessionId, turnId, isStateless: false, createdAt });
}

/** A session for this one turn: made once under an Idempotency-Key, whatever became of the call, and whether it stays or not. */
async function inOwnSession(actor: Actor, input: ChatInput, services: Services): Promise<Result<ChatPlace>> {
  const { agent, content, speaker, subject, metadata: given, isStored = false } = input;
  const tells = mayTell(actor, input);
  if (!tells.ok) return tells;
  const window = withinWindow(input);
  if (!window.ok) return window;
  // What a session has noted is its application's, and agents may read it; what an end user notes stands on the message.
  const [metadata, noted] = actor.role === "user" ? [{}, given] : [given, undefined];
  const own = sessionOf(actor, newSessionSchema.parse({ agent, subject, metadata }));
  if (!own.ok) return own;
  const definition = isStored ? own.value : { ...own.value, stateless: true as const };
  const request: TurnRequest = { ...window.value, ownSession: isStored ? "stays" : "goes" };
  const { idempotencyKey } = input;
  const claim = { request: { agent, content, subject, metadata: given, request }, idempotencyKey };
  const claimed = await claimId(actor, newId("ses"), claim, services);
  if (!claimed.ok) return claimed;
  const { session } = await services.sessions.create(actor.tenantId, claimed.value, definition);
  const { sessionId } = session;
  const message = { sessionId, content, speaker, metadata: noted, request, idempotencyKey, waitMs: 0 };
  const sent = await sendMessage(actor, message, services);
  if (!sent.ok) return sent;
  const { turnId, createdAt } = sent.value;
  return ok({ sessionId, turnId, isStateless: !isStored, createdAt });
}

/** Another tenant's agent, and one that a token isn't for, is no agent. */
async function checkAgent(actor: Actor, input: ChatInput, services: Services): Promise<Result<void>> {
  const { agent } = input;
  const none = refuse("not_found", `There is no agent "${agent}"; GET /v1/models lists those there are.`, {
    errors: [{ path: "model", message: "there is no such agent" }],
  });
  if (!isKnownTo(actor, "agents", agent)) return none;
  const stored = await services.resources.get(actor.tenantId, "agents", agent);
  return stored === undefined ? none : checkTools(actor.tenantId, input, stored.body, services);
}

/** What is sent to a session that is there: what came of calls has to fit those that its last reply handed over. */
async function inSession(
  actor: Actor,
  input: ChatInput & { readonly sessionId: string },
  services: Services,
): Promise<Result<ChatInput & { readonly sessionId: string }>> {
  const { sessionId, agent, content, request } = input;
  const session = await readSession(actor, sessionId, services);
  if (!session.ok) return session;
  if (session.value.agent !== agent) {
    const errors = [{ path: "model", message: `the session's agent is "${session.value.agent}"` }];
    return refuse("invalid", "The session is with another agent than the model that is named.", { errors });
  }
  const fits = withinWindow(input);
  if (!fits.ok) return fits;
  if (request.results.length === 0) return ok(input);
  const last = session.value.lastTurn;
  const turn = last === undefined ? undefined : await readTurn(actor, { sessionId, ...last, waitMs: 0 }, services);
  const left = turn?.ok ? (turn.value.reply?.modelReply.pendingToolCalls ?? []) : [];
  // A call of the agent's own that waits for its approval is nobody's to answer for.
  const pending = left.filter(({ server }) => server === callerServer);
  const isKnown = request.results.every(({ toolCallId }) => pending.some((one) => one.toolCallId === toolCallId));
  const resolved = isKnown ? resolveResults({ content, results: request.results }, pending) : undefined;
  if (resolved === undefined) {
    const errors = [{ path: "messages", message: "a tool_call_id is none of the session's last reply" }];
    return refuse("invalid", "What came of a call has to name a call of the session's last reply.", { errors });
  }
  return ok({ ...input, content: resolved.content, request: { ...request, results: resolved.results } });
}

async function settledTurn(actor: Actor, place: ChatPlace, services: Services): Promise<Result<Turn>> {
  const { sessionId, turnId } = place;
  const until = services.now() + maxWaitMs;
  for (;;) {
    const read = await readTurn(actor, { sessionId, turnId, waitMs: oneWaitMs }, services);
    const turn = read.ok ? ok(withQuestionsFor(actor, read.value)) : read;
    if (!turn.ok || isFinal(turn.value.status) || turn.value.status === "waiting") return turn;
    if (turn.value.status === "queued") {
      const detail = `The session waits for an answer to an earlier question; this message waits behind it as ${turnId}.`;
      const session = await services.sessions.describe(actor.tenantId, sessionId);
      if (session.ok && session.value.status === "waiting") return refuse("waiting_on_ask", detail);
    }
    if (services.now() >= until) {
      return refuse("unavailable", `There is no answer after ${maxWaitMs / 60_000} minutes; the turn is ${turnId}.`);
    }
  }
}

const dropped = refuse("unavailable", "The caller has gone.");

function aborted(signal: AbortSignal): { readonly promise: Promise<Result<never>>; readonly stop: () => void } {
  let stop = (): void => {};
  const promise = new Promise<Result<never>>((resolve) => {
    const gone = (): void => resolve(dropped);
    if (signal.aborted) gone();
    signal.addEventListener("abort", gone);
    stop = () => signal.removeEventListener("abort", gone);
  });
  return { promise, stop };
}

/**
 * Removes the session of one turn, and with it whatever is still under way in it; one whose turn waits is needed for the answer. Under
 * an Idempotency-Key it stays until its answer is kept: until then whoever repeats the call finds it here, and what nobody comes
 * back for is forgotten by the housekeeping.
 */
function release(
  actor: Actor,
  { place, turn, isKeyed }: { readonly place: ChatPlace; readonly turn: Result<Turn>; readonly isKeyed: boolean },
  { background, kept, answerKept }: ChatCaller,
  services: Services,
): void {
  const { sessionId, isStateless } = place;
  if (!isStateless || (turn.ok && turn.value.status === "waiting")) return;
  const remove = (): Promise<boolean> => removeSession(actor.tenantId, sessionId, services);
  if (kept !== undefined && turn.ok && turn.value.status === "completed") kept.keep(sessionId);
  else if (!isKeyed) background(remove());
  else if (answerKept !== undefined) background(answerKept.then((isKept) => isKept && remove()));
}

/** A caller with a key may come back for the answer: that a connection ends doesn't end its work. */
function patient({ idempotencyKey }: ChatInput, { signal }: ChatCaller): AbortSignal {
  return idempotencyKey === undefined ? signal : new AbortController().signal;
}
