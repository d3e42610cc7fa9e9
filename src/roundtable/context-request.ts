/**
 * What seats ask for that the debate doesn't hold: one request however many ask for it, kept for the whole debate. Everything here
 * is a pure function over the list of a debate's requests.
 */

import { z } from "zod";
import { questionLikeness } from "../text/question-likeness.js";
import { plainWords } from "../text/tokenizer.js";
import type { RequestPolicy } from "./panel.js";
import type { CitableContext } from "./position.js";

export const contextPriorities = ["required", "optional"] as const;
export type ContextPriority = (typeof contextPriorities)[number];

export const requestStatuses = ["open", "answered", "unavailable", "withdrawn", "skipped", "expired"] as const;

const askerSchema = z.object({
  /** The id of the seat. */
  seat: z.string(),
  round: z.int(),
  reason: z.string(),
  priority: z.enum(contextPriorities),
});
/** One seat that asked for it, and how it did. */
export type ContextAsker = z.infer<typeof askerSchema>;
/** What a seat asks for, and how. */
export type RequestedContext = ContextAsker & { readonly query: string };

export const contextRequestSchema = z.object({
  /** That of its ask. */
  requestId: z.string(),
  /** From 1, in the order of the debate: seats know it as `C1`. */
  number: z.int(),
  /** The words of the first asker. */
  query: z.string(),
  /** The strictest of its askers'. */
  priority: z.enum(contextPriorities),
  /** The round in which it was opened. */
  round: z.int(),
  askers: z.array(askerSchema),
  status: z.enum(requestStatuses),
  result: z.string().optional(),
  /** Why it could not be had. */
  error: z.string().optional(),
  source: z.string().optional(),
  openedAt: z.iso.datetime(),
  closedAt: z.iso.datetime().optional(),
});
export type ContextRequest = z.infer<typeof contextRequestSchema>;

/** What is limited and compared of requests. */
export type RequestLimits = Pick<RequestPolicy, "maxPerSeat" | "max" | "priority" | "minLikeness">;

export const requestLengths = { query: 1_000, reason: 500 } as const;

const argumentsSchema = z.object({
  query: z.string().trim().min(1).max(requestLengths.query),
  reason: z.string().trim().min(1).max(requestLengths.reason),
  priority: z
    .preprocess((given) => (typeof given === "string" ? given.trim().toLowerCase() : given), z.enum(contextPriorities))
    .default("required"),
});
export type RequestArguments = z.infer<typeof argumentsSchema>;

/** The arguments of `request_context`, or why they can't be used. */
export function readRequest(
  args: unknown,
): { readonly ok: true; readonly asked: RequestArguments } | { readonly ok: false; readonly problem: string } {
  const parsed = argumentsSchema.safeParse(args);
  if (parsed.success) return { ok: true, asked: parsed.data };
  const [issue] = parsed.error.issues;
  return { ok: false, problem: `${issue?.path.join(".") || "the request"}: ${issue?.message ?? "it can't be read"}` };
}

/** What is compared of a request. */
export type ComparableRequest = Pick<ContextRequest, "query" | "status">;

interface MatchedRequest<R> {
  readonly request: R;
  /** `words`: letter case, spaces and punctuation aside the very same. `meaning`: their likeness is at least what is demanded. */
  readonly match: "words" | "meaning";
}

/** Of requests that are equally like: the one that helps most. */
const usefulness: readonly ComparableRequest["status"][] = [
  "answered",
  "open",
  "unavailable",
  "skipped",
  "expired",
  "withdrawn",
];

/**
 * The request that asks what the query asks. Which one it is doesn't depend on the order of the list, as long as no two of them have the
 * same words and status.
 * @param minLikeness from 0 to 1, as `questionLikeness` returns it.
 * @example findRequest([{ query: "What's our monthly budget?", status: "open" }], "our budget, monthly", 0.8)?.match // "meaning"
 */
export function findRequest<R extends ComparableRequest>(
  requests: readonly R[],
  query: string,
  minLikeness: number,
): MatchedRequest<R> | undefined {
  const words = sameWords(query);
  const found = requests.flatMap((request) => {
    const theirs = sameWords(request.query);
    const likeness = theirs === words ? identical : questionLikeness(query, request.query);
    return likeness >= minLikeness ? [{ request, likeness, theirs }] : [];
  });
  const [best] = found.toSorted(
    (a, b) =>
      b.likeness - a.likeness ||
      usefulness.indexOf(a.request.status) - usefulness.indexOf(b.request.status) ||
      (a.theirs < b.theirs ? -1 : 1),
  );
  return best === undefined
    ? undefined
    : { request: best.request, match: best.likeness === identical ? "words" : "meaning" };
}

/** Above any likeness of meaning. */
const identical = 2;

function sameWords(query: string): string {
  return plainWords(query.normalize("NFKC")).join(" ");
}

/** What came of a call, as it is journalled. */
export const requestOutcomeSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("new"), request: contextRequestSchema }),
  /** Somebody asks for it already. */
  z.object({ kind: z.literal("open"), request: contextRequestSchema }),
  /** It was asked for before and is closed: answered, or not to be had. */
  z.object({ kind: z.literal("known"), request: contextRequestSchema, match: z.enum(["words", "meaning"]) }),
  /** Beyond what may be asked. */
  z.object({ kind: z.literal("refused"), why: z.string() }),
]);
export type RequestOutcome = z.infer<typeof requestOutcomeSchema>;
export type RequestDecision = { readonly kind: "new" } | Exclude<RequestOutcome, { kind: "new" }>;

