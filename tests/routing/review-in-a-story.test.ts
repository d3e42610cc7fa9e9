import { expect, it } from "vitest";
import { openAsk } from "../../src/asks/ask.js";
import { renderTrace } from "../../src/routing/render-trace.js";
import { supervisionStateSchema } from "../../src/supervision/state.js";

const at = "2026-11-22T12:35:00.000Z";
const reviewer = { kind: "key", id: "key_1", role: "operator" } as const;
const step = { reasons: ["money"], beforeHash: "a", afterHash: "a", latencyMs: 1, mode: "enforce" };
const nothing = {
  addedRules: [],
  removedRules: [],
  addedReferences: [],
  removedReferences: [],
  addedTools: [],
  removedTools: [],
};

it("tells a review as it was held, and what came of it where it was answered", () => {
  const ask = {
    ...openAsk("ask_1", { kind: "review", question: "May it pass?", source: { supervisors: ["refunds"] } }, {}, 0),
    status: "answered" as const,
    answer: { decision: "accept" as const },
    closedAt: at,
    closedBy: reviewer,
  };
  const pass = supervisionStateSchema.parse({
    hook: "response",
    decision: "allow",
    reasons: ["money"],
    contextChanges: nothing,
    degraded: [],
    turnId: "trn_1",
    at,
    steps: [
      { ...step, supervisor: "refunds", action: "review" },
      { ...step, actor: reviewer, action: "allow" },
    ],
  });
  const story = renderTrace({
    title: "Turn trn_1",
    status: "completed",
    who: "Session ses_1",
    createdAt: at,
    asks: [ask],
    passes: [pass],
    events: [
      { at, type: "supervision.decided", data: { hook: "response", decision: "review", reasons: ["money"] } },
      { at, type: "ask.opened", data: { askId: "ask_1" } },
      { at, type: "ask.closed", data: { askId: "ask_1" } },
    ],
    usage: { modelCalls: 1, inputTokens: 2, outputTokens: 3 },
  });
  const [first, , last] = story.split("\n").filter((line) => line.startsWith("- "));
  expect(first).toContain("Supervision of the response: review by refunds (money).");
  expect(last).toContain("was accepted by key key_1 (operator)");
  expect(story).toContain("1 model call, 2 tokens read and 3 written.");
});
