/** When a supervisor is asked at all. */
import { describe, expect, it } from "vitest";
import { condition, conditionSchema } from "../../src/supervision/condition.js";
import { runPass } from "../../src/supervision/pass.js";
import type { Verdict } from "../../src/supervision/verdict.js";
import { passPorts, request, response, supervisor } from "./support.js";

const block: Verdict = { action: "block", reasons: ["no"] };

describe("a condition", () => {
  it.each([
    [{ minCharacters: 6 }, "hello", "it is shorter than 6 characters"],
    [{ minCharacters: 5 }, "hello", undefined],
    [{ pattern: "(?i)refund" }, "a Refund", undefined],
    [{ pattern: "refund" }, "hello", "the pattern isn't found in it"],
    [{ pattern: "refund", minCharacters: 100 }, "refund", "it is shorter than 100 characters"],
    [{ sample: 1 }, "hello", undefined],
  ])("%j over %j: %s", (when, text, unmet) => {
    expect(condition("judge", conditionSchema.parse(when)).unmet(request(text), "msg_1")).toBe(unmet);
  });

  it("counts what tools returned, and looks for the pattern there", () => {
    const toolCalls = [{ toolCallId: "c", server: "s", tool: "t", args: {}, output: "a secret", elapsedMs: 1 }];
    const reply = response({ turnId: "t0", message: "Hi.", toolCalls });
    expect(condition("judge", { pattern: "secret", minCharacters: 10 }).unmet(reply, "msg_1")).toBeUndefined();
  });

  it("is one that can be met and that costs no more than the text is long", () => {
    for (const when of [
      {},
      { sample: 0 },
      { sample: 2 },
      { minCharacters: 0 },
      { pattern: "(" },
      { pattern: "(a)\\1" },
      { often: true },
    ]) {
      expect(conditionSchema.safeParse(when).success, JSON.stringify(when)).toBe(false);
    }
  });

  it("samples by the id: always the same of the same, and about as many as it says", () => {
    const { includes } = condition("judge", { sample: 0.25 });
    const ids = Array.from({ length: 4_000 }, (_, index) => `msg_01m8072fnxcpb7qpfmgef${index.toString(36)}`);
    const taken = ids.filter(includes);
    expect(taken.length).toBeGreaterThan(900);
    expect(taken.length).toBeLessThan(1_100);
    expect(ids.filter(includes)).toEqual(taken);
    expect(ids.filter(condition("other", { sample: 0.25 }).includes)).not.toEqual(taken);
  });
});

describe("a supervisor whose condition isn't met", () => {
  it("isn't asked, and its step says why", async () => {
    const judge = supervisor("judge", block, { condition: condition("judge", { minCharacters: 10 }) });
    const { state } = await runPass(request("short"), [judge], passPorts());
    expect(judge.saw).toEqual([]);
    expect(state).toMatchObject({
      decision: "allow",
      degraded: [],
      steps: [{ supervisor: "judge", action: "allow", skipped: "it is shorter than 10 characters" }],
    });
    expect((await runPass(request("long enough"), [judge], passPorts())).state.decision).toBe("block");
  });
});
