/**
 * The ask: a durable question that work is waiting on. The object that waits owns it and decides about it; the inbox in D1 is
 * a copy. Everything here is a pure function over the record, what was answered, and `now`.
 */
import { z } from "zod";
import { issuesOf } from "../conversation/issues.js";

/** Roles in growing order of what they may do. A role may answer what a lesser one may. */
export const roles = ["client", "operator", "admin"] as const;
export type Role = (typeof roles)[number];

export const askKinds = ["human", "context", "approval", "review"] as const;
export type AskKind = (typeof askKinds)[number];

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
const approvalAnswer = z.strictObject({ decision: z.enum(["once", "session", "deny"]) });
const reviewAnswer = z
  .strictObject({ decision: z.enum(["accept", "edit", "reject"]), content: z.string().max(200_000).optional() })
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
  raisedBy: z.object({ type: z.string(), id: z.string() }),
  answerableBy: z.enum(roles),
  status: z.enum(["open", "answered", "expired", "cancelled"]),
  deadline: z.iso.datetime().optional(),
  /** Taken as the answer when the deadline passes; without one the ask just expires. */
  defaultResponse: answerSchema.optional(),
  answer: answerSchema.optional(),
  openedAt: z.iso.datetime(),
  closedAt: z.iso.datetime().optional(),
});
export type Ask = z.infer<typeof askSchema>;

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
  readonly raisedBy: { readonly type: string; readonly id: string };
  readonly answerableBy?: Role | undefined;
  /** From opening; absent or 0 means that it waits for ever. */
  readonly timeoutMs?: number | undefined;
  readonly defaultResponse?: Answer | undefined;
}

export function openAsk(askId: string, request: AskRequest, now: number): Ask {
  const { timeoutMs, suggestions, proposal, answerableBy, priority, ...rest } = request;
  return withoutUndefined({
    ...rest,
    askId,
    priority: priority ?? "normal",
    answerableBy: answerableBy ?? "client",
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
  | { readonly kind: "forbidden"; readonly needs: Role }
  | { readonly kind: "invalid"; readonly issues: readonly { path: string; message: string }[] };

/** Decides what an answer does: the first one wins, the same again is harmless, another is refused. */
export function answerAsk(ask: Ask, given: unknown, by: Role, now: number): AnswerOutcome {
  if (!mayAnswer(ask, by)) return { kind: "forbidden", needs: ask.answerableBy };
  const parsed = answerSchemas[ask.kind].safeParse(given);
  if (!parsed.success) {
    return { kind: "invalid", issues: issuesOf(parsed.error) };
  }
  const answer = acceptedAnswer(ask, parsed.data);
  if (answer === undefined) return { kind: "invalid", issues: [{ path: "response", message: whatIsAccepted(ask) }] };
  const current = expireAsk(ask, now);
  if (current.status === "open") {
    return { kind: "accepted", ask: close(current, "answered", now, answer) };
  }
  const same = current.status === "answered" && canonical(current.answer) === canonical(answer);
  return { kind: same ? "same" : "already_closed", ask: current };
}

type Accepting = Pick<Ask, "accepts" | "suggestions">;

function choicesOf({ accepts, suggestions = [] }: Accepting): readonly string[] | undefined {
  if (accepts === "yes_no") return ["yes", "no"];
  // Where none are left (supervision may have taken them away), there is nothing to choose from.
  return accepts === "suggestions" && suggestions.length > 0 ? suggestions : undefined;
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
  return close(ask, "expired", now, ask.defaultResponse);
}

export function cancelAsk(ask: Ask, now: number): Ask {
  return ask.status === "open" ? close(ask, "cancelled", now, undefined) : ask;
}

function close(ask: Ask, status: "answered" | "expired" | "cancelled", now: number, answer: Answer | undefined): Ask {
  return withoutUndefined({ ...ask, status, answer, closedAt: new Date(now).toISOString() });
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    inner !== null && typeof inner === "object" && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}

/** Drops the keys without a value, so that records compare and store as they read. */
function withoutUndefined(ask: { [Key in keyof Ask]: Ask[Key] | undefined }): Ask {
  return askSchema.parse(Object.fromEntries(Object.entries(ask).filter(([, value]) => value !== undefined)));
}

/** Proposals and answers hold what isn't cleared yet: only who may answer an ask sees them. */
export function askShownTo(ask: Ask, role: Role): Ask {
  if (mayAnswer(ask, role)) return ask;
  const { proposal: _, answer: __, ...shown } = ask;
  return shown;
}

/** Everybody reads events: who may answer reads what isn't cleared yet from the ask itself. */
export function askForAll(ask: Ask): Ask {
  const { proposal: _, ...shown } = askShownTo(ask, "client");
  return shown;
}

const hooked = z.object({ hook: z.string() });

/** The hook whose text a review holds; asks of other kinds have none. */
export function hookOf({ proposal }: Ask): string | undefined {
  return hooked.safeParse(proposal).data?.hook;
}

/** What is left of an ask when the texts that it is about were erased: that it was, and what became of it. */
export function withoutTexts(ask: Ask): Ask {
  const { askId, kind, priority, raisedBy, answerableBy, status, deadline, openedAt, closedAt } = ask;
  const question = "[erased]";
  return withoutUndefined({
    ...{ askId, kind, question, priority, raisedBy, answerableBy, status, deadline, openedAt, closedAt },
    ...{ context: undefined, reason: undefined, suggestions: undefined, proposal: undefined },
    ...{ defaultResponse: undefined, answer: undefined },
  });
}

export function mayAnswer(ask: Ask, role: Role): boolean {
  return roles.indexOf(role) >= roles.indexOf(ask.answerableBy);
}

const askIdPattern = /^ask_[0-9a-z]{26}_([a-z]+_[0-9a-z]{26})$/;

/** The id of the object that owns an ask, as the ask's id says; `undefined` when it is no ask's id. */
export function askOwner(askId: string): string | undefined {
  return askIdPattern.exec(askId)?.[1];
}
