/**
 * The ask: a durable question that work is waiting on. The object that waits owns it and decides about it; the inbox in D1 is
 * a copy. Everything here is a pure function over the record, what was answered, and `now`.
 */
import { z } from "zod";
import { type ActorRecord, actorRecordSchema, recordOf } from "../conversation/actor-record.js";
import { defined } from "../conversation/defined.js";
import { issuesOf } from "../conversation/issues.js";
import { canonicalJson } from "../text/json.js";

export { type KeyRole, keyRoles, type Role, roles } from "../conversation/actor-record.js";

import { answerInWords } from "./answer-in-words.js";
import { type AskSource, type AskWork, askOriginSchema, originOf, withoutMessage } from "./origin.js";
import { type AskKind, type Audience, askKinds, audienceOf, audiences } from "./policy.js";
import { answerFault } from "./proposal.js";

export type { AskKind };
export { askKinds };

export const askPriorities = ["low", "normal", "high", "critical", "required", "optional"] as const;

/** What may be answered to a question: any text, one of its suggestions, or yes or no. */
export const acceptedAnswers = ["text", "suggestions", "yes_no"] as const;

const humanAnswer = z.strictObject({ response: z.string().min(1).max(20_000) });
const contextAnswer = z
  .strictObject({
    result: z.string().max(100_000).optional(),
    error: z.string().min(1).max(2_000).optional(),
    source: z.string().max(2_000).optional(),
  })
  .refine((answer) => (answer.result === undefined) !== (answer.error === undefined), {
    message: "give either result or error",
  });
const words = z.string().trim().min(1).max(2_000).optional();
/** Why it was decided so: `note` is kept for staff; `message` is told to the model whose call it was, or to whoever wrote or awaits the text. */
const why = { note: words, message: words };
const approvalAnswer = z
  .strictObject({ decision: z.enum(["once", "session", "deny"]), ...why })
  .refine(({ decision, message }) => decision === "deny" || message === undefined, {
    message: 'message goes with the decision "deny": of a call that is made the model reads the result; use note',
    path: ["message"],
  });
const reviewAnswer = z
  .strictObject({ decision: z.enum(["accept", "edit", "reject"]), content: z.string().max(200_000).optional(), ...why })
  .refine((answer) => (answer.decision === "edit") === (answer.content !== undefined), {
    message: 'content goes with the decision "edit", and only with it',
    path: ["content"],
  });

/** What may answer an ask of each kind. */
const answerSchemas = {
  human: humanAnswer,
  context: contextAnswer,
  approval: approvalAnswer,
  review: reviewAnswer,
} as const;

export const answerSchema = z.union([humanAnswer, contextAnswer, approvalAnswer, reviewAnswer]);
export type Answer = z.infer<typeof answerSchema>;

export const askSchema = z.object({
  askId: z.string(),
  kind: z.enum(askKinds),
  question: z.string(),
  context: z.string().optional(),
  reason: z.string().optional(),
  priority: z.enum(askPriorities),
  suggestions: z.array(z.string()).optional(),
  /** Any text, if nothing else is given. */
  accepts: z.enum(acceptedAnswers).optional(),
  /** What is proposed, for a review (text) or an approval (the call). */
  proposal: z.unknown().optional(),
  from: askOriginSchema,
  audience: z.enum(audiences),
  status: z.enum(["open", "answered", "expired", "cancelled"]),
  deadline: z.iso.datetime().optional(),
  /** Taken as the answer when the deadline passes; without one the ask just expires. */
  defaultResponse: answerSchema.optional(),
  answer: answerSchema.optional(),
  openedAt: z.iso.datetime(),
  closedAt: z.iso.datetime().optional(),
  /** Who answered or cancelled it; of an expired one its deadline. */
  closedBy: actorRecordSchema.optional(),
});
export type Ask = z.infer<typeof askSchema>;

const formerAskSchema = askSchema
  .omit({ from: true, audience: true })
  .extend({ raisedBy: z.object({ type: z.string(), id: z.string() }), answerableBy: z.string() })
  .transform(({ raisedBy, answerableBy, ...ask }): Ask => {
    const owner = askOwner(ask.askId);
    const root = owner === undefined ? {} : owner.startsWith("run_") ? { runId: owner } : { sessionId: owner };
    const turn = raisedBy.type === "turn" ? { turnId: raisedBy.id } : {};
    const call = raisedBy.type === "tool_call" ? { toolCallId: raisedBy.id } : {};
    return { ...ask, from: { ...root, ...turn, ...call, about: {} }, audience: audienceOf(answerableBy) };
  });

/** Asks as they are stored: those of the version before name no origin, and a least role in place of an audience. */
export const storedAskSchema = z.union([askSchema, formerAskSchema]);

