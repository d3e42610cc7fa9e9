/** Finds the request that asks for the same thing: in a debate one request is enough, however many seats ask and in whatever words. */

import { questionLikeness } from "../text/question-likeness.js";
import { plainWords } from "../text/tokenizer.js";

/** What is compared of a request. */
export interface ComparableRequest {
  readonly query: string;
  readonly status: "open" | "answered" | "unavailable" | "withdrawn" | "skipped" | "expired";
}

export interface MatchedRequest<R> {
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
 * @param minLikeness from 0 to 1, as `questionLikeness` gives it.
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
