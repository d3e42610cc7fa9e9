import { describe, expect, it } from "vitest";
import { Parked } from "../../src/agent/journal.js";
import { runPass } from "../../src/supervision/pass.js";
import { passForOperators } from "../../src/supervision/state.js";
import { type Action, actions, strictest, type Verdict } from "../../src/supervision/verdict.js";
import { passPorts, replaces, request, response, rules, Superseded, supervisor, textOf } from "./support.js";

const allow: Verdict = { action: "allow", reasons: [] };

const block: Verdict = { action: "block", reasons: ["forbidden"] };
const review: Verdict = { action: "review", reasons: ["unclear"] };

describe("a pass", () => {
  it("with nobody in it allows, and changes nothing", async () => {
    const subject = request("hello");
    const { state, subject: after } = await runPass(subject, [], passPorts());
    expect(state).toMatchObject({ decision: "allow", reasons: [], steps: [], degraded: [] });
    expect(after).toEqual(subject);
  });

  it("keeps how a verdict came about for operators", async () => {
    const explained: Verdict = { ...block, explanation: ["score 1.20; signs of secrets"] };
    const { state } = await runPass(request("hello"), [supervisor("a", () => explained)], passPorts());
    expect(state.reasons).toEqual(["forbidden"]);
    expect(state.steps[0]).toMatchObject({
      reasons: ["forbidden"],
      wholeReasons: ["forbidden", "score 1.20; signs of secrets"],
    });
  });

  it("of any three supervisors comes to the strictest, with the reasons of all that were heard, of a block those of the blocks alone", async () => {
    for (const first of actions) {
      for (const second of actions) {
        for (const third of actions) {
          const said = [first, second, third];
          const supervisors = said.map((action, index) =>
            supervisor(
              `s${index}`,
              (text): Verdict => {
                const reasons = action === "allow" ? [] : [`reason ${index}`];
                const change = { kind: "content" as const, content: `${text}${index}` };
                return { action, reasons, ...(action === "modify" ? { change } : {}) };
              },
              { mayModify: index < 2 },
            ),
          );
          // The third may only judge: a change that it wants counts as a wish for a review.
          const heard = said.slice(0, first === "block" ? 1 : second === "block" ? 2 : 3);
          const effective = heard.map((action, index) => (index === 2 && action === "modify" ? "review" : action));
          const name = said.join(", ");
          const isTold = (action: Action) => action !== "allow" && (action === "block" || !effective.includes("block"));

          const { state, subject } = await runPass(request("x"), supervisors, passPorts());

          expect(state.decision, name).toBe(strictest(...effective));
          expect(
            state.steps.map(({ action }) => action),
            name,
          ).toEqual(effective);
          expect(
            state.reasons.filter((reason) => !reason.startsWith("Supervisor")),
            name,
          ).toEqual(effective.flatMap((action, index) => (isTold(action) ? [`reason ${index}`] : [])));
          expect(textOf(subject), name).toBe(
            `x${effective.map((action, index) => (action === "modify" ? index : "")).join("")}`,
          );
        }
      }
    }
  });

  it("hears those that may modify in order, each on what the ones before it made, then the others on the result", async () => {
    const judge = supervisor("a-judge", allow);
    const late = supervisor("late", replaces("b", "c"), { mayModify: true, order: 5 });
    const early = supervisor("early", replaces("a", "b"), { mayModify: true, order: -5 });
    const { state, subject } = await runPass(request("a"), [judge, late, early], passPorts());
    expect(state.steps.map(({ supervisor: name, beforeHash, afterHash }) => [name, beforeHash, afterHash])).toEqual([
      ["early", '#"a"', '#"b"'],
      ["late", '#"b"', '#"c"'],
      ["a-judge", '#"c"', '#"c"'],
    ]);
    expect(state).toMatchObject({ decision: "modify", reasons: ["no a", "no b"] });
    expect(textOf(subject)).toBe("c");
  });

  it("fault 1: counts as modified what was changed, by the text and not by identity", async () => {
    const same = supervisor(
      "same",
      (text) => ({ action: "modify", reasons: ["touched"], change: { kind: "content", content: text } }),
      {
        mayModify: true,
      },
    );
    const { state } = await runPass(request("hello"), [same], passPorts());
    expect(state.decision).toBe("allow");
    expect(state.steps).toMatchObject([{ action: "allow", beforeHash: '#"hello"', afterHash: '#"hello"' }]);
  });

  it("fault 2: a modified response is no allow, and the reasons of those before a block are kept in their steps", async () => {
    const modifier = supervisor("modifier", replaces("a", "b"), { mayModify: true });
    const blocker = supervisor("zblocker", block, { mayModify: true });
    const modified = await runPass(response({ turnId: "1", message: "a" }), [modifier], passPorts());
    expect(modified.state.decision).toBe("modify");
    const blocked = await runPass(response({ turnId: "1", message: "a" }), [modifier, blocker], passPorts());
    expect(blocked.state).toMatchObject({ decision: "block", reasons: ["forbidden"] });
    expect(passForOperators(blocked.state).reasons).toEqual(["no a", "forbidden"]);
  });

  it("fault 12: a supervisor that throws keeps the redactions before it, and the others are heard", async () => {
    const first = supervisor("1", replaces("secret", "***"), { mayModify: true });
    const broken = supervisor("2", new Error("out of order"), { mayModify: true });
    const third = supervisor("3", replaces("card", "****"), { mayModify: true });
    const { state, subject } = await runPass(request("secret card"), [first, broken, third], passPorts());
    expect(textOf(subject)).toBe("*** ****");
    expect(state.steps.map(({ action }) => action)).toEqual(["modify", "allow", "modify"]);
    expect(state.degraded).toEqual(["2"]);
    expect(state.steps[1]?.failed).toBe(
      'Supervisor "2" (scripted) failed: out of order. Its setting onFailure "allow" decided.',
    );
  });

  it("ends with a block: nobody after it is asked", async () => {
    const late = supervisor("z", allow, { mayModify: true });
    const judge = supervisor("judge", allow);
    await runPass(request("x"), [supervisor("a", block, { mayModify: true }), late, judge], passPorts());
    expect([late.saw, judge.saw]).toEqual([[], []]);
  });

  it.each([
    ["allow", false, "allow", ["s"]],
    ["review", false, "review", []],
    ["block", false, "block", []],
    ["allow", true, "block", []],
    ["review", true, "block", []],
  ] as const)(
    "a failure with onFailure %s and strict %s counts as %s",
    async (onFailure, strict, decision, degraded) => {
      const failing: [string, ReturnType<typeof supervisor>][] = [
        ["an exception", supervisor("s", new Error("x"), { onFailure })],
        ["a time-out", supervisor("s", allow, { onFailure, timeoutMs: 13 })],
      ];
      for (const [what, one] of failing) {
        const { state, subject } = await runPass(request("x"), [one], passPorts({ strict }));
        expect(state, what).toMatchObject({ decision, degraded });
        expect(textOf(subject), what).toBe("x");
        expect(state.steps[0]?.failed, what).toContain(strict ? "strict" : `onFailure "${onFailure}"`);
        if (decision !== "allow") expect(state.reasons[0], what).toContain('Supervisor "s"');
      }
    },
  );

  it.each([
    ["allow", "review"],
    ["review", "review"],
    ["block", "block"],
  ] as const)(
    "a change that can't be made is held for a reviewer, with onFailure %s as %s",
    async (onFailure, decision) => {
      const noTexts = { kind: "segments", texts: [] } as const;
      const wanting: [string, ReturnType<typeof supervisor>][] = [
        ["its permissions don't allow it", supervisor("s", replaces("x", "y"), { onFailure })],
        [
          "it doesn't fit",
          supervisor("s", { action: "modify", reasons: ["no x"], change: noTexts }, { onFailure, mayModify: true }),
        ],
      ];
      for (const [what, one] of wanting) {
        const { state, subject } = await runPass(request("x"), [one], passPorts());
        expect(state, what).toMatchObject({ decision, reasons: ["no x", expect.stringContaining('Supervisor "s"')] });
        expect(textOf(subject), what).toBe("x");
      }
      const stopping = supervisor("s", { action: "block", reasons: ["no"], change: noTexts }, { onFailure });
      expect((await runPass(request("x"), [stopping], passPorts())).state.decision).toBe("block");
    },
  );

  it.each([new Parked(["ask_1"]), new Superseded("cancelled")])("lets control flow through: %s", async (thrown) => {
    await expect(runPass(request("x"), [supervisor("s", thrown)], passPorts({ strict: true }))).rejects.toBe(thrown);
  });

  it("a shadow judges without effect, whatever it says, also of what is blocked", async () => {
    for (const opinion of [block, review, replaces("x", "y"), new Error("x")]) {
      const shadow = supervisor("shadow", opinion, { mode: "shadow", mayModify: true, onFailure: "block" });
      const { state, subject } = await runPass(request("x"), [shadow, supervisor("s", allow)], passPorts());
      expect(state).toMatchObject({ decision: "allow", reasons: [], degraded: [] });
      expect(textOf(subject)).toBe("x");
      expect(state.steps.map(({ supervisor: name, mode }) => [name, mode])).toEqual([
        ["s", "enforce"],
        ["shadow", "shadow"],
      ]);
      expect(shadow.saw).toEqual(["x"]);
    }
    const { state } = await runPass(
      request("x"),
      [supervisor("s", block, { mayModify: true }), supervisor("shadow", allow, { mode: "shadow" })],
      passPorts(),
    );
    expect(state.decision).toBe("block");
    expect(state.steps).toHaveLength(2);
  });

  it("hears only who stands at the hook", async () => {
    const elsewhere = supervisor("s", block, { hooks: new Set(["response"] as const) });
    expect((await runPass(request("x"), [elsewhere], passPorts())).state.steps).toEqual([]);
  });
});

