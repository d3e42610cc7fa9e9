/** What the record says of a decision: by which version of whom, with which model, by which rules, and who read what was kept of it. */
import { describe, expect, it } from "vitest";
import { auditOf as audit, exportedOf, keyIdOf } from "../../support/audit.js";
import { newTenant, send } from "../../support/conclave.js";
import { eventually } from "../../support/eventually.js";
import { httpTool, supervisingAgent, toolCalls } from "./support.js";

describe("an auditor", () => {
  it("finds which version of which supervisor decided, with which model, by which rules; clients don't", async () => {
    const tenant = await newTenant();
    const judge = await supervisingAgent(tenant, "judge");
    const phrases = (word: string, more = {}) => ({
      match: { type: "phrases", phrases: [word] },
      action: "redact",
      reason: "no",
      ...more,
    });
    await tenant.rules("words", [phrases("rosebud")], { hooks: ["request"] });
    const rules = [phrases("rosebud"), phrases("falcon", { id: "birds" }), phrases("lynx")];
    await tenant.rules("words", rules, { hooks: ["request"], order: -1 });
    const model = await tenant.agent("assistant", { supervisors: ["words", "judge"] });
    await judge.reply(toolCalls(["allow_message", {}]));
    await model.reply({ text: "Hello." });
    const session = await tenant.session();
    await tenant.say(session, "A falcon and a rosebud.");
    const path = `/v1/sessions/${session}/supervision`;
    const [pass] = (await tenant.call("GET", path)).body.items;
    const steps = [
      { supervisor: "words", version: 2, rules: ["1", "birds"], action: "modify" },
      { supervisor: "judge", version: 1, model: `openai/${judge.model}`, action: "allow" },
    ];
    expect(pass).toMatchObject({ steps });
    await eventually(async () => {
      expect(await audit(tenant)).toContainEqual(
        expect.objectContaining({
          hook: "request",
          steps: [expect.objectContaining(steps[0]), expect.objectContaining(steps[1])],
        }),
      );
    });
    const client = await tenant.withRole("client");
    const [shown] = (await client.call("GET", path)).body.items;
    for (const step of shown.steps)
      for (const field of ["version", "model", "rules"]) expect(step).not.toHaveProperty(field);
  });

  it("finds who read what was said before supervision changed it, and who exported the audit", async () => {
    const tenant = await newTenant();
    const operator = await tenant.withRole("operator");
    const client = await tenant.withRole("client");
    const model = await tenant.agent("assistant", {
      supervisors: ["words"],
      tools: [{ server: "shop", tool: "look" }],
    });
    await tenant.rules(
      "words",
      [
        { match: { type: "phrases", phrases: ["rosebud"] }, action: "redact", reason: "no" },
        { match: { type: "phrases", phrases: ["falcon"] }, action: "block", reason: "no" },
      ],
      { hooks: ["request", "tool_call"] },
    );
    await httpTool(tenant, "look");
    await model.reply({ text: "Hello." }, toolCalls(["look", { text: "A falcon." }]), { text: "No." });
    const session = await tenant.session();
    const changed = await tenant.say(session, "It is rosebud.");
    const plain = changed.reply?.messageId;
    const path = `/v1/sessions/${session}`;
    for (const reader of [client, operator]) {
      for (const messageId of [changed.message?.messageId, plain])
        await reader.call("GET", `${path}/messages/${messageId}/versions`);
      await reader.call("GET", `${path}/supervision`);
      await reader.call("GET", `${path}/turns/${changed.turnId}/trace`);
    }
    await tenant.say(session, "And?");
    for (const reader of [client, operator]) await reader.call("GET", `${path}/supervision`);
    await send("GET", "/v1/audit?format=csv&from=2020-01-01T00:00:00Z", { key: operator.key });
    const by = { kind: "key", id: keyIdOf(operator), role: "operator" };
    const about = { type: "originals.read", decision: "read", actor: by, sessionId: session };
    const rows = (await exportedOf(tenant)).filter(({ decision }) => decision === "read");
    expect(rows).toMatchObject([
      { ...about, subject: { messageId: changed.message?.messageId } },
      { ...about, workId: changed.turnId },
      { ...about, subject: {} },
      { type: "audit.exported", actor: by, subject: { kind: "audit", name: "csv", from: "2020-01-01T00:00:00Z" } },
      { type: "audit.exported", actor: { id: keyIdOf(tenant) }, subject: { name: "jsonl" } },
    ]);
  });
});
