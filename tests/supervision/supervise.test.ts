import { describe, expect, it, vi } from "vitest";
import { Parked } from "../../src/agent/journal.js";
import type { Answer } from "../../src/asks/answer.js";
import { supervise } from "../../src/supervision/supervise.js";
import type { Supervisor } from "../../src/supervision/supervisor.js";
import { JournalStore, MemoryJournal } from "../support/memory-journal.js";
import { passPorts, replaces, request, rules, supervisor, textOf } from "./support.js";

const asks = supervisor("asks", { action: "review", reasons: ["unclear"] });

function world(supervisors: readonly Supervisor[]) {
  const store = new JournalStore();
  const decided = vi.fn();
  const run = (content = "hello") =>
    supervise(request(content), supervisors, new MemoryJournal(store), {
      ...passPorts(),
      decided,
      review: { audience: "staff" },
      source: { agent: "assistant" },
    });
  return { store, decided, run };
}

describe("supervision as a step", () => {
  it("is done once: a replay gives the same, and nobody is asked or told again", async () => {
    const modifier = supervisor("m", replaces("hello", "hi"), { mayModify: true });
    const { run, decided } = world([modifier]);
    const first = await run();
    expect(first).toMatchObject({ action: "modify", reasons: ["no […]"], degraded: [] });
    expect(textOf(first.subject)).toBe("hi");
    expect(await run()).toEqual(first);
    expect(modifier.saw).toHaveLength(1);
    expect(decided).toHaveBeenCalledTimes(1);
  });

  it("waits for a review, with what is proposed and why", async () => {
    const { run, store } = world([asks, supervisor("m", replaces("hello", "hi"), { mayModify: true })]);
    await expect(run()).rejects.toThrow(Parked);
    await expect(run()).rejects.toThrow(Parked);
    expect([...store.asks.values()]).toMatchObject([
      {
        kind: "review",
        audience: "staff",
        from: { agent: "assistant", supervisors: ["asks"] },
        reason: "no […]; unclear",
        proposal: { hook: "request", original: "hello", proposed: "hi" },
      },
    ]);
  });

  it.each([
    ["accepted", { decision: "accept" }, "allow", "hello", ["unclear"]],
    ["rejected", { decision: "reject" }, "block", "hello", ["unclear", "A reviewer rejected it."]],
    ["edited", { decision: "edit", content: "bye" }, "modify", "bye", ["unclear"]],
    ["edited to something forbidden", { decision: "edit", content: "war" }, "block", "war", ["unclear", "no war"]],
    [
      "edited to something that is redacted",
      { decision: "edit", content: "a card" },
      "modify",
      "a ***",
      ["unclear", "a card"],
    ],
  ] satisfies [string, Answer, string, string, string[]][])(
    "what a person %s",
    async (_what, answer, action, text, reasons) => {
      const standing = [
        asks,
        rules("war", [{ match: { type: "phrases", phrases: ["war"] }, action: "block", reason: "no war" }]),
        rules("card", [
          { match: { type: "phrases", phrases: ["card"] }, action: "redact", replacement: "***", reason: "a card" },
        ]),
      ];
      const { run, store, decided } = world(standing);
      await expect(run()).rejects.toThrow(Parked);
      store.answer(answer);
      const result = await run();
      expect(result).toMatchObject({ action, reasons });
      expect(textOf(result.subject)).toBe(text);
      expect(await run()).toEqual(result);
      expect(decided).toHaveBeenCalledTimes(1);
      expect(asks.saw.length).toBeGreaterThan(0);
    },
  );

  it("of a modified text that is accepted is a modification", async () => {
    const { run, store } = world([asks, supervisor("m", replaces("hello", "hi"), { mayModify: true })]);
    await expect(run()).rejects.toThrow(Parked);
    store.answer({ decision: "accept" });
    expect(await run()).toMatchObject({ action: "modify" });
  });

  it("of a modified text that is rejected says why it was held, not what was changed", async () => {
    const { run, store } = world([asks, supervisor("m", replaces("hello", "hi"), { mayModify: true })]);
    await expect(run()).rejects.toThrow(Parked);
    store.answer({ decision: "reject" });
    expect(await run()).toMatchObject({ action: "block", reasons: ["unclear", "A reviewer rejected it."] });
  });

  it.each([
    ["expired", "Nobody reviewed it in time."],
    ["cancelled", "Its review was cancelled."],
  ] as const)("whose review was %s blocks", async (status, reason) => {
    const { run, store } = world([asks]);
    await expect(run()).rejects.toThrow(Parked);
    for (const [id, ask] of store.asks) store.asks.set(id, { ...ask, status });
    expect(await run()).toMatchObject({ action: "block", reasons: ["unclear", reason] });
  });
});
