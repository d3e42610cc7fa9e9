/** What is wrong with a configuration, by its places: found everywhere before anything is refused. */
import { attempt, type ProblemIssue, problem } from "../../conversation/problem.js";

/** The issue with its path below another one. */
export function under(path: string, issue: ProblemIssue): ProblemIssue {
  return { ...issue, path: issue.path === "" ? path : `${path}.${issue.path}` };
}

/** What is wrong anywhere: all of it is told at once. */
export class Issues {
  private readonly found: ProblemIssue[] = [];

  add(issue: ProblemIssue): void {
    this.found.push(issue);
  }

  /** What the call comes to; where it is refused what is wrong is noted under the path. */
  async within<T>(path: string, otherwise: T, call: () => Promise<T>): Promise<T> {
    const result = await attempt(call);
    if (result.ok) return result.value;
    const { errors = [{ path: "", message: result.problem.detail }] } = result.problem;
    this.found.push(...errors.map((issue) => under(path, issue)));
    return otherwise;
  }

  throwAny(): void {
    if (this.found.length > 0) throw wrongConfig(this.found);
  }
}

export function wrongConfig(errors: readonly ProblemIssue[]) {
  return problem("invalid", "The configuration can't be stored like this; see errors. Nothing was changed.", {
    errors: [...errors],
  });
}
