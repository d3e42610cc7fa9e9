/** Texts that are to be written to a memory, and why one isn't, as its caller reads it. */
import { type ProblemIssue, type Result, refuse } from "../../conversation/problem.js";
import { type SubjectOf, spokenText } from "../../supervision/subject.js";
import type { Supervised } from "../../supervision/supervise.js";

/** A text that is to be written. */
export interface WrittenText {
  /** Where it stands in the request, for the refusal. */
  readonly path: string;
  readonly content: string;
  /** It can't be replaced: what would change it refuses it. */
  readonly isFixed?: boolean;
}

export type MemorySubject = SubjectOf<"request"> | SubjectOf<"hop">;
export type Outcome = Supervised<MemorySubject> | "held";

export interface Refused extends ProblemIssue {
  readonly held: boolean;
}

export function issuesOf(outcome: Outcome, text: WrittenText | undefined): Refused[] {
  const path = text?.path ?? "";
  if (outcome === "held") return [{ path, held: true, message: "a supervisor holds it for a review" }];
  if (outcome.action === "block") return [{ path, held: false, message: outcome.reasons.join("; ") }];
  if (outcome.action === "allow") return [];
  if (text?.isFixed)
    return [{ path, held: false, message: `a supervisor would change it: ${outcome.reasons.join("; ")}` }];
  const isBlank = spokenText(outcome.subject).trim() === "";
  return isBlank ? [{ path, held: false, message: `nothing is left of it: ${outcome.reasons.join("; ")}` }] : [];
}

export function refuseWrite(refused: readonly Refused[]): Result<never> {
  const errors = refused.map(({ path, message }) => ({ path, message }));
  const held = refused.some((issue) => issue.held);
  const detail = held
    ? "A supervisor wants a person to look at this, and a write to a memory can't wait for one. Send it as a message of a session with this memory, where it can be reviewed, or write it otherwise."
    : `The tenant's supervisors don't let this be written to a memory: ${errors.map(({ message }) => message).join("; ")}.`;
  return refuse("invalid", detail, { errors });
}