/** What becomes of a request: one that is there already is found again, for any asker and in any round. */
export function decideRequest(
  requests: readonly ContextRequest[],
  asked: RequestedContext,
  limits: RequestLimits,
): RequestDecision {
  const found = findRequest(requests, asked.query, limits.minLikeness);
  if (found?.request.status === "open") return { kind: "open", request: found.request };
  // What went unanswered while it seemed dispensable may be asked for anew: now somebody can't do without.
  const isNeededNow = found?.request.status === "withdrawn" && asked.priority === "required";
  if (found !== undefined && !isNeededNow) return { kind: "known", ...found };
  if (limits.priority === "required" && asked.priority === "optional") {
    return { kind: "refused", why: "only what is required may be asked for in this debate" };
  }
  const own = requests.filter(({ askers: [first] }) => first?.seat === asked.seat && first.round === asked.round);
  if (own.length >= limits.maxPerSeat) {
    return { kind: "refused", why: `a seat may ask for ${limits.maxPerSeat} things in a round, and you have` };
  }
  if (requests.length >= limits.max) {
    return { kind: "refused", why: `this debate may ask for ${limits.max} things, and has` };
  }
  return { kind: "new" };
}

export function newRequest(
  requests: readonly ContextRequest[],
  { query, ...asker }: RequestedContext,
  opened: Pick<ContextRequest, "requestId" | "openedAt">,
): ContextRequest {
  const number = Math.max(0, ...requests.map((request) => request.number)) + 1;
  const { priority, round } = asker;
  return { ...opened, number, query, priority, round, askers: [asker], status: "open" };
}

/** The request with one more asker; a seat that asks again in the same round is the same asker. */
export function withAsker(request: ContextRequest, asked: ContextAsker): ContextRequest {
  const { seat, round, reason, priority } = asked;
  const before = request.askers.find((asker) => asker.seat === seat && asker.round === round);
  const askers =
    before === undefined
      ? [...request.askers, { seat, round, reason, priority }]
      : request.askers.map((asker) =>
          asker === before ? { ...asker, priority: strictest([asker.priority, priority]) } : asker,
        );
  return { ...request, askers, priority: strictest(askers.map((asker) => asker.priority)) };
}

function strictest(priorities: readonly ContextPriority[]): ContextPriority {
  return priorities.includes("required") ? "required" : "optional";
}

/** What is awaited; `blocking` when a required request is among it. */
export function awaitedContext(requests: readonly ContextRequest[]): {
  readonly open: readonly ContextRequest[];
  readonly blocking: boolean;
} {
  const open = requests.filter(({ status }) => status === "open");
  return { open, blocking: open.some(({ priority }) => priority === "required") };
}

/** The seats that a required request holds up: those that asked for it as required. */
export function waitingSeats(requests: readonly ContextRequest[]): ReadonlySet<string> {
  return new Set(
    awaitedContext(requests).open.flatMap(({ askers }) =>
      askers.filter(({ priority }) => priority === "required").map(({ seat }) => seat),
    ),
  );
}

/** The seats whose requests of a round came back, answered or not to be had. */
export function seatsWithNews(
  requests: readonly ContextRequest[],
  round: number,
  priority: "all" | "required" = "all",
): ReadonlySet<string> {
  return new Set(
    requests
      .filter(({ status }) => status === "answered" || status === "unavailable")
      .flatMap(({ askers }) =>
        askers
          .filter((asker) => asker.round === round && (priority === "all" || asker.priority === "required"))
          .map(({ seat }) => seat),
      ),
  );
}

/** What seats call a request. @example labelOf({ number: 3 }) // "C3" */
export function labelOf({ number }: Pick<ContextRequest, "number">): string {
  return `C${number}`;
}

/** The answers that a position may cite. */
export function citableContext(requests: readonly ContextRequest[]): CitableContext[] {
  return requests
    .filter(({ status }) => status === "answered")
    .map((request) => ({ requestId: request.requestId, label: labelOf(request) }));
}

export const contextRequestViewSchema = z.object({
  requestId: z.string(),
  /** The same as `requestId`; that of its ask in the inbox, too. */
  id: z.string(),
  askId: z.string(),
  /** What seats call it: `C1`. */
  label: z.string(),
  /** The seat that asked first; `agentIds` has all of them. */
  agentId: z.string(),
  agentIds: z.array(z.string()),
  query: z.string(),
  /** That of the first asker; `reasons` has all of them. */
  reason: z.string(),
  reasons: z.array(z.string()),
  priority: z.enum(contextPriorities),
  /** The round in which it was asked first. */
  round: z.int(),
  status: z.enum(requestStatuses),
  timestamp: z.iso.datetime(),
  /** As supervision let it pass; absent until then. */
  result: z.string().optional(),
  error: z.string().optional(),
  source: z.string().optional(),
  closedAt: z.iso.datetime().optional(),
});
export type ContextRequestView = z.infer<typeof contextRequestViewSchema>;

/** A request as callers see it. */
export function viewOfRequest(request: ContextRequest): ContextRequestView {
  const { requestId, askers, openedAt, number: _, ...rest } = request;
  const [first] = askers;
  return {
    ...rest,
    requestId,
    id: requestId,
    askId: requestId,
    label: labelOf(request),
    agentId: first?.seat ?? "",
    agentIds: [...new Set(askers.map(({ seat }) => seat))],
    reason: first?.reason ?? "",
    reasons: [...new Set(askers.map(({ reason }) => reason))],
    timestamp: openedAt,
  };
}
