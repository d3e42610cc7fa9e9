/**
 * The context requests of a debate while it is worked on: what seats ask for, what became of it, and what of that supervision lets
 * seats read. The asks themselves are the kit's; what is decided about them is in `context-request.ts`.
 */
import { z } from "zod";
import { withWords } from "../asks/answer.js";
import type { Ask, AskRequest } from "../asks/ask.js";
import { defined } from "../conversation/defined.js";
import {
  type ContextAsker,
  type ContextRequest,
  contextRequestSchema,
  decideRequest,
  newRequest,
  type RequestedContext,
  type RequestOutcome,
  withAsker,
} from "./context-request.js";
import { resolve } from "./context-results.js";
import type { RequestPolicy } from "./panel.js";
import { roundtableServer } from "./position.js";

export const bookedRequestSchema = z.object({
  /** As it was asked and answered: for the caller who gave the answer, and for supervision. */
  request: contextRequestSchema,
  /** What supervision made of the answer; until then no seat reads it. */
  cleared: contextRequestSchema.pick({ status: true, result: true, error: true, source: true }).optional(),
});
export type BookedRequest = z.infer<typeof bookedRequestSchema>;

export interface RequestBookPorts {
  /** Opens an ask for a call, or finds the one that it has opened; waits for nothing. */
  readonly open: (callId: string, request: AskRequest) => Ask;
  /** A request is new or has changed: stores it. */
  readonly save: (booked: BookedRequest) => void;
  /** What is stored, where others write to it as well. */
  readonly stored?: () => readonly BookedRequest[];
}

export class RequestBook {
  private booked: readonly BookedRequest[];

  constructor(
    known: readonly BookedRequest[],
    private readonly policy: RequestPolicy,
    private readonly ports: RequestBookPorts,
  ) {
    this.booked = known;
  }

  /** Takes up what is stored by now: an answer may have come since. */
  refresh(): void {
    this.booked = this.ports.stored?.() ?? this.booked;
  }

  /** As they were asked and answered. */
  all(): readonly ContextRequest[] {
    return this.booked.map(({ request }) => request).toSorted((a, b) => a.number - b.number);
  }

  /** As readers see them. */
  shown(): readonly ContextRequest[] {
    return this.booked.map(shownRequest).toSorted((a, b) => a.number - b.number);
  }

  /** As seats may read them: an answer that isn't cleared yet isn't there yet. */
  forSeats(): readonly ContextRequest[] {
    return this.booked.map(effective).toSorted((a, b) => a.number - b.number);
  }

  /** Answers that supervision hasn't seen. */
  uncleared(): readonly ContextRequest[] {
    return this.booked
      .filter(({ request, cleared }) => request.status === "answered" && cleared === undefined)
      .map(({ request }) => request);
  }

  /** Decides on a call and stores what follows from it, synchronously: of two seats that ask for the same, one opens the request. */
  ask(callId: string, asked: RequestedContext): RequestOutcome {
    this.refresh();
    const decision = decideRequest(this.forSeats(), asked, this.policy);
    if (decision.kind === "open") return { kind: "open", request: this.join(decision.request.requestId, asked) };
    if (decision.kind !== "new") return decision;
    const { askId, openedAt } = this.ports.open(callId, askOf(callId, asked, this.policy));
    const request = newRequest(this.all(), asked, { requestId: askId, openedAt });
    this.put({ request });
    return { kind: "new", request };
  }

  /** Takes up what came of a call before an interruption, where the book was lost with it. */
  restore(asked: RequestedContext, outcome: RequestOutcome): void {
    if (outcome.kind === "refused" || outcome.kind === "known") return;
    this.refresh();
    const { requestId } = outcome.request;
    const known = this.booked.find(({ request }) => request.requestId === requestId);
    if (known === undefined) this.booked = [...this.booked, { request: { ...outcome.request, status: "open" } }];
    else this.join(requestId, asked);
  }

  /** What became of the asks meanwhile. */
  sync(asks: readonly Ask[]): void {
    for (const ask of asks) {
      const known = this.booked.find(({ request }) => request.requestId === ask.askId);
      if (known?.request.status !== "open" || ask.status === "open") continue;
      this.put({ ...known, request: closedBy(known.request, ask) });
    }
  }

  /** Requests that were resolved or closed outside of their asks. */
  replace(requests: readonly ContextRequest[]): void {
    for (const request of requests) this.put({ request });
  }

  /** What supervision made of an answer. */
  clear(requestId: string, cleared: NonNullable<BookedRequest["cleared"]>): void {
    this.refresh();
    const known = this.booked.find(({ request }) => request.requestId === requestId);
    if (known !== undefined) this.put({ ...known, cleared });
  }

  private join(requestId: string, asked: ContextAsker): ContextRequest {
    const known = this.booked.find(({ request }) => request.requestId === requestId);
    if (known === undefined) throw new RangeError(`the request ${requestId} isn't in the book`);
    const request = withAsker(known.request, asked);
    this.put({ ...known, request });
    return request;
  }

  private put(booked: BookedRequest): void {
    const { requestId } = booked.request;
    const others = this.booked.filter(({ request }) => request.requestId !== requestId);
    this.booked = [...others, booked];
    this.ports.save(booked);
  }
}

/** A request as seats may read it: an answer that isn't cleared yet isn't there yet. */
function effective(booked: BookedRequest): ContextRequest {
  const shown = shownRequest(booked);
  return shown.status === "answered" && booked.cleared === undefined ? { ...shown, status: "open" } : shown;
}

/** A request as readers see it: answered at once, and with what supervision left of the answer as soon as it has looked at it. */
export function shownRequest({ request, cleared }: BookedRequest): ContextRequest {
  if (request.status !== "answered") return request;
  const { result: _, error: __, source: ___, ...rest } = request;
  return { ...rest, ...cleared };
}

function askOf(callId: string, asked: RequestedContext, { audience, timeoutMs }: RequestPolicy): AskRequest {
  const { query, reason, priority, seat } = asked;
  return {
    kind: "context",
    question: query,
    reason,
    priority,
    audience,
    timeoutMs,
    source: { agent: seat, tool: `${roundtableServer}/request_context`, toolCallId: callId },
  };
}

/** @param ask one that is closed */
function closedBy(request: ContextRequest, { status, answer, closedAt }: Ask): ContextRequest {
  const closed = { ...request, ...defined({ closedAt }) };
  const given = answer !== undefined && !("response" in answer) && !("decision" in answer) ? answer : undefined;
  if (given === undefined) return { ...closed, status: status === "expired" ? "expired" : "withdrawn" };
  const source = given.source === undefined ? {} : { source: given.source };
  const at = closedAt ?? request.openedAt;
  const { result, error = "It could not be found." } = given;
  return result !== undefined && result.trim() !== ""
    ? resolve(request, { kind: "result", result: withWords(result, given.message), ...source }, at)
    : resolve(request, { kind: "unavailable", error, ...source }, at);
}
