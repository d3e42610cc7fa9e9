import { describe, expect, it } from "vitest";
import { newTenant } from "../../support/conclave.js";
import { httpTool, seenBy, toolCalls } from "./support.js";

async function edited(settings = {}) {
  const tenant = await newTenant(settings);
  const tool = await httpTool(tenant, "look");
  await tool.reply({ body: "owner: Ada" });
  const model = await tenant.agent("assistant", { tools: [{ server: "shop", tool: "look" }] });
  await model.reply(
    { ...toolCalls(["look", { text: "a" }]), text: "Looking." },
    { text: "Ada owns it." },
    { text: "Yes." },
  );
  if ("supervisors" in settings)
    await tenant.rules("secrets", [{ match: { type: "length", max: 9_999 }, action: "block", reason: "long" }]);
  const session = await tenant.session();
  const turn = await tenant.say(session, "Whose is it?");
  const path = `/v1/sessions/${session}/messages/${turn.reply?.messageId}`;
  const versions = async () => (await tenant.call("GET", `${path}/versions`)).body.items;
  const [first] = await versions();
  const [looked, said] = turn.reply?.modelReply.turns ?? [];
  const operations = [
    { type: "redact_span", turnId: said?.turnId, text: "Ada", replacement: "A customer" },
    { type: "redact_tool_output", toolCallId: looked?.toolCalls?.[0]?.toolCallId },
  ];
  return { tenant, session, turn, model, path, versions, baseHash: first.hash, operations };
}

describe("an edit of a reply by an operator", () => {
  it("is what everybody sees and later turns read; what it said before stays in its versions", async () => {
    const { tenant, session, turn, model, path, versions, baseHash, operations } = await edited();
    const answer = await tenant.call("POST", `${path}/edits`, { operations, baseHash, reason: "a name" });
    expect(answer).toMatchObject({
      status: 200,
      body: { version: 2, reasons: ["a name"], decision: "edited", author: { kind: "key", role: "admin" } },
    });
    expect(JSON.stringify(await tenant.turn(session, turn.turnId))).not.toContain("Ada");
    expect(JSON.stringify((await tenant.call("GET", `/v1/sessions/${session}/messages`)).body)).not.toContain("Ada");
    await tenant.say(session, "Sure?");
    expect(JSON.stringify((await model.requests()).at(-1)?.body)).toContain("A customer owns it.");
    expect(JSON.stringify((await model.requests()).at(-1)?.body)).not.toContain("Ada");
    expect(await seenBy(model)).toContain("owner: Ada");
    expect((await versions()).map(({ version, hash }: { version: number; hash: string }) => [version, hash])).toEqual([
      [1, baseHash],
      [2, answer.body.hash],
    ]);
  });

  it("is made on the version it was made for, once, and all of it", async () => {
    const { tenant, path, versions, baseHash, operations } = await edited();
    const wrong = await tenant.call("POST", `${path}/edits`, {
      operations: [...operations, { type: "remove_turn", turnId: "no" }],
      baseHash,
    });
    expect(wrong).toMatchObject({ status: 422, body: { errors: [{ path: "operations.2" }] } });
    expect(await versions()).toHaveLength(1);
    const both = await Promise.all([1, 2].map(() => tenant.call("POST", `${path}/edits`, { operations, baseHash })));
    expect(both.filter(({ status }) => status === 200)).toHaveLength(1);
    expect((await tenant.call("POST", `${path}/edits`, { operations, baseHash })).status).toBe(412);
    expect(await versions()).toHaveLength(2);
  });

  it("passes the rules that nobody's words may pass", async () => {
    const { tenant, path, versions, baseHash } = await edited({ supervisors: ["secrets"] });
    await tenant.rules("secrets", [
      { match: { type: "phrases", phrases: ["hunter2"] }, action: "block", reason: "a password" },
      { match: { type: "phrases", phrases: ["Eve"] }, action: "redact", reason: "a name" },
    ]);
    const add = (content: string) =>
      tenant.call("POST", `${path}/edits`, { operations: [{ type: "add_turn", content }], baseHash });
    expect(await add("It is hunter2.")).toMatchObject({
      status: 422,
      body: { detail: expect.stringContaining("a password") },
    });
    expect(await versions()).toHaveLength(1);
    expect((await add("Ask Eve.")).body.message.modelReply.turns.at(-1).message).toMatch(/^Ask \[redacted/);
  });

  it("needs the role, the message and a reply", async () => {
    const { tenant, session, turn, path, baseHash, operations } = await edited();
    const client = await tenant.withRole("client");
    expect((await client.call("POST", `${path}/edits`, { operations, baseHash })).status).toBe(403);
    const other = await newTenant();
    expect((await other.call("POST", `${path}/edits`, { operations, baseHash })).status).toBe(404);
    const ofUser = `/v1/sessions/${session}/messages/${turn.message?.messageId}/edits`;
    expect((await tenant.call("POST", ofUser, { operations, baseHash })).status).toBe(422);
  });
});
