import { describe, expect, it } from "vitest";
import { offlineModel } from "../../src/model/providers/offline.js";
import { takePositionTool } from "../../src/roundtable/position.js";
import { ask } from "./harness.js";

const requestContext = {
  name: "request_context",
  description: "Ask.",
  parameters: {
    type: "object",
    properties: { query: { type: "string" }, reason: { type: "string" } },
    required: ["query", "reason"],
  },
};
const topic = "The topic of the debate: Review the design of the refund service.";
const design = "The refund service keeps card numbers in its own table.";

async function called(message: string, tools: readonly (typeof requestContext)[] = [requestContext]) {
  const take = takePositionTool({ citable: [] });
  const request = { ...ask(message), tools: [...tools, take], toolChoice: "required" as const };
  const [call] = (await offlineModel().attempt("", request, {})).toolCalls;
  return { name: call?.name, args: JSON.parse(call?.arguments ?? "{}") };
}

describe("the offline model at a roundtable", () => {
  it("asks for what the debate doesn't hold, in words that every seat would use", async () => {
    const { name, args } = await called(topic);
    expect(name).toBe("request_context");
    expect(args.query).toMatch(/^What is written about .*refund.*\?$/);
  });

  it("quotes what was brought, and cites it", async () => {
    const message = `<context id="C1" question="What?" reason="Why.">\n${design}\n</context>`;
    expect(await called(`${topic}\n\n${message}\n\nYour part: You are Ana.`)).toMatchObject({
      name: "take_position",
      args: { position: `According to "C1": ${design}`, reasoning: expect.stringContaining("[C1]") },
    });
  });

  it("says that it has nothing to go by when what it asked for didn't come, and where it can't ask", async () => {
    const open = `<context question="What?" reason="Why." status="open">\nNot answered yet.\n</context>\n\n${topic}`;
    const nothing = { name: "take_position", args: { position: expect.stringContaining("nothing to go by") } };
    expect(await called(open)).toMatchObject(nothing);
    expect(await called(topic, [])).toMatchObject(nothing);
  });
});
