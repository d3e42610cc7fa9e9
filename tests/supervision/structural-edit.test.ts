import { describe, expect, it } from "vitest";
import type { ModelReply } from "../../src/conversation/message.js";
import { type EditOperation, editOperationsSchema, editReply } from "../../src/supervision/structural-edit.js";
import { canonicalText, type Subject } from "../../src/supervision/subject.js";
import { agent, call, pass, scripted } from "./agent/support.js";

const lookup = { toolCallId: "c1", server: "shop", tool: "lookup", args: { id: 7 } };
const pay = { toolCallId: "c2", server: "shop", tool: "pay", args: { iban: "DE00" } };
const reply: ModelReply = {
  timestamp: "2030-01-01T00:00:00.000Z",
  turns: [
    {
      turnId: "t0",
      message: "Looking.",
      inputTokens: 5,
      toolCalls: [{ ...lookup, output: "owner: Ada", elapsedMs: 3 }],
    },
    { turnId: "t1", message: "Ada owns it. Ada is at home." },
    { turnId: "t2", error: "it broke" },
  ],
  pendingToolCalls: [pay, { ...pay, toolCallId: "c3" }],
};

function edited(...operations: unknown[]): ModelReply {
  const outcome = editReply(reply, editOperationsSchema().parse(operations));
  if (!outcome.ok) throw new Error(outcome.problem);
  return outcome.reply;
}

describe("structural edits of a reply", () => {
  it("remove a turn, with its tool calls and their results", () => {
    expect(edited({ type: "remove_turn", turnId: "t1" }).turns.map(({ turnId }) => turnId)).toEqual(["t0", "t2"]);
  });

  it("put another text into a turn, whose tool calls, results and counts stay", () => {
    expect(edited({ type: "modify_turn", turnId: "t0", content: "One moment." }).turns[0]).toEqual({
      ...reply.turns[0],
      message: "One moment.",
    });
  });

  it("add a turn at the beginning, after another, at the end", () => {
    const { turns } = edited(
      { type: "add_turn", content: "First.", afterTurnId: null },
      { type: "add_turn", content: "Middle.", afterTurnId: "t0" },
      { type: "add_turn", content: "Last." },
    );
    expect(turns.map(({ turnId }) => turnId)).toEqual(["added_1", "t0", "added_2", "t1", "t2", "added_3"]);
  });

  it("reorder turns", () => {
    expect(edited({ type: "reorder_turns", turnIds: ["t2", "t0", "t1"] }).turns.map(({ turnId }) => turnId)).toEqual([
      "t2",
      "t0",
      "t1",
    ]);
  });

  it("redact a passage wherever it stands in a turn", () => {
    expect(edited({ type: "redact_span", turnId: "t1", text: "Ada", replacement: "$&" }).turns[1]?.message).toBe(
      "$& owns it. $& is at home.",
    );
  });

  it("redact what a tool returned", () => {
    expect(edited({ type: "redact_tool_output", toolCallId: "c1" }).turns[0]?.toolCalls?.[0]).toMatchObject({
      args: { id: 7 },
      output: "[redacted]",
    });
  });

  it("redact arguments of a call, made or pending: those that are named, or all", () => {
    const args = (names?: string[]) =>
      edited({ type: "redact_arguments", toolCallId: "c1", ...(names === undefined ? {} : { names }) }).turns[0]
        ?.toolCalls?.[0];
    expect(args()).toMatchObject({ args: { id: "[redacted]" }, output: expect.any(String) });
    expect(args(["id"])?.args).toEqual({ id: "[redacted]" });
    const pending = edited({ type: "redact_arguments", toolCallId: "c2" }).pendingToolCalls;
    expect(pending?.map((call) => call.args.iban)).toEqual(["[redacted]", "DE00"]);
  });

  it("fault 11: drop pending calls that are named, and no other", () => {
    expect(
      edited({ type: "drop_pending_call", toolCallId: "c2" }).pendingToolCalls?.map(({ toolCallId }) => toolCallId),
    ).toEqual(["c3"]);
    const without = edited(
      { type: "drop_pending_call", toolCallId: "c2" },
      { type: "drop_pending_call", toolCallId: "c3" },
    );
    expect("pendingToolCalls" in without).toBe(false);
    expect(edited({ type: "remove_turn", turnId: "t2" }).pendingToolCalls).toEqual(reply.pendingToolCalls);
  });

  it.each<[EditOperation, string]>([
    [{ type: "remove_turn", turnId: "t9" }, 'there is no turn "t9"; the turns are "t0", "t1", "t2", "added_1"'],
    [{ type: "modify_turn", turnId: "no", content: "x" }, "there is no turn"],
    [{ type: "add_turn", content: "x", afterTurnId: "no" }, "there is no turn"],
    [{ type: "reorder_turns", turnIds: ["t0", "t1"] }, "name every turn once"],
    [{ type: "reorder_turns", turnIds: ["t0", "t1", "t1"] }, "name every turn once"],
    [{ type: "redact_span", turnId: "t1", text: "Bob", replacement: "" }, "doesn't occur"],
    [{ type: "redact_tool_output", toolCallId: "c2", replacement: "" }, "no tool call"],
    [{ type: "drop_pending_call", toolCallId: "c1" }, "no pending call"],
    [{ type: "redact_arguments", toolCallId: "c9", replacement: "" }, "no tool call"],
    [
      { type: "redact_arguments", toolCallId: "c1", names: ["iban"], replacement: "" },
      'no argument "iban"; it has "id"',
    ],
  ])("are done all or not at all: %j", (wrong, told) => {
    const before = JSON.stringify(reply);
    const outcome = editReply(reply, [{ type: "add_turn", content: "x" }, wrong]);
    expect(outcome).toMatchObject({ ok: false, at: 1, problem: expect.stringContaining(told) });
    expect(JSON.stringify(reply)).toBe(before);
  });

  it("leave at least one turn", () => {
    const all = reply.turns.map(({ turnId }): EditOperation => ({ type: "remove_turn", turnId }));
    expect(editReply(reply, all)).toMatchObject({ ok: false, at: 2 });
  });
});

