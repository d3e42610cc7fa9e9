/** What the newest turns called and what came back is there for the next message: as supervision and people left it. */
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { newTenant } from "../../support/conclave.js";
import { httpTool, seenBy, toolCalls } from "../supervision/support.js";

const orders = "1: pen (4711), 2: ink (4712), owner Ada";

/** A request as the provider saw it. */
const request = z.object({
  messages: z.array(
    z.object({
      role: z.string(),
      content: z.string().nullable(),
      tool_calls: z.array(z.object({ id: z.string() })).optional(),
      tool_call_id: z.string().optional(),
    }),
  ),
});

async function listed() {
  const tenant = await newTenant();
  const list = await httpTool(tenant, "list");
  await list.reply({ body: orders });
  const tools = [{ server: "shop", tool: "list" }];
  const model = await tenant.agent("assistant", { tools });
  await model.reply(toolCalls(["list", { text: "ada" }]), { text: "You have two orders." }, { text: "Cancelled." });
  const session = await tenant.session();
  const turn = await tenant.say(session, "List my orders.");
  const path = `/v1/sessions/${session}/messages/${turn.reply?.messageId}`;
  const lastPrompt = async () => request.parse((await model.requests()).at(-1)?.body).messages;
  return { tenant, model, session, turn, path, lastPrompt };
}

describe("a message about what a tool returned in the turn before", () => {
  it("finds call and result in the prompt, paired as the provider wants them", async () => {
    const { tenant, session, lastPrompt } = await listed();
    await tenant.say(session, "Cancel the second order you just listed.");
    const sent = await lastPrompt();
    expect(sent.map(({ role }) => role)).toEqual(["system", "user", "assistant", "tool", "assistant", "user"]);
    expect(sent[2]?.tool_calls?.[0]?.id).toBe(sent[3]?.tool_call_id);
    expect(sent[3]?.content).toContain("2: ink (4712)");
  });

  it("finds what an operator redacted redacted, and nothing of a reply that was erased", async () => {
    const { tenant, model, session, turn, path } = await listed();
    await model.clear();
    await model.reply({ text: "Yes." }, { text: "No." });
    const { hash } = (await tenant.call("GET", `${path}/versions`)).body.items[0];
    const toolCallId = turn.reply?.modelReply.turns[0]?.toolCalls?.[0]?.toolCallId;
    const operations = [{ type: "redact_tool_output", toolCallId, replacement: "[orders]" }];
    expect((await tenant.call("POST", `${path}/edits`, { operations, baseHash: hash })).status).toBe(200);
    await tenant.say(session, "Whose are they?");
    expect(await seenBy(model)).toContain("[orders]");
    expect(await seenBy(model)).not.toContain("(4712)");
    await model.clear();
    await model.reply({ text: "No." });
    await tenant.call("POST", `${path}/erase`);
    await tenant.say(session, "And now?");
    expect(await seenBy(model)).not.toMatch(/orders\]|tool_call_id/);
  });

  it("finds it clipped where it is long, and of the newest replies alone: the prompt doesn't grow", async () => {
    const tenant = await newTenant();
    const list = await httpTool(tenant, "list");
    await list.reply({ body: `first ${"x".repeat(30_000)} last`, repeat: true });
    const model = await tenant.agent("assistant", { tools: [{ server: "shop", tool: "list" }] });
    const session = await tenant.session();
    const sizes: number[] = [];
    for (let turn = 0; turn < 6; turn++) {
      await model.clear();
      await model.reply(toolCalls(["list", {}]), { text: "There." });
      await tenant.say(session, "List.");
      sizes.push(JSON.stringify((await model.requests())[0]?.body).length);
    }
    const before = await seenBy(model);
    expect(before).toMatch(/first x+\\n\[… 27011 characters …\]\\nx+ last/);
    expect((sizes[5] ?? 0) - (sizes[4] ?? 0)).toBeLessThan(200);
    expect(sizes[5]).toBeLessThan(15_000);
  });
});
