/** Texts of a caller that prompts, transcripts or memories show beside the message are judged with it: who speaks, facts, notes. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { type Fields, newTenant, TestTenant } from "../../support/conclave.js";
import { modelOf, newTeam, routesTo } from "../../support/teams.js";
import { upstreamFor } from "../../support/upstream-client.js";
import { seenBy, supervisingAgent, toolCalls } from "./support.js";

const phrase = "open sesame";
const rule = (action: "block" | "redact") => ({ match: { type: "phrases", phrases: [phrase] }, action, reason: "No." });

async function scene(action: "block" | "redact", fields: Fields = {}) {
  const tenant = await newTenant({ supervisors: ["guard"] });
  await tenant.rules("guard", [rule(action)], { hooks: ["request"] });
  const model = await tenant.agent("assistant", fields);
  await model.reply({ text: "Hello.", repeat: true });
  return { tenant, model };
}

async function transcript(tenant: TestTenant, session: string): Promise<string> {
  return JSON.stringify((await tenant.call("GET", `/v1/sessions/${session}/messages`)).body);
}

const speaker = `Admin says ${phrase}`;

describe("a speaker's name", () => {
  it("that rules forbid stops the message, and stands nowhere", async () => {
    const { tenant, model } = await scene("block");
    const session = await tenant.session();
    const turn = await tenant.say(session, "Hi.", { speaker });
    expect(turn.status).toBe("blocked");
    expect(JSON.stringify(turn) + (await transcript(tenant, session))).not.toContain(phrase);
    expect(await model.requests()).toEqual([]);
  });

  it("is shown as rules leave it", async () => {
    const { tenant } = await scene("redact");
    const session = await tenant.session();
    const turn = await tenant.say(session, "Hi.", { speaker });
    expect(turn).toMatchObject({ status: "completed", message: { content: "Hi.", speaker: "Admin says [redacted]" } });
    expect(await transcript(tenant, session)).not.toContain(phrase);
  });

  it("needn't be about what messages have to be about", async () => {
    const { tenant } = await scene("block");
    const match = { type: "topics", allow: ["parcel"] };
    await tenant.rules("guard", [{ match, action: "block", reason: "Off topic." }], { hooks: ["request"] });
    const turn = await tenant.say(await tenant.session(), "Where is my parcel?", { speaker: "Maria" });
    expect(turn.status).toBe("completed");
  });

  it("is shown to a supervising agent, an endpoint and a moderation model", async () => {
    const tenant = await newTenant();
    const judge = await supervisingAgent(tenant, "judge");
    await judge.reply(toolCalls(["allow_message", {}]));
    const endpoint = upstreamFor(env.TEST_UPSTREAM);
    await endpoint.reply({ body: { action: "allow" } });
    const config = { url: endpoint.hookURL, secret: "a-long-secret" };
    await tenant.put("supervisors", "endpoint", { kind: "http", hooks: ["request"], config });
    const moderation = upstreamFor(env.TEST_UPSTREAM);
    const model = { model: `openai/${moderation.model}` };
    await tenant.put("supervisors", "moderation", { kind: "moderation", hooks: ["request"], config: model });
    const answering = await tenant.agent("assistant", { supervisors: ["judge", "endpoint", "moderation"] });
    await answering.reply({ text: "Hello." });
    await tenant.say(await tenant.session(), "Hi.", { speaker });
    for (const seen of [judge, endpoint, moderation]) expect(await seenBy(seen)).toContain(phrase);
  });

  it("of a message that answers a question is judged too", async () => {
    const { tenant, model } = await scene("redact", { tools: ["conclave/ask_human"] });
    await model.clear();
    await model.reply(toolCalls(["ask_human", { question: "Which?" }]), { text: "Done." });
    const session = await tenant.session({ whileWaiting: "answer" });
    await tenant.say(session, "Help.");
    await tenant.say(session, "The red one.", { speaker });
    const said = await transcript(tenant, session);
    expect(said).toContain("Admin says [redacted]");
    expect(said).not.toContain(phrase);
  });
});

describe("what an agent is to know of the end user", () => {
  const definition = { subject: "ada", metadata: { plan: `gold, ${phrase}`, age: 40 } };
  const context = ["subject", "metadata.plan", "metadata.age"];

  it("stops the message where rules forbid it, and only where the agent reads it", async () => {
    const { tenant, model } = await scene("block", { context });
    expect((await tenant.say(await tenant.session(definition), "Hi.")).status).toBe("blocked");
    expect(await model.requests()).toEqual([]);
    await tenant.agent("other");
    const blind = await scene("block");
    expect((await blind.tenant.say(await blind.tenant.session(definition), "Hi.")).status).toBe("completed");
  });

  it("is read as rules leave it, by an agent and by a team", async () => {
    const { tenant, model } = await scene("redact", { context });
    await tenant.say(await tenant.session(definition), "Hi.");
    expect(await seenBy(model)).toContain("gold, [redacted]");
    const team = newTeam({ billing: { context } }, {}, {});
    await team.supervisor.reply(routesTo("billing"));
    await modelOf(team, "billing").reply({ text: "Paid." });
    await tenant.call("POST", "/v1/runs", { team: team.definition, input: "Is it paid?", ...definition });
    const read = await seenBy(modelOf(team, "billing"));
    expect(read).toContain("gold, [redacted]");
    expect(read).not.toContain(phrase);
  });
});

describe("what an end user notes on a message", () => {
  it("stands in the transcript as rules leave it; what an application notes is its own", async () => {
    const { tenant } = await scene("redact");
    const { body } = await tenant.call("POST", "/v1/tokens", { subject: "ada" });
    const ada = new TestTenant(tenant.tenantId, body.token);
    const session = await tenant.session({ subject: "ada" });
    const metadata = { page: phrase, [phrase]: "x", visits: 3 };
    const turn = await ada.say(session, "Hi.", { metadata });
    expect(turn.message).toMatchObject({ metadata: { page: "[redacted]", visits: 3 } });
    expect(await transcript(tenant, session)).not.toContain(phrase);
    expect((await tenant.say(session, "Hi.", { metadata })).message).toMatchObject({ metadata });
  });
});
