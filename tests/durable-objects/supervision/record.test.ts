/** What an auditor asks, answered from the API alone. */
import { describe, expect, it } from "vitest";
import { auditOf as audit, keyIdOf as keyId } from "../../support/audit.js";
import { newTenant, send, type TestTenant } from "../../support/conclave.js";
import { eventually } from "../../support/eventually.js";
import { everybodySpeaks, newPanel, startTable } from "../../support/roundtables.js";
import { answer, httpTool, openAsk, supervisingAgent, toolCalls } from "./support.js";

const review = [{ match: { type: "phrases", phrases: ["refund"] }, action: "review", reason: "money" }];

async function refunding(fields = {}, tool = {}) {
  const tenant = await newTenant();
  const refund = await httpTool(tenant, "refund", { approval: "always", ...tool });
  await refund.reply({ body: "refunded" });
  const model = await tenant.agent("assistant", { tools: [{ server: "shop", tool: "refund" }], ...fields });
  await model.reply(toolCalls(["refund", { text: "5 to Ada" }]), { text: "Done." });
  const session = await tenant.session({ subject: "ada", externalId: "room-7", metadata: { order: "4711" } });
  return { tenant, session, operator: await tenant.withRole("operator") };
}

describe("an auditor", () => {
  it("finds who approved a refund: in the ask, in its event, in the inbox and in the audit", async () => {
    const { tenant, session, operator } = await refunding();
    const turn = await tenant.say(session, "Refund me.");
    const askId = openAsk(turn);
    expect(turn.asks[0]).toMatchObject({
      audience: "staff",
      from: {
        sessionId: session,
        turnId: turn.turnId,
        subject: "ada",
        externalId: "room-7",
        metadata: { order: "4711" },
        agent: "assistant",
        tool: "shop/refund",
        toolCallId: expect.any(String),
        about: { message: "Refund me." },
      },
    });
    const by = { kind: "key", id: keyId(operator), role: "operator" };
    expect(await answer(operator, askId, { decision: "once" })).toMatchObject({ body: { closedBy: by } });
    await tenant.turn(session, turn.turnId);
    const events = await send("GET", `/v1/sessions/${session}/events?lingerMs=0`, { key: tenant.key });
    expect(await events.text()).toContain(`"closedBy":${JSON.stringify(by)}`);
    await eventually(async () => {
      const inbox = await tenant.call("GET", "/v1/asks?status=answered&subject=ada&audience=staff&sort=priority");
      expect(inbox.body.items).toMatchObject([{ askId, closedBy: by }]);
      const rows = await audit(tenant);
      expect(rows).toContainEqual(
        expect.objectContaining({
          type: "ask.answered",
          decision: "once",
          actor: by,
          sessionId: session,
          workId: turn.turnId,
          subject: expect.objectContaining({ askId, tool: "shop/refund" }),
        }),
      );
    });
  });

  it("finds who changed a text: the reviewer is the author of what the reviewer wrote, and stands in the pass", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant", { supervisors: ["held"] });
    await tenant.rules("held", review, { hooks: ["response"] });
    await model.reply({ text: "You get a refund." });
    const session = await tenant.session();
    const turn = await tenant.say(session, "Money back?");
    const operator = await tenant.withRole("operator");
    await answer(operator, openAsk(turn), { decision: "edit", content: "We will see." });
    const { reply } = await tenant.turn(session, turn.turnId);
    const by = { kind: "key", id: keyId(operator), role: "operator" };
    const path = `/v1/sessions/${session}`;
    const { items } = (await tenant.call("GET", `${path}/messages/${reply?.messageId}/versions`)).body;
    expect(items).toMatchObject([
      { author: { kind: "agent", id: "assistant" }, decision: "original" },
      { author: by, decision: "modify", message: { modelReply: { turns: [{ message: "We will see." }] } } },
    ]);
    const passes = (await tenant.call("GET", `${path}/supervision`)).body.items;
    expect(passes).toMatchObject([
      { hook: "request", subject: { messageId: turn.message?.messageId } },
      {
        hook: "response",
        decision: "modify",
        subject: { messageId: reply?.messageId },
        steps: [
          { supervisor: "held", action: "review" },
          { actor: by, action: "modify" },
        ],
      },
    ]);
  });

  it("finds which supervisor saw which tool call, what it called itself, and which call was blocked", async () => {
    const tenant = await newTenant();
    const tool = await httpTool(tenant, "look", {});
    await tool.reply({ body: "nothing" });
    const judge = await supervisingAgent(tenant, "judge", { hooks: ["tool_call"], permissions: "full_control" });
    await judge.reply(toolCalls(["list_rules", {}]), toolCalls(["block_message", { reason: "not this one" }]));
    const model = await tenant.agent("assistant", {
      tools: [{ server: "shop", tool: "look" }],
      supervisors: ["judge"],
    });
    await model.reply(toolCalls(["look", { text: "x" }]), { text: "I could not look." });
    const session = await tenant.session();
    const turn = await tenant.say(session, "Look.");
    expect(turn.supervision.tools).toMatchObject([
      { hook: "tool_call", tool: "shop/look", action: "block", toolCallId: expect.any(String) },
    ]);
    const passes = (await tenant.call("GET", `/v1/sessions/${session}/supervision`)).body.items;
    const seen = passes.find(({ hook }: { hook: string }) => hook === "tool_call");
    expect(seen).toMatchObject({
      subject: { tool: "shop/look", toolCallId: turn.supervision.tools?.[0]?.toolCallId },
      steps: [{ supervisor: "judge", calls: [{ tool: "list_rules" }, { tool: "block_message" }] }],
    });
    // Who only uses the agent reads that it was blocked, and not how its supervisor works.
    const client = await tenant.withRole("client");
    const shown = (await client.call("GET", `/v1/sessions/${session}/supervision`)).body.items;
    expect(JSON.stringify(shown)).not.toContain("list_rules");
  });

  it("finds who deleted a session, a memory and a vault for good, once each, and nothing of what wasn't there", async () => {
    const tenant = await newTenant();
    await tenant.agent("assistant");
    const operator = await tenant.withRole("operator");
    const session = await tenant.session();
    const { vaultId } = (await tenant.call("POST", "/v1/vaults", { title: "People" })).body;
    const { memoryId } = (await tenant.call("POST", `/v1/vaults/${vaultId}/memories`, { title: "Ada" })).body;
    const deletions = [
      [operator, `/v1/sessions/${session}`, 204],
      [operator, `/v1/sessions/${session}`, 404],
      [operator, `/v1/memories/${memoryId}`, 204],
      [operator, `/v1/memories/${memoryId}`, 404],
      [tenant, `/v1/vaults/${vaultId}`, 204],
      [tenant, `/v1/sessions/${session.replaceAll(/[0-9]/g, "0")}`, 404],
    ] as const;
    for (const [reader, path, status] of deletions) expect((await reader.call("DELETE", path)).status).toBe(status);

    const staff = { kind: "key", id: keyId(operator), role: "operator" };
    const rows = (await audit(tenant)).filter(({ type }) => String(type).endsWith(".deleted"));
    expect(rows).toMatchObject([
      { type: "session.deleted", sessionId: session, actor: staff },
      { type: "memory.deleted", memoryId, actor: staff },
      {
        type: "vault.deleted",
        subject: { kind: "vaults", name: vaultId },
        actor: { id: keyId(tenant), role: "admin" },
      },
    ]);
    expect(rows).toHaveLength(3);
  });

  it("finds of which roundtable a decision is", async () => {
    const tenant = await newTenant();
    await tenant.rules("plain", [{ match: { type: "phrases", phrases: ["rosebud"] }, action: "redact", reason: "no" }]);
    const panel = newPanel(["ana", "ben"], { rounds: 1 });
    await everybodySpeaks(panel);
    const { sessionId: roundtableId } = await startTable(tenant, panel, { topic: "Rosebud?", supervisors: ["plain"] });
    await eventually(async () => {
      const rows = (await audit(tenant)).filter(({ type }) => type === "supervision");
      expect(new Set(rows.map((row) => row.roundtableId))).toEqual(new Set([roundtableId]));
    });
  });

  it("finds who stored and who deleted a rule, and who changed what is in force in a session", async () => {
    const tenant = await newTenant();
    await tenant.agent("assistant");
    await tenant.put("rules", "polite", { text: "Be polite." });
    const session = await tenant.session();
    await tenant.call("POST", `/v1/sessions/${session}/context`, { add: { rules: ["polite"] }, reason: "asked for" });
    await tenant.call("DELETE", "/v1/rules/polite");
    const by = { kind: "key", id: keyId(tenant), role: "admin" };
    await eventually(async () => {
      const rows = (await audit(tenant)).filter(({ type }) => type !== "supervision");
      const about = (type: string) => rows.filter((row) => row.type === type);
      const rule = { kind: "rules", name: "polite" };
      expect(about("resource.stored")).toContainEqual(
        expect.objectContaining({ actor: by, subject: { ...rule, version: 1 } }),
      );
      expect(about("resource.deleted")).toMatchObject([{ actor: by, subject: rule }]);
      expect(about("context.changed")).toMatchObject([
        { actor: by, sessionId: session, subject: { version: 2 }, reasons: ["asked for"] },
      ]);
    });
    const csv = await send("GET", "/v1/audit?format=csv", { key: tenant.key });
    expect(csv.headers.get("content-type")).toContain("text/csv");
    expect(await csv.text()).toContain('"rules/polite"');
    expect(await audit(tenant, "?from=2099-01-01T00:00:00Z")).toEqual([]);
    const client = await tenant.withRole("client");
    expect((await client.call("GET", "/v1/audit")).status).toBe(403);
  });
});

