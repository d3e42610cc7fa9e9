import { describe, expect, it } from "vitest";
import { type ReplyDelta, ReplyStream } from "../../src/chat/reply-stream.js";
import { draftThroughHop, writingDraft } from "../../src/routing/draft.js";
import { openStreamGate } from "../../src/supervision/stream-gate.js";
import { rules } from "../supervision/support.js";

/** An agent that writes a draft, past a rule of hops, and all that is told of it. */
function writing(told: (string | ReplyDelta)[] = [], isHeard = () => true) {
  const guard = rules("guard", [
    { match: { type: "phrases", phrases: ["crown jewels"] }, action: "redact", replacement: "***", reason: "hidden" },
  ]);
  const atHop = { ...guard, hooks: new Set(["hop"] as const) };
  const events = {
    delta: (delta: ReplyDelta) => void told.push(delta),
    retracted: () => void told.push("retracted"),
  };
  const stream = new ReplyStream(() => openStreamGate([]), events, isHeard);
  const observer = writingDraft(draftThroughHop(stream.listenToRound(), [atHop]));
  return { stream, told, observer };
}

describe("a draft", () => {
  it("is what an agent answers, heard or not: after an interruption it stands as far as it stood, and can be taken back", () => {
    const { stream, told, observer } = writing();
    observer.listen?.(0);
    observer.roundText?.(0, "The crown jewels are in the cellar, all of them.", true);
    expect(stream.soFar()?.text).toMatch(/^The \*\*\* are in the cellar/);
    stream.withdraw();
    expect(told.at(-1)).toBe("retracted");
  });

  it("isn't written twice when it was heard", () => {
    const { stream, told, observer } = writing();
    const listener = observer.listen?.(0);
    for (const piece of ["It is ", "paid since ", "Monday, all of it."]) listener?.delta(piece);
    const before = told.length;
    observer.roundText?.(0, "It is paid since Monday, all of it.", true);
    expect(told).toHaveLength(before);
    expect("It is paid since Monday, all of it.".startsWith(stream.soFar()?.text ?? "-")).toBe(true);
  });

  it("tells the model that writes it whether anybody follows it, at any moment", () => {
    let isHeard = false;
    const listener = writing([], () => isHeard).observer.listen?.(0);
    expect(listener?.isFollowed?.()).toBe(false);
    isHeard = true;
    expect(listener?.isFollowed?.()).toBe(true);
  });

  it("takes back what stands beside tool calls, or was said otherwise than it was heard", () => {
    const { stream, observer } = writing();
    observer.listen?.(0)?.delta("Let me have a look at that for you.");
    observer.roundText?.(0, "Let me have a look at that for you.", false);
    expect(stream.soFar()).toBeUndefined();
    observer.listen?.(1)?.delta("It is unpaid, as far as anybody can see.");
    observer.roundText?.(1, "It was paid, as far as anybody can see.", true);
    expect(stream.soFar()?.text).toMatch(/^It was paid/);
  });
});
