/** What an object does when its one alarm has rung: each deadline that has passed goes to those who wait for it. */
import { askOfDeadline } from "./ask-changes.js";
import type { Deadlines } from "./deadlines.js";

/** When work that died or threw is looked at again. */
export const retryDeadline = "retry";

export interface AlarmPorts {
  /** Makes sure that somebody drives the work. */
  readonly drive: () => void;
  /** Sends off what the outbox holds. */
  readonly deliver: () => void;
  readonly expireAsk: (askId: string) => void;
  /** A deadline of the object's own has passed. */
  readonly passed: (name: string) => void;
  /** What one of these threw. The others are dealt with all the same. */
  readonly failed: (subject: string, error: unknown) => void;
}

/** Never throws, never waits. Leaves the alarm set for what is left. @param now milliseconds since the epoch */
export function dispatchAlarm(deadlines: Deadlines, now: number, ports: AlarmPorts): void {
  for (const name of deadlines.passed(now)) {
    const askId = askOfDeadline(name);
    try {
      if (name === "lease") ports.drive();
      else if (name === "outbox") ports.deliver();
      else {
        deadlines.move(name, undefined);
        if (name === retryDeadline) ports.drive();
        else if (askId !== undefined) ports.expireAsk(askId);
        else ports.passed(name);
      }
    } catch (error) {
      ports.failed(askId === undefined ? name : "ask", error);
    }
  }
  deadlines.rearm();
}