describe("what a supervisor says", () => {
  it("is read whole by operators, and as its message for clients by everybody else", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant", { supervisors: ["guard"] });
    await model.reply({ text: "unused" });
    await tenant.rules(
      "guard",
      [{ match: { type: "phrases", phrases: ["secret plan"] }, action: "block", reason: "project X" }],
      { hooks: ["request"], clientMessage: "We can't talk about this." },
    );
    const session = await tenant.session();
    const turn = await tenant.say(session, "Tell me the secret plan.");
    expect(turn).toMatchObject({
      status: "blocked",
      error: { content: "Your message was blocked. We can't talk about this." },
      supervision: { request: { reasons: ["We can't talk about this."] } },
    });
    const seenBy = async (reader: TestTenant) =>
      (await reader.call("GET", `/v1/sessions/${session}/supervision`)).body.items[0];
    expect(await seenBy(tenant)).toMatchObject({ reasons: ["project X"], steps: [{ reasons: ["project X"] }] });
    const client = await seenBy(await tenant.withRole("client"));
    expect(client).toMatchObject({ reasons: ["We can't talk about this."] });
    expect(JSON.stringify(client)).not.toContain("project X");
  });
});

describe("who is asked", () => {
  it.each([
    ["the agent", { questions: { audience: "staff" } }, {}, "staff"],
    ["the tenant", {}, { questions: { audience: "staff" } }, "staff"],
    ["nobody, which means the end user", {}, {}, "user"],
    ["the agent before the tenant", { questions: { audience: "user" } }, { questions: { audience: "staff" } }, "user"],
  ])("a question to a person: as is said by %s", async (_who, agent, settings, audience) => {
    const tenant = await newTenant(settings);
    const tools = [{ server: "conclave", tool: "ask_human" }];
    const model = await tenant.agent("assistant", { tools, ...agent });
    await model.reply(toolCalls(["ask_human", { question: "Which order?" }]), { text: "Thanks." });
    const session = await tenant.session();
    const turn = await tenant.say(session, "Cancel my order.");
    expect(turn.asks).toMatchObject([{ audience, from: { tool: "conclave/ask_human", agent: "assistant" } }]);
    const client = await tenant.withRole("client");
    const status = (await answer(client, openAsk(turn), { response: "4711" })).status;
    expect(status).toBe(audience === "user" ? 200 : 403);
  });

  it("the approval of a call: the tool says it before the tenant does", async () => {
    const { tenant, session } = await refunding({}, { approvalPolicy: { audience: "user", timeoutMs: 60_000 } });
    const turn = await tenant.say(session, "Refund me.");
    expect(turn.asks).toMatchObject([{ audience: "user", deadline: expect.any(String) }]);
  });

  it("a review: the supervisor says it before the tenant does", async () => {
    const tenant = await newTenant({ reviews: { timeoutMs: 60_000 } });
    const model = await tenant.agent("assistant", { supervisors: ["held"] });
    await tenant.rules("held", review, { hooks: ["response"], review: { audience: "user" } });
    await model.reply({ text: "You get a refund." });
    const turn = await tenant.say(await tenant.session(), "Money back?");
    expect(turn.asks).toMatchObject([
      { audience: "user", deadline: expect.any(String), from: { supervisors: ["held"], agent: "assistant" } },
    ]);
  });
});

describe("an ask that was answered", () => {
  it("can't be cancelled any more; one that was cancelled can be cancelled again", async () => {
    const { tenant, session } = await refunding();
    const askId = openAsk(await tenant.say(session, "Refund me."));
    const both = await Promise.all([
      answer(tenant, askId, { decision: "deny" }),
      tenant.call("POST", `/v1/asks/${askId}/cancel`),
    ]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);

    const other = await refunding();
    const cancelled = openAsk(await other.tenant.say(other.session, "Refund me."));
    for (const _ of [1, 2]) {
      const again = await other.tenant.call("POST", `/v1/asks/${cancelled}/cancel`);
      expect(again).toMatchObject({ status: 200, body: { status: "cancelled", closedBy: { kind: "key" } } });
    }
  });
});
