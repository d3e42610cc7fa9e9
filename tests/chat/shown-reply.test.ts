/** What of the questions that agents put to people each reader of a reply sees. */
import { describe, expect, it } from "vitest";
import { replyShownTo } from "../../src/chat/shown-reply.js";
import type { AssistantMessage, ToolCallRequest, ToolCallResult } from "../../src/conversation/message.js";

const pending = (audience?: "user" | "staff"): ToolCallRequest => ({
  toolCallId: "c",
  server: "conclave",
  tool: "ask_human",
  args: { question: "Is she on the list?" },
  ...(audience && { audience }),
});
const asked = (audience?: "user" | "staff"): ToolCallResult => ({
  ...pending(audience),
  output: "She is.",
  elapsedMs: 5,
});

function replyWith(
  toolCalls: readonly ToolCallResult[],
  pendingToolCalls: readonly ToolCallRequest[],
): AssistantMessage {
  const turns = [{ turnId: "t", message: "One moment.", toolCalls: [...toolCalls] }];
  const modelReply = { timestamp: "2026-01-01T00:00:00.000Z", turns, pendingToolCalls: [...pendingToolCalls] };
  return { messageId: "m", role: "assistant", modelReply };
}

const toStaff = replyWith([asked("staff")], [pending("staff")]);
const toUser = replyWith([asked("user")], [pending("user")]);
const unmarked = replyWith([asked()], [pending()]);

describe("of a question to staff", () => {
  it("an end user sees that there was one, and nothing of what was asked and answered", () => {
    const { modelReply } = replyShownTo("user", toStaff);
    const bare = { toolCallId: "c", server: "conclave", tool: "ask_human", args: {}, audience: "staff" };
    expect(modelReply.turns).toEqual([{ turnId: "t", message: "One moment.", toolCalls: [{ ...bare, elapsedMs: 5 }] }]);
    expect(modelReply.pendingToolCalls).toEqual([bare]);
  });

  it("a client sees what was asked, and who may answer it what was answered as well", () => {
    const { modelReply } = replyShownTo("client", toStaff);
    expect(modelReply.turns[0]?.toolCalls).toEqual([{ ...pending("staff"), elapsedMs: 5 }]);
    expect(modelReply.pendingToolCalls).toEqual([pending("staff")]);
    expect(replyShownTo("operator", toStaff)).toEqual(toStaff);
  });

  it("a failure is part of the answer", () => {
    const { output: _, ...call } = asked("staff");
    const failed = replyWith([{ ...call, error: "Nobody answered in time." }], []);
    expect(JSON.stringify(replyShownTo("client", failed))).not.toContain("Nobody");
  });
});

it("a question to the end user, and calls of other tools, are shown to everybody", () => {
  const other = replyWith([{ ...asked(), server: "shop", tool: "look" }], []);
  for (const reply of [toUser, other])
    for (const reader of ["user", "client", "operator"] as const) expect(replyShownTo(reader, reply)).toBe(reply);
});

it("of a reply that doesn't say who was asked, an end user sees as little as if it had been staff", () => {
  expect(JSON.stringify(replyShownTo("user", unmarked))).not.toContain("She");
  expect(JSON.stringify(replyShownTo("user", unmarked))).not.toContain("she");
  expect(replyShownTo("client", unmarked)).toBe(unmarked);
});

describe("of a team's workers", () => {
  const modelReply = { ...toUser.modelReply, metadata: { team: "desk", workers: "billing", activeWorker: "billing" } };

  it.each([
    ["user", { team: "desk" }],
    ["client", modelReply.metadata],
  ] as const)("a %s reads no more than is theirs", (reader, metadata) => {
    expect(replyShownTo(reader, { ...toUser, modelReply }).modelReply.metadata).toEqual(metadata);
  });
});
