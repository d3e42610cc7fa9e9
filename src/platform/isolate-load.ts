/** What objects of one isolate have at work right now: they share its thread and die together. */
import type { Load } from "../agent/attempts.js";

/** An object that died alone never took its work off the list: such entries are no longer counted after this time. */
const forgottenAfterMs = 300_000;

/** One for all objects of an isolate; kept in memory only, as long as the isolate lives. */
export class IsolateLoad {
  private readonly atWork = new Map<string, { readonly isSuspect: boolean; readonly since: number }>();

  private readonly since: number;

  constructor(private readonly now: () => number) {
    this.since = now();
  }

  /** @param name of the object and its work: the same work doesn't count twice */
  begin(name: string, isSuspect: boolean): void {
    this.atWork.set(name, { isSuspect, since: this.now() });
  }

  end(name: string): void {
    this.atWork.delete(name);
  }

  /** All but the work of that name. */
  beside(name: string): Load {
    let works = 0;
    let suspects = 0;
    for (const [other, { isSuspect, since }] of this.atWork) {
      if (since + forgottenAfterMs <= this.now()) this.atWork.delete(other);
      else if (other !== name) {
        works += 1;
        suspects += isSuspect ? 1 : 0;
      }
    }
    return { works, suspects, since: this.since };
  }
}
