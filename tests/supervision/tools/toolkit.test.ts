/** The tools themselves, called by whoever holds them: what was never offered does nothing, and nothing does anything afterwards. */
import { describe, expect, it } from "vitest";
import type { Subject } from "../../../src/supervision/subject.js";
import { permissions } from "../../../src/supervision/supervisor.js";
import { contextTools } from "../../../src/supervision/tools/context-tools.js";
import { decisionTools } from "../../../src/supervision/tools/decision-tools.js";

import { PassToolkit, reasonSchema } from "../../../src/supervision/tools/toolkit.js";
import { never } from "../../agent/support.js";
import { KeptJournal, MemoryDesk, request, subjectsSaying } from "../agent/support.js";

const reason = "because";
/** Arguments that each tool would take. */
const args: Readonly<Record<string, unknown>> = {
  content: "hi",
  reason,
  name: "calm",
  server: "shop",
  tool: "pay",
  text: "Be calm.",
  query: "calm",
  operations: [{ type: "modify_turn", turnId: "rt_1", content: "hi" }],
  baseHash: "#",
};

const hash = async (): Promise<string> => "#";

function toolsOf(permission: (typeof permissions)[number], subject: Subject = request("hello")) {
  const kit = new PassToolkit(subject, permission);
  const desk = new MemoryDesk();
  const schema = reasonSchema(undefined);
  const ports = {
    editor: desk,
    supervisor: "guard",
    reason: schema,
    sanitizeReason: async (words: string) => words,
    changed: () => {},
  };
  const tools = [...decisionTools(kit, hash, schema, true), ...contextTools(kit, ports)];
  const call = (name: string) => {
    const tool = tools.find((one) => one.name === name);
    if (tool === undefined) throw new Error(`no tool ${name}`);
    return tool.run(args, { callId: "call_1", journal: new KeptJournal(), signal: never });
  };
  return { kit, desk, tools, call };
}

const changing = ["rule", "reference", "tool", "tool_server"].flatMap((one) => [`include_${one}`, `exclude_${one}`]);
const storing = ["store_rule", "delete_rule", "store_reference", "delete_reference"];

describe.each(permissions)("the permission %s", (permission) => {
  const may = {
    modify: permission === "modify_messages" || permission === "full_control",
    change: permission === "modify_context" || permission === "full_control",
    store: permission === "full_control",
  };

  it.each([
    ...["modify_message", "modify_response", "edit_response"].map((name) => [name, may.modify] as const),
    ...changing.map((name) => [name, may.change] as const),
    ...storing.map((name) => [name, may.store] as const),
    ...["allow_message", "block_message", "request_review", "list_rules", "get_tool"].map(
      (name) => [name, true] as const,
    ),
  ])("holds for %s when it is offered, and again when it is called (allowed: %s)", async (name, allowed) => {
    const reply = subjectsSaying("hello").find(({ hook }) => hook === "response");
    const ofReply = name.endsWith("_response");
    const { kit, desk, tools, call } = toolsOf(permission, ofReply && reply !== undefined ? reply : request("hello"));
    expect(tools.find((tool) => tool.name === name)?.offered).toBe(allowed);
    const output = await call(name);
    if (allowed) {
      expect(output.content).not.toContain("permissions");
      return;
    }
    expect(output).toEqual({
      content: `Not done: the setting permissions of this supervisor is "${permission}", which doesn't allow it.`,
      isError: true,
    });
    expect([kit.verdict(), desk.changes, desk.stored]).toEqual([undefined, [], []]);
  });
});

describe("once its pass is over", () => {
  it("no tool does anything any more", async () => {
    const { kit, desk, tools, call } = toolsOf("full_control");
    await call("allow_message");
    kit.close();
    for (const { name } of tools) {
      expect(await call(name), name).toEqual({
        content: "This pass is over; its tools can't be used any more.",
        isError: true,
      });
    }
    expect(kit.verdict()).toEqual({ action: "allow", reasons: [] });
    expect([desk.changes, desk.stored]).toEqual([[], []]);
  });
});