describe("the second look of supervisors that cost nothing", () => {
  const noSecret = rules("a-rules", [
    { match: { type: "phrases", phrases: ["secret"] }, action: "redact", replacement: "***", reason: "a secret" },
  ]);

  it("catches what a later supervisor brought in", async () => {
    const careless = supervisor("careless", replaces("greeting", "secret greeting"), { mayModify: true, order: 1 });
    const { state, subject } = await runPass(request("a greeting"), [noSecret, careless], passPorts());
    expect(textOf(subject)).toBe("a *** greeting");
    expect(state.steps.map(({ supervisor: name }) => name)).toEqual(["a-rules", "careless", "a-rules"]);
  });

  it("blocks what a later supervisor made of the text, where the rule blocks", async () => {
    const noWar = rules("a-rules", [
      { match: { type: "phrases", phrases: ["war"] }, action: "block", reason: "war" },
      { match: { type: "phrases", phrases: ["unheard"] }, action: "redact", reason: "it may modify" },
    ]);
    const careless = supervisor("careless", replaces("peace", "war"), { mayModify: true, order: 1 });
    const { state } = await runPass(request("peace"), [noWar, careless], passPorts());
    expect(state).toMatchObject({ decision: "block", reasons: ["war"] });
  });

  it("ends a quarrel of two that keep changing each other's text with a block that names the setting", async () => {
    const swap = (name: string, from: string, to: string) =>
      rules(name, [{ match: { type: "phrases", phrases: [from] }, action: "replace", replacement: to, reason: from }]);
    const { state } = await runPass(
      request("tea"),
      [swap("a", "tea", "coffee"), swap("b", "coffee", "tea")],
      passPorts(),
    );
    expect(state.decision).toBe("block");
    expect(state.reasons.at(-1)).toMatch(/keep changing each other's text; .* order/);
  });
});