describe("a supervising agent that edits a reply", () => {
  const subject = { hook: "response", reply } as const;
  const hash = async (of: Subject): Promise<string> => {
    const text = canonicalText(of);
    return `h${text.length}.${[...text].reduce((sum, c) => (sum * 31 + c.charCodeAt(0)) % 9_999_991, 7)}`;
  };
  const reason = "a name";

  it("names the base it was shown, and may go on from what its edit made", async () => {
    const baseHash = await hash(subject);
    const operations = [
      { type: "redact_span", turnId: "t1", text: "Ada" },
      { type: "redact_tool_output", toolCallId: "c1" },
    ];
    const model = scripted([[call("edit_response", { operations, baseHash, reason })]]);
    const { state, subject: after } = await pass(subject, [agent(model)], { hash });
    expect(model.asked[0]?.messages[1]?.content).toContain(`<structure baseHash="${baseHash}">`);
    expect(state.decision).toBe("modify");
    expect(JSON.stringify(after)).not.toContain("Ada");
    expect(after).toMatchObject({ reply: { pendingToolCalls: reply.pendingToolCalls } });
  });

  it("changes nothing on another base, and is told which holds", async () => {
    const operations = [{ type: "remove_turn", turnId: "t0" }];
    const model = scripted([[call("edit_response", { operations, baseHash: "old", reason })], [call("allow_message")]]);
    const { state, subject: after } = await pass(subject, [agent(model)], { hash });
    expect(after).toEqual(subject);
    // It gave up, and what it wanted counts.
    expect(state.decision).toBe("review");
    expect(model.asked[1]?.messages.at(-1)?.content).toContain(`Its hash is "${await hash(subject)}" now`);
  });

  it("counts as a modification even when no text has changed", async () => {
    const baseHash = await hash(subject);
    const operations = [{ type: "reorder_turns", turnIds: ["t1", "t0", "t2"] }];
    const { state } = await pass(
      subject,
      [agent(scripted([[call("edit_response", { operations, baseHash, reason })]]))],
      { hash },
    );
    expect(state.decision).toBe("modify");
    expect(state.steps[0]?.beforeHash).not.toBe(state.steps[0]?.afterHash);
  });

  it("fault 11: a whole replacement keeps calls, results, counts, errors and pending calls", async () => {
    const { subject: after } = await pass(
      subject,
      [agent(scripted([[call("modify_response", { content: "All done.", reason })]]))],
      { hash },
    );
    expect(after).toMatchObject({
      reply: {
        turns: [
          { turnId: "t0", inputTokens: 5, toolCalls: reply.turns[0]?.toolCalls },
          { turnId: "t1" },
          { error: "it broke", message: "All done." },
        ],
        pendingToolCalls: reply.pendingToolCalls,
      },
    });
  });
});
