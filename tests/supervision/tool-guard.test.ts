import { describe, expect, it } from "vitest";
import { Parked } from "../../src/agent/journal.js";
import type { AgentTool, ToolCall } from "../../src/agent/tools.js";
import { validateArguments } from "../../src/application/argument-check.js";
import { defined } from "../../src/conversation/defined.js";
import type { Supervisor } from "../../src/supervision/supervisor.js";
import { supervisingGuard } from "../../src/supervision/tool-guard.js";
import { JournalStore, MemoryJournal } from "../support/memory-journal.js";
import { passPorts, supervisor } from "./support.js";

function payTool(approval: AgentTool["approval"]): AgentTool {
  return {
    ref: { server: "shop", tool: "pay" },
    name: "pay",
    description: "Pays.",
    parameters: {},
    timeoutMs: 0,
    execution: "once",
    ...defined({ approval }),
    run: async () => ({ content: "paid" }),
  };
}

/** A guard whose work can be entered again, over the journal and the approvals that it left. */
function world(approval: AgentTool["approval"], supervisors: readonly Supervisor[] = []) {
  const store = new JournalStore();
  const approved = new Set<string>();
  const degraded: string[] = [];
  const tool = payTool(approval);
  const offered = { tools: [tool] };
  const guard = supervisingGuard(
    { supervisors, tools: () => offered.tools },
    {
      supervise: { ...passPorts(), decided: () => {}, review: {}, source: {} },
      validateArguments,
      approvals: {
        isApproved: ({ tool: name }) => approved.has(name),
        approveForSession: ({ tool: name }) => void approved.add(name),
      },
    },
    (names) => degraded.push(...names),
  );
  const call = (args: ToolCall["args"], toolCallId = "call_1"): ToolCall => ({ toolCallId, tool, args });
  return {
    store,
    approved,
    degraded,
    offered,
    calling: (args: ToolCall["args"], toolCallId?: string) =>
      guard.beforeCall(call(args, toolCallId), new MemoryJournal(store).scope("before")),
    returning: (content: string) => guard.afterCall(call({}), { content }, new MemoryJournal(store).scope("after")),
  };
}

describe("the approval of a call", () => {
  const ada = { to: "Ada", amount: 5 };

  it("belongs to the call that was shown: another call, or other arguments, are not made", async () => {
    for (const [args, toolCallId] of [
      [{ to: "Eve", amount: 500 }, "call_1"],
      [ada, "call_2"],
    ] as const) {
      const { store, calling } = world("always");
      await expect(calling(ada)).rejects.toBeInstanceOf(Parked);
      store.answer({ decision: "once" });
      // The same place in the work, entered with something else in hand.
      for (const step of [...store.steps.keys()]) store.steps.delete(step);
      expect(await calling(args, toolCallId)).toEqual({
        kind: "refuse",
        reason: 'The call of "pay" was not made: what was approved is another call.',
      });
      for (const step of [...store.steps.keys()]) store.steps.delete(step);
      expect(await calling(ada)).toEqual({ kind: "go", value: ada });
    }
  });

  it("is asked for each time, where it is needed always, whatever was approved for the session", async () => {
    const { approved, calling } = world("always");
    approved.add("pay");
    await expect(calling(ada)).rejects.toBeInstanceOf(Parked);
    const session = world("session");
    session.approved.add("pay");
    expect(await session.calling(ada)).toEqual({ kind: "go", value: ada });
  });

  it("isn't asked for when the tool can't be called anyway, and doesn't bring back what was excluded meanwhile", async () => {
    const excluded = {
      kind: "refuse",
      reason: 'The tool "pay" has been excluded from this conversation.',
      why: "excluded",
    };
    const never = world("always");
    never.offered.tools = [];
    expect(await never.calling(ada)).toEqual(excluded);
    expect([...never.store.asks]).toEqual([]);

    const later = world("always");
    await expect(later.calling(ada)).rejects.toBeInstanceOf(Parked);
    later.offered.tools = [];
    later.store.answer({ decision: "session" });
    expect(await later.calling(ada)).toEqual(excluded);
  });
});

describe("a supervisor that fails at a tool", () => {
  it("is named, at its call and at its result", async () => {
    for (const hook of ["tool_call", "tool_result"] as const) {
      const failing = supervisor("guard", new Error("down"), { hooks: new Set([hook]) });
      const { calling, returning, degraded } = world("never", [failing]);
      expect((await calling({})).kind).toBe("go");
      expect(degraded).toEqual(hook === "tool_call" ? ["guard"] : []);
      expect((await returning("paid")).kind).toBe("go");
      expect(degraded).toEqual(["guard"]);
    }
  });
});
