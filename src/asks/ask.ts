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

import { type Answer, acceptedAnswer, acceptedAnswers, answerSchema, answerSchemas, whatIsAccepted } from "./answer.js";
import { answerInWords } from "./answer-in-words.js";
import { type Claim, type Claimant, claimOfAnother, claimSchema } from "./claim.js";
import { type AskSource, type AskWork, askOriginSchema, originOf } from "./origin.js";
import { type AskKind, type Audience, askKinds, audienceOf, audiences, overdueAfter } from "./policy.js";
import { answerFaults, type CheckArguments, withoutSameArguments } from "./proposal.js";

export type { AskKind };
export { askKinds };

const text = z.string();
const optionalText = text.optional();
const time = z.iso.datetime();
const optionalTime = time.optional();

export const askPriorities = ["low", "normal", "high", "critical", "required", "optional"] as const;

const optionalAnswer = answerSchema.optional();
const optionalClaim = claimSchema.optional();

export const askSchema = z.object({
  askId: text,
  kind: z.enum(askKinds),
  question: text,
  context: optionalText,
  reason: optionalText,
  priority: z.enum(askPriorities),
  suggestions: z.array(text).optional(),
  /** Any text, if nothing else is given. */
  accepts: z.enum(acceptedAnswers).optional(),
  /** What is proposed, for a review (text) or an approval (the call). */
  proposal: z.unknown().optional(),
  /** The beginning of what is proposed or asked, for who may answer: it isn't stored. */
  preview: optionalText,
  from: askOriginSchema,
  audience: z.enum(audiences),
  status: z.enum(["open", "answered", "expired", "cancelled"]),
  deadline: optionalTime,
  /** From then on it has waited for too long, as its policy says. */
  overdueAt: optionalTime,
  /** Who of the staff is at it: for as long as it holds, nobody else of them answers it by accident. */
  claim: optionalClaim,
  /** Who of the staff has put it off, and until when the inbox doesn't show it. */
  deferred: optionalClaim,
  /** When the user whom it is for closed it last without an answer: it stays open. */
  declinedAt: optionalTime,
  /** Taken as the answer when the deadline passes; without one the ask just expires. */
  defaultResponse: optionalAnswer,
  answer: optionalAnswer,
  openedAt: time,
  closedAt: optionalTime,
  /** Who answered or cancelled it; of an expired one its deadline. */
  closedBy: actorRecordSchema.optional(),
  /** Of those that were decided together: the same for each. */
  batchId: optionalText,
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
  /** From opening, when it has waited for too long; 0: never. */
  readonly overdueAfterMs?: number | undefined;
  readonly defaultResponse?: Answer | undefined;
}

/** @param work what the object that owns the ask knows of the work that waits. */
export function openAsk(askId: string, request: AskRequest, work: AskWork, now: number): Ask {
  const { timeoutMs, overdueAfterMs, suggestions, proposal, audience = "user", priority, source, ...rest } = request;
  const overdueMs = overdueAfter({ audience, timeoutMs, overdueAfterMs });
  return withoutUndefined({
    ...rest,
    askId,
    priority: priority ?? "normal",
    from: originOf(work, source),
    audience,
    suggestions: suggestions === undefined ? undefined : [...suggestions],
    proposal,
    status: "open",
    openedAt: new Date(now).toISOString(),
    deadline: timeoutMs === undefined || timeoutMs === 0 ? undefined : new Date(now + timeoutMs).toISOString(),
    overdueAt: overdueMs === undefined ? undefined : new Date(now + overdueMs).toISOString(),
  });
}

export type AnswerOutcome =
  /** The ask is closed by this; the work resumes. */
  | { readonly kind: "accepted"; readonly ask: Ask }
  /** It was closed with just this answer before; nothing changes. */
  | { readonly kind: "same"; readonly ask: Ask }
  | { readonly kind: "already_closed"; readonly ask: Ask }
  | { readonly kind: "forbidden" }
  /** Somebody else of the staff is at it. */
  | { readonly kind: "claimed"; readonly claim: Claim }
  | { readonly kind: "invalid"; readonly issues: readonly { path: string; message: string }[] };

/**
 * Decides what an answer does: the first one wins, the same again is harmless, another is refused; so is one to an ask that somebody else
 * has claimed.
 * @param checkArguments says what is wrong with arguments that a call is to be made with instead.
 */
export function answerAsk(
  ask: Ask,
  given: unknown,
  answerer: Answerer,
  now: number,
  checkArguments: CheckArguments = () => [],
): AnswerOutcome {
  if (!mayAnswer(ask, answerer)) return { kind: "forbidden" };
  const parsed = answerSchemas[ask.kind].safeParse(inItsKind(ask, given));
  if (!parsed.success) {
    return { kind: "invalid", issues: issuesOf(parsed.error) };
  }
  const accepted = acceptedAnswer(ask, parsed.data);
  if (accepted === undefined) return { kind: "invalid", issues: [{ path: "response", message: whatIsAccepted(ask) }] };
  const answer = withoutSameArguments(ask, accepted);
  const current = expireAsk(ask, now);
  if (current.status === "open") {
    const claim = claimOfAnother(ask, answerer, now);
    if (claim !== undefined) return { kind: "claimed", claim };
    const faults = "decision" in answer ? answerFaults(current, answer, answerer.by, checkArguments) : [];
    if (faults.length > 0) return { kind: "invalid", issues: faults };
    const closed = close(current, "answered", answerer.by, now, answer);
    return { kind: "accepted", ask: { ...closed, ...defined({ batchId: answerer.batchId }) } };
  }
  const same = current.status === "answered" && canonicalJson(current.answer) === canonicalJson(answer);
  return { kind: same ? "same" : "already_closed", ask: current };
}

/** `{response}` answers an ask of any kind, as far as its text does. */
function inItsKind(ask: Ask, given: unknown): unknown {
  const written = ask.kind === "human" ? undefined : answerSchemas.human.safeParse(given).data;
  if (written === undefined) return given;
  const { response, ...why } = written;
  const answer = answerInWords(ask, response);
  return answer === undefined ? given : { ...answer, ...why };
}

/** Closes the ask if its deadline has passed, with its default response where it has one. */
export function expireAsk(ask: Ask, now: number): Ask {
  if (ask.status !== "open" || ask.deadline === undefined || Date.parse(ask.deadline) > now) return ask;
  return close(ask, "expired", { kind: "deadline", id: ask.askId }, now, ask.defaultResponse);
}

type CancelOutcome = Extract<AnswerOutcome, { kind: "accepted" | "same" | "already_closed" }>;

/** Cancelling again is harmless; what was answered, or has expired, isn't cancelled any more. */
export function cancelAsk(ask: Ask, by: ActorRecord, now: number): CancelOutcome {
  const current = expireAsk(ask, now);
  if (current.status === "open") return { kind: "accepted", ask: close(current, "cancelled", by, now, undefined) };
  return { kind: current.status === "cancelled" ? "same" : "already_closed", ask: current };
}

/** Who may answer an ask may cancel it, unless somebody else is at it. */
export function cancelAskBy(ask: Ask, answerer: Answerer, now: number): AnswerOutcome {
  if (!mayAnswer(ask, answerer)) return { kind: "forbidden" };
  const claim = ask.status === "open" ? claimOfAnother(ask, answerer, now) : undefined;
  if (claim !== undefined) return { kind: "claimed", claim };
  return cancelAsk(ask, answerer.by, now);
}

function close(
  ask: Ask,
  status: "answered" | "expired" | "cancelled",
  by: ActorRecord,
  now: number,
  answer: Answer | undefined,
): Ask {
  return withoutUndefined({
    ...ask,
    claim: undefined,
    deferred: undefined,
    status,
    answer,
    closedAt: new Date(now).toISOString(),
    closedBy: recordOf(by),
  });
}

/** Drops the keys without a value, so that records compare and store as they read. */
function withoutUndefined(ask: { [Key in keyof Ask]: Ask[Key] | undefined }): Ask {
  return askSchema.parse(defined(ask));
}

/** Who answers, cancels, claims or reads an ask. As staff: operators, and clients where the tenant lets them. */
export type Answerer = Omit<Claimant, "takeOver"> & {
  /** It is decided together with others. */
  readonly batchId?: string | undefined;
};

/** What the end user is asked, the application may answer in their name; a token only what its own subject is asked. */
export function mayAnswer(ask: Ask, { by, asStaff }: Answerer): boolean {
  if (asStaff) return true;
  if (ask.audience === "staff" || by.role === undefined) return false;
  return by.role !== "user" || (by.subject !== undefined && by.subject === ask.from.subject);
}

/** The id of the object that owns an ask, as the ask's id says; `undefined` when it is no ask's id. */
export function askOwner(askId: string): string | undefined {
  return /^ask_[0-9a-z]{26}_([a-z]+_[0-9a-z]{26})$/.exec(askId)?.[1];
}
