/**
 * What callers bring of what was asked for. The design that this follows shows results in two shapes; both are read, and each item
 * gets an outcome of its own, so that one bad item spoils no other.
 */
import { z } from "zod";
import type { ContextRequest } from "./context-request.js";

const longestResult = 100_000;

const text = (most: number) => z.string().max(most).nullish();

/** As it is sent: {requestId, success?, result?, error?} or {requestId, content, source?}; `id` for `requestId`. */
export const contextResultSchema = z.strictObject({
  requestId: text(200),
  id: text(200),
  success: z.boolean().nullish(),
  result: text(longestResult),
  /** The same as `result`. An empty text means that it could not be found. */
  content: text(longestResult),
  error: text(2_000),
  source: text(2_000),
});
export type ContextResult = z.input<typeof contextResultSchema>;

type Resolution =
  | { readonly kind: "result"; readonly result: string; readonly source?: string }
  | { readonly kind: "unavailable"; readonly error: string; readonly source?: string };

export type ReadResult = { readonly requestId: string } & (
  | Resolution
  /** It says two things at once, or nothing. */
  | { readonly kind: "contradictory"; readonly detail: string }
);

const notFound = "It could not be found.";
const notHad = "It could not be had.";

/**
 * What an item says, whatever its shape.
 * @example readResult({ requestId: "ask_1", content: "12 %" }) // { requestId: "ask_1", kind: "result", result: "12 %" }
 */
export function readResult({ requestId, id, success, result, content, error, source }: ContextResult): ReadResult {
  const named = requestId ?? id ?? "";
  const contradictory = (detail: string): ReadResult => ({ requestId: named, kind: "contradictory", detail });
  if (named === "") return contradictory("it names no request: give its requestId");
  if (requestId != null && id != null && requestId !== id) return contradictory("requestId and id differ");
  if (result != null && content != null && result !== content) return contradictory("result and content differ");
  const answer = result ?? content;
  const hasAnswer = answer != null && answer.trim() !== "";
  const problem = error?.trim() ?? "";
  if (problem !== "" && success === true) return contradictory("success is true, and there is an error");
  if (problem !== "" && hasAnswer) return contradictory("there is a result and an error; give one of them");
  if (success === false && hasAnswer) return contradictory("success is false, and there is a result");
  const from = source == null || source.trim() === "" ? {} : { source: source.trim() };
  if (hasAnswer) return { requestId: named, kind: "result", result: answer, ...from };
  if (problem !== "") return { requestId: named, kind: "unavailable", error: problem, ...from };
  if (success === false) return { requestId: named, kind: "unavailable", error: notHad, ...from };
  if (answer != null) return { requestId: named, kind: "unavailable", error: notFound, ...from };
  return contradictory("there is neither a result nor an error");
}

const resultOutcomes = ["accepted", "same", "conflict", "unknown", "contradictory", "withdrawn"] as const;

export const resultOutcomeSchema = z.object({
  requestId: z.string(),
  /**
   * `same`: it had this very answer. `conflict`: it has another. `unknown`: this debate has no such request. `contradictory`: the item
   * says two things at once. `withdrawn`: it came after the debate had ended.
   */
  outcome: z.enum(resultOutcomes),
  detail: z.string().optional(),
});
export type ResultOutcome = z.infer<typeof resultOutcomeSchema>;

export interface AppliedResults {
  /** One an item, in their order. */
  readonly outcomes: readonly ResultOutcome[];
  /** What was accepted: these requests have an answer now, or are known not to be had. */
  readonly accepted: readonly ContextRequest[];
}

/**
 * What these results come to, item by item: the first answer to a request wins, within one call too.
 * @param ended the debate is over: nobody would read what comes now.
 */
export function applyResults(
  requests: readonly ContextRequest[],
  results: readonly ContextResult[],
  { ended, now }: { readonly ended: boolean; readonly now: string },
): AppliedResults {
  const current = new Map(requests.map((request) => [request.requestId, request]));
  const accepted = new Map<string, ContextRequest>();
  const outcomes = results.map((item): ResultOutcome => {
    const read = readResult(item);
    const { requestId } = read;
    if (read.kind === "contradictory") return { requestId, outcome: "contradictory", detail: read.detail };
    const request = current.get(requestId);
    if (request === undefined) return { requestId, outcome: "unknown", detail: "this roundtable has no such request" };
    if (request.status === "answered" || request.status === "unavailable") {
      return isSame(request, read)
        ? { requestId, outcome: "same" }
        : { requestId, outcome: "conflict", detail: `it is ${request.status} already, and the first answer stands` };
    }
    if (ended) return { requestId, outcome: "withdrawn", detail: "the debate has ended: nobody would read it" };
    const resolved = resolve(request, read, now);
    current.set(requestId, resolved);
    accepted.set(requestId, resolved);
    return {
      requestId,
      outcome: "accepted",
      ...(request.status === "open" ? {} : { detail: `it was ${request.status}; later rounds have the answer` }),
    };
  });
  return { outcomes, accepted: [...accepted.values()] };
}

/** The request with what came of it. */
export function resolve(request: ContextRequest, read: Resolution, closedAt: string): ContextRequest {
  const { error: _, result: __, source: ___, ...rest } = request;
  const from = read.source === undefined ? {} : { source: read.source };
  return read.kind === "result"
    ? { ...rest, ...from, status: "answered", result: read.result, closedAt }
    : { ...rest, ...from, status: "unavailable", error: read.error, closedAt };
}

function isSame(request: ContextRequest, read: Resolution): boolean {
  return read.kind === "result"
    ? request.status === "answered" && request.result?.trim() === read.result.trim()
    : request.status === "unavailable" && request.error === read.error;
}