/** What work says when it raises an ask. */
export interface AskRequest {
  readonly kind: AskKind;
  readonly question: string;
  readonly context?: string | undefined;
  readonly reason?: string | undefined;
  readonly priority?: (typeof askPriorities)[number] | undefined;
  readonly suggestions?: readonly string[] | undefined;
  readonly accepts?: (typeof acceptedAnswers)[number] | undefined;
  readonly proposal?: unknown;
  readonly source: AskSource;
  readonly audience?: Audience | undefined;
  /** From opening; absent or 0 means that it waits for ever. */
  readonly timeoutMs?: number | undefined;
  readonly defaultResponse?: Answer | undefined;
}

/** @param work what the object that owns the ask knows of the work that waits. */
export function openAsk(askId: string, request: AskRequest, work: AskWork, now: number): Ask {
  const { timeoutMs, suggestions, proposal, audience, priority, source, ...rest } = request;
  return withoutUndefined({
    ...rest,
    askId,
    priority: priority ?? "normal",
    from: originOf(work, source),
    audience: audience ?? "user",
    suggestions: suggestions === undefined ? undefined : [...suggestions],
    proposal,
    status: "open",
    openedAt: new Date(now).toISOString(),
    deadline: timeoutMs === undefined || timeoutMs === 0 ? undefined : new Date(now + timeoutMs).toISOString(),
  });
}

export type AnswerOutcome =
  /** The ask is closed by this; the work resumes. */
  | { readonly kind: "accepted"; readonly ask: Ask }
  /** It was closed with just this answer before; nothing changes. */
  | { readonly kind: "same"; readonly ask: Ask }
  | { readonly kind: "already_closed"; readonly ask: Ask }
  | { readonly kind: "forbidden" }
  | { readonly kind: "invalid"; readonly issues: readonly { path: string; message: string }[] };

/** Decides what an answer does: the first one wins, the same again is harmless, another is refused. */
export function answerAsk(ask: Ask, given: unknown, { by, asStaff }: Answerer, now: number): AnswerOutcome {
  if (!mayAnswer(ask, { by, asStaff })) return { kind: "forbidden" };
  const parsed = answerSchemas[ask.kind].safeParse(inItsKind(ask, given));
  if (!parsed.success) {
    return { kind: "invalid", issues: issuesOf(parsed.error) };
  }
  const answer = acceptedAnswer(ask, parsed.data);
  if (answer === undefined) return { kind: "invalid", issues: [{ path: "response", message: whatIsAccepted(ask) }] };
  const current = expireAsk(ask, now);
  if (current.status === "open") {
    const fault = "decision" in answer ? answerFault(ask, answer, by) : undefined;
    if (fault !== undefined) return { kind: "invalid", issues: [fault] };
    return { kind: "accepted", ask: close(current, "answered", by, now, answer) };
  }
  const same = current.status === "answered" && canonicalJson(current.answer) === canonicalJson(answer);
  return { kind: same ? "same" : "already_closed", ask: current };
}

/** `{response}` answers an ask of any kind, as far as its text does. */
function inItsKind(ask: Ask, given: unknown): unknown {
  const text = ask.kind === "human" ? undefined : humanAnswer.safeParse(given).data?.response;
  return text === undefined ? given : (answerInWords(ask, text) ?? given);
}

interface Accepting {
  readonly accepts?: Ask["accepts"];
  readonly suggestions?: readonly string[] | undefined;
}

export function choicesOf({ accepts, suggestions = [] }: Accepting): readonly string[] | undefined {
  if (accepts === "yes_no") return ["yes", "no"];
  // Where none are left (supervision may have taken them away), there is nothing to choose from.
  return accepts === "suggestions" && suggestions.length > 0 ? suggestions : undefined;
}

/** What may be pressed: the only answers, or those that are suggested. */
export function suggestedAnswers({ accepts, suggestions = [] }: Accepting): readonly string[] {
  return accepts === "yes_no" ? ["yes", "no"] : suggestions;
}

/** What was decided on a review or an approval, by whoever answered it or by its default. */
export function decisionOf({ answer }: Pick<Ask, "answer">) {
  return answer !== undefined && "decision" in answer ? answer : undefined;
}

/** The answer as the question spells it; nothing if the question doesn't accept it. */
export function acceptedAnswer(ask: Accepting, answer: Answer): Answer | undefined {
  const choices = choicesOf(ask);
  if (choices === undefined || !("response" in answer)) return answer;
  const wording = answer.response.trim().toLowerCase();
  const response = choices.find((choice) => choice.trim().toLowerCase() === wording);
  return response === undefined ? undefined : { response };
}

