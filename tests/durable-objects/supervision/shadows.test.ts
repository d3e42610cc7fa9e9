/** Shadow supervisors that ask a model: no turn waits for them, and none of their verdicts is lost. */
import { runDurableObjectAlarm } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import { auditAbout } from "../../support/audit.js";
import { newTenant, type TestTenant } from "../../support/conclave.js";
import { eventually } from "../../support/eventually.js";
import { crash, passTime, rowsOf } from "../../support/objects.js";
import { supervisingAgent, toolCalls } from "./support.js";

const blocks = toolCalls(["block_message", { reason: "I would." }]);

async function shadowed() {
  const tenant = await newTenant();
  const shadow = await supervisingAgent(tenant, "shadow", { mode: "shadow" });
  const model = await tenant.agent("assistant", { supervisors: ["shadow"] });
  await model.reply({ text: "Hello." });
  return { tenant, shadow, session: await tenant.session() };
}

async function verdicts(tenant: TestTenant, session: string): Promise<object[]> {
  const { items } = (await tenant.call("GET", `/v1/sessions/${session}/supervision`)).body;
  return items.flatMap(({ steps }: { steps: object[] }) => steps);
}

const verdict = { supervisor: "shadow", version: 1, mode: "shadow", action: "block", reasons: ["I would."] };

describe("a shadow", () => {
  it("delays no turn: that ends while its model is held, and its verdict comes on record after it", async () => {
    const { tenant, shadow, session } = await shadowed();
    await shadow.reply({ ...blocks, hold: "verdict" });
    const turn = await tenant.say(session, "Hello?");
    expect(turn).toMatchObject({
      status: "completed",
      supervision: { request: { action: "allow" } },
      usage: { modelCalls: 1 },
    });
    await shadow.until({ requests: 1 });
    expect(await verdicts(tenant, session)).toEqual([]);

    await shadow.release("verdict");
    await eventually(async () => {
      expect(await verdicts(tenant, session)).toMatchObject([verdict]);
      const rows = await auditAbout(tenant, "supervision");
      expect(rows.filter(({ steps }) => JSON.stringify(steps).includes("shadow"))).toMatchObject([
        { decision: "allow", workId: turn.turnId, sessionId: session, steps: [verdict] },
      ]);
      expect((await tenant.call("GET", "/v1/usage?groupBy=model")).body.items).toContainEqual(
        expect.objectContaining({ group: `openai/${shadow.model}`, modelCalls: 1 }),
      );
    });
    expect((await tenant.turn(session, turn.turnId)).status).toBe("completed");
  });

  it("that came late is a pair with the supervisor in force, which saw the same text; of another tenant it is neither", async () => {
    const tenant = await newTenant();
    const shadow = await supervisingAgent(tenant, "shadow", { mode: "shadow" });
    await tenant.rules("war", [{ match: { type: "phrases", phrases: ["war"] }, action: "block", reason: "No." }], {
      hooks: ["request"],
    });
    const model = await tenant.agent("assistant", { supervisors: ["war", "shadow"] });
    await model.reply({ text: "Hello." });
    await shadow.reply(blocks);
    const session = await tenant.session();
    const { turnId } = await tenant.say(session, "Hello?");
    const path = "/v1/supervisors/shadow/comparison?with=war";
    await eventually(async () => {
      expect((await tenant.call("GET", path)).body).toMatchObject({
        ...{ supervisor: { name: "shadow", version: 1 }, with: { name: "war", version: 1 }, complete: true },
        unpaired: { supervisor: 0, with: 0 },
        comparison: { pairs: [{ candidate: "shadow@1", against: "war@1", items: 1, verdict: "not_enough" }] },
        disagreements: [{ sessionId: session, workId: turnId, hook: "request", action: "block", withAction: "allow" }],
      });
    });
    expect((await tenant.call("GET", `${path}&withVersion=2`)).status).toBe(404);
    expect((await tenant.call("GET", "/v1/supervisors/shadow/comparison")).status).toBe(422);
    expect((await (await newTenant()).call("GET", path)).status).toBe(404);
  });

  it("that its instance died over judges again, and is on record once", async () => {
    const { tenant, shadow, session } = await shadowed();
    await shadow.reply({ ...blocks, hold: "verdict" });
    await tenant.say(session, "Hello?");
    await shadow.until({ requests: 1 });
    await crash();
    await shadow.reply(blocks);
    passTime(60_000);
    await runDurableObjectAlarm(tenant.object(session));
    await runDurableObjectAlarm(tenant.object(session));
    await eventually(async () => expect(await verdicts(tenant, session)).toMatchObject([verdict]));
    await shadow.release("verdict");
    await runDurableObjectAlarm(tenant.object(session));
    expect(await verdicts(tenant, session)).toHaveLength(1);
  });

  it("has no part in the story, nor in what clients see: a block that came after it is a block", async () => {
    const tenant = await newTenant();
    const shadow = await supervisingAgent(tenant, "shadow", { mode: "shadow", hooks: ["request"] });
    await tenant.rules("guard", [{ match: { type: "phrases", phrases: ["Hello"] }, action: "block", reason: "No." }], {
      hooks: ["response"],
    });
    const model = await tenant.agent("assistant", { supervisors: ["shadow", "guard"] });
    await shadow.reply(blocks);
    await model.reply({ text: "Hello.", hold: "answer" });
    const session = await tenant.session();
    const { turnId } = await tenant.say(session, "Hi?", { waitMs: 0 });
    await eventually(async () => expect(await verdicts(tenant, session)).toMatchObject([verdict]));
    await model.release("answer");
    expect(await tenant.turn(session, turnId)).toMatchObject({
      status: "blocked",
      supervision: { response: { action: "block" } },
    });
    const { story } = (await tenant.call("GET", `/v1/sessions/${session}/turns/${turnId}/trace`)).body;
    expect(story).toMatch(/response: block/);
    const client = await tenant.withRole("client");
    const seen = (await client.call("GET", `/v1/sessions/${session}/supervision`)).body.items;
    expect(seen.map(({ hook }: { hook: string }) => hook)).toEqual(["request", "response"]);
  });

  it("keeps no text of an earlier turn that is erased", async () => {
    const { tenant, shadow, session } = await shadowed();
    await shadow.reply({ text: "x" }, { ...blocks, hold: "verdict" });
    const first = await tenant.say(session, "The word is Rosebud.");
    await shadow.until({ requests: 1 });
    await tenant.say(session, "And?");
    await shadow.until({ requests: 2 });
    const kept = () => rowsOf(tenant.object(session), "SELECT body FROM shadows");
    expect(JSON.stringify(await kept())).toContain("Rosebud");
    await tenant.call("POST", `/v1/sessions/${session}/messages/${first.message?.messageId}/erase`);
    expect(await kept()).toEqual([]);
    await shadow.release("verdict");
  });

  it("is left where a text of its turn is erased, or the session", async () => {
    const { tenant, shadow, session } = await shadowed();
    await shadow.reply({ ...blocks, hold: "verdict" });
    const turn = await tenant.say(session, "Hello?");
    await shadow.until({ requests: 1 });
    const erased = await tenant.call("POST", `/v1/sessions/${session}/messages/${turn.message?.messageId}/erase`);
    expect(erased.status).toBeLessThan(300);
    await shadow.release("verdict");
    expect((await tenant.call("DELETE", `/v1/sessions/${session}`)).status).toBe(204);
    const rows = await auditAbout(tenant, "supervision");
    expect(JSON.stringify(rows)).not.toContain("shadow");
  });
});
