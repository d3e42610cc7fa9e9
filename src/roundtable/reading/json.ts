/** A debate as data, in one piece, for programs. */
import { type DebateReading, withoutNames } from "./debate-reading.js";
import { type LayeredAnswer, layeredAnswer } from "./layered-answer.js";
import { type Thoughts, thoughtsOf } from "./thoughts.js";

export interface DebateExport extends DebateReading {
  readonly format: "conclave.roundtable/1";
  /** Absent before the first round is complete. */
  readonly answer?: LayeredAnswer;
  /** Of each seat, over the rounds. */
  readonly thoughts: readonly Thoughts[];
}

/** The debate with what it comes to. Pseudonyms stand for the seats of an anonymous one. */
export function debateJson(named: DebateReading): DebateExport {
  const debate = withoutNames(named);
  const answer = layeredAnswer(debate);
  return {
    format: "conclave.roundtable/1",
    ...debate,
    ...(answer === undefined ? {} : { answer }),
    thoughts: debate.seats.flatMap(({ id }) => thoughtsOf(debate, id) ?? []),
  };
}