/** What would be right, in words. */
export function whatIsAccepted(ask: Accepting): string {
  return `answer with one of: ${(choicesOf(ask) ?? []).map((choice) => JSON.stringify(choice)).join(", ")}`;
}

/** Closes the ask if its deadline has passed, with its default response where it has one. */
export function expireAsk(ask: Ask, now: number): Ask {
  if (ask.status !== "open" || ask.deadline === undefined || Date.parse(ask.deadline) > now) return ask;
  return close(ask, "expired", { kind: "deadline", id: ask.askId }, now, ask.defaultResponse);
}

export type CancelOutcome = Extract<AnswerOutcome, { kind: "accepted" | "same" | "already_closed" }>;

/** Cancelling again is harmless; what was answered, or has expired, isn't cancelled any more. */
export function cancelAsk(ask: Ask, by: ActorRecord, now: number): CancelOutcome {
  const current = expireAsk(ask, now);
  if (current.status === "open") return { kind: "accepted", ask: close(current, "cancelled", by, now, undefined) };
  return { kind: current.status === "cancelled" ? "same" : "already_closed", ask: current };
}

function close(
  ask: Ask,
  status: "answered" | "expired" | "cancelled",
  by: ActorRecord,
  now: number,
  answer: Answer | undefined,
): Ask {
  return withoutUndefined({ ...ask, status, answer, closedAt: new Date(now).toISOString(), closedBy: recordOf(by) });
}

/** Drops the keys without a value, so that records compare and store as they read. */
function withoutUndefined(ask: { [Key in keyof Ask]: Ask[Key] | undefined }): Ask {
  return askSchema.parse(defined(ask));
}

/** Who answers, cancels or reads an ask. */
export interface Answerer {
  readonly by: ActorRecord;
  /** May answer what staff is asked: operators, and clients where the tenant lets them. */
  readonly asStaff: boolean;
}

/** What the end user is asked, the application may answer in their name; a token only what its own subject is asked. */
export function mayAnswer(ask: Ask, { by, asStaff }: Answerer): boolean {
  if (asStaff) return true;
  if (ask.audience === "staff" || by.role === undefined) return false;
  return by.role !== "user" || (by.subject !== undefined && by.subject === ask.from.subject);
}

/** Proposals and answers hold what isn't cleared yet: only who may answer an ask sees them. */
export function askShownTo(ask: Ask, reader: Answerer): Ask {
  if (reader.by.role === "user") return mayAnswer(ask, reader) ? withoutNote(withoutAgents(ask)) : bare(ask);
  if (mayAnswer(ask, reader)) return reader.asStaff ? ask : withoutNote(ask);
  const { proposal: _, answer: __, ...shown } = ask;
  return shown;
}

/** An end user knows of a question to staff that there is one, and whether it is open. */
export function askForUsers(ask: Ask): Ask {
  return ask.audience === "staff" ? bare(ask) : withoutAgents(ask);
}

/** A team's workers and a panel's seats are none of an end user's business. */
function withoutAgents(ask: Ask): Ask {
  const { agent: _, team: __, path: ___, ...from } = ask.from;
  return { ...ask, from };
}

function bare({ askId, kind, priority, audience, status, openedAt, closedAt, from: { sessionId, turnId } }: Ask): Ask {
  const from = { sessionId, turnId, about: {} };
  return { askId, kind, question: "Staff is asked.", priority, audience, status, openedAt, closedAt, from };
}

/** Everybody who follows the work reads events: who may answer reads what isn't cleared yet from the ask itself. */
export function askForAll(ask: Ask): Ask {
  const { proposal: _, answer, ...shown } = withoutNote(ask);
  return ask.audience === "staff" || answer === undefined ? shown : { ...shown, answer };
}

/** A note is for staff. */
function withoutNote(ask: Ask): Ask {
  if (ask.answer === undefined || !("note" in ask.answer)) return ask;
  const { note: _, ...answer } = ask.answer;
  return { ...ask, answer };
}

/** What is left of an ask when the texts that it is about were erased: that it was, and what became of it. */
export function withoutTexts(ask: Ask): Ask {
  const { context: _, reason: __, suggestions: ___, proposal: ____, ...rest } = ask;
  const { defaultResponse: _____, answer: ______, ...left } = rest;
  return { ...left, question: "[erased]", from: withoutMessage(ask.from) };
}

/** An ask of work whose message was erased: what else it says stays. */
export function withoutItsMessage(ask: Ask): Ask {
  return { ...ask, from: withoutMessage(ask.from) };
}

/** The id of the object that owns an ask, as the ask's id says; `undefined` when it is no ask's id. */
export function askOwner(askId: string): string | undefined {
  return /^ask_[0-9a-z]{26}_([a-z]+_[0-9a-z]{26})$/.exec(askId)?.[1];
}
