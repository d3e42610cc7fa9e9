/**
 * An object whose state newer code has left in a form that this code can't read, as after going back to the version before: who calls
 * it hears which version can. Nothing of it is touched meanwhile.
 */
import { type Problem, ProblemError } from "../conversation/problem.js";

/** What an error keeps on its way from an object is its text. */
const mark = "stored by newer code: it can be read from this version on: ";

/** Thrown by the object, whatever it is called for. */
export class NewerStateError extends Error {
  override readonly name = "NewerStateError";
  /** @param readableFrom the oldest version that reads the object */
  constructor(readableFrom: string) {
    super(mark + readableFrom);
  }
}

/** The refusal that an error of a call of an object stands for; otherwise the error itself. */
export function readableError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const at = error.message.indexOf(mark);
  return at < 0 ? error : new ProblemError(newerState(error.message.slice(at + mark.length)));
}

function newerState(readableFrom: string): Problem {
  return {
    code: "unavailable",
    detail: `A newer version of Conclave has stored this in a form that the one that runs now can't read. Nothing of it is lost: deploy version ${readableFrom} or a newer one, and it goes on.`,
  };
}
