import { describe, expect, it } from "vitest";
import {
  type ControlState,
  decideEnd,
  decideMessage,
  decideStart,
  flushAfterCharacters,
  newThreadMarks,
} from "../../src/memory/control.js";

/** Takes so many messages, of so many characters each. */
function taken(messages: number, characters = 10) {
  const controls: ControlState[] = [];
  let marks = newThreadMarks;
  for (let count = 0; count < messages; count++) {
    const decision = decideMessage(marks, characters);
    controls.push(decision.control);
    marks = decision.marks;
  }
  return { marks, controls };
}

describe("control states", () => {
  it("flush with every sixth message that no flush was asked for yet", () => {
    const { controls, marks } = taken(13);
    const flushes = controls.flatMap((control, at) => (control === "PROCESS_MESSAGE_AND_FLUSH" ? [at + 1] : []));
    expect(flushes).toEqual([6, 12]);
    expect(marks).toMatchObject({ lastSeq: 13, requestedSeq: 12 });
  });

  it("flush early when the messages are long", () => {
    expect(decideMessage(newThreadMarks, flushAfterCharacters)).toMatchObject({
      control: "PROCESS_MESSAGE_AND_FLUSH",
      flush: { fromSeq: 1, toSeq: 1 },
    });
  });

  it("begin a session once: START again changes nothing, a message before START begins one", () => {
    const started = decideStart(newThreadMarks);
    expect(started.marks).toMatchObject({ epoch: 1, open: true });
    expect(decideStart(started.marks).marks).toBe(started.marks);
    expect(decideMessage(newThreadMarks, 1).marks).toMatchObject({ epoch: 1, open: true });
  });

  it("begin the next session after an end", () => {
    const ended = decideEnd(taken(2).marks);
    expect(decideStart(ended.marks).marks).toMatchObject({ epoch: 2, open: true });
  });

  it("ask at the END for what is left, and for nothing when nothing is", () => {
    const { marks } = taken(13);
    const ended = decideEnd(marks);
    expect(ended).toMatchObject({ control: "END_SESSION", flush: { fromSeq: 13, toSeq: 13 } });
    expect(decideEnd(ended.marks).flush).toBeUndefined();
    expect(decideEnd(newThreadMarks).flush).toBeUndefined();
    expect(decideEnd(taken(6).marks).flush).toBeUndefined();
  });
});
