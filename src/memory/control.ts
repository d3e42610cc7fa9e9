/** The control states of a memory thread, and when a flush is due: decided from what is stored, never from a counter in memory. */
import { z } from "zod";

export const controlStates = ["START_SESSION", "PROCESS_MESSAGE", "PROCESS_MESSAGE_AND_FLUSH", "END_SESSION"] as const;
export type ControlState = (typeof controlStates)[number];
export const controlSchema = z.enum(controlStates);

/** A flush is asked for when so many messages are uncovered by those asked for before … */
const flushAfterMessages = 6;
/** … or when their texts have so many characters together. */
export const flushAfterCharacters = 24_000;
/** A session in which nothing was said for so long is ended. */
export const idleAfterMs = 30 * 60_000;

/** The marks of a thread, as they are stored. */
export interface ThreadMarks {
  /** Sessions that were begun in this thread. */
  readonly epoch: number;
  /** Whether the last of them is going on. */
  readonly open: boolean;
  readonly lastSeq: number;
  /** A flush was asked for up to here. */
  readonly requestedSeq: number;
  /** Characters of the messages after `requestedSeq`. */
  readonly waitingCharacters: number;
  /** The next message is numbered behind this: those up to it were taken back with a restore, and their numbers stay theirs. */
  readonly behind?: number | undefined;
}

/** The number of the next message. */
export function nextSeq({ lastSeq, behind = 0 }: ThreadMarks): number {
  return Math.max(lastSeq, behind) + 1;
}

export const newThreadMarks: ThreadMarks = {
  epoch: 0,
  open: false,
  lastSeq: 0,
  requestedSeq: 0,
  waitingCharacters: 0,
};

/** Messages of a thread, both included. */
export interface FlushRange {
  readonly fromSeq: number;
  readonly toSeq: number;
}

export interface ControlDecision {
  readonly control: ControlState;
  readonly marks: ThreadMarks;
  readonly flush?: FlushRange;
}

/** Begins a session. While one is going on, beginning it again changes nothing. */
export function decideStart(marks: ThreadMarks): ControlDecision {
  return {
    control: "START_SESSION",
    marks: marks.open ? marks : { ...marks, open: true, epoch: marks.epoch + 1 },
  };
}

/** Takes a message of so many characters; outside a session it begins one. */
export function decideMessage(before: ThreadMarks, characters: number): ControlDecision {
  const { marks } = decideStart(before);
  const lastSeq = nextSeq(marks);
  const requestedSeq = marks.requestedSeq === marks.lastSeq ? lastSeq - 1 : marks.requestedSeq;
  const waitingCharacters = marks.waitingCharacters + characters;
  const due = lastSeq - requestedSeq >= flushAfterMessages || waitingCharacters >= flushAfterCharacters;
  if (!due) return { control: "PROCESS_MESSAGE", marks: { ...marks, lastSeq, requestedSeq, waitingCharacters } };
  return {
    control: "PROCESS_MESSAGE_AND_FLUSH",
    marks: { ...marks, lastSeq, waitingCharacters: 0, requestedSeq: lastSeq },
    flush: { fromSeq: requestedSeq + 1, toSeq: lastSeq },
  };
}

/** Asks at once for a flush of what none was asked for yet; the session goes on. */
export function decideFlush(marks: ThreadMarks, control: ControlState): ControlDecision {
  const flushed = decideEnd(marks);
  return { ...flushed, control, marks: { ...flushed.marks, open: marks.open } };
}

/** Ends a session. What no flush was asked for yet gets one; where there is nothing, nothing is done. */
export function decideEnd(marks: ThreadMarks): ControlDecision {
  const ended = { ...marks, open: false, waitingCharacters: 0, requestedSeq: marks.lastSeq };
  return {
    control: "END_SESSION",
    marks: ended,
    ...(marks.lastSeq > marks.requestedSeq ? { flush: { fromSeq: marks.requestedSeq + 1, toSeq: marks.lastSeq } } : {}),
  };
}
