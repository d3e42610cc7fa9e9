/** What supervisors say in words of their own is read by everybody: nothing of what they were there to hide stands in it. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { newTenant, type TestTenant } from "../../support/conclave.js";
import { upstreamFor } from "../../support/upstream-client.js";
import { supervisingAgent, toolCalls } from "./support.js";

describe("what a supervisor says of a text that nobody may see", () => {
  const text = "The crown jewels lie in the cellar of the old mill; ask for swordfish, extension oil4711.";

  /** Everything that a client's key can read of a session, as one text. */
  async function seenByClients(tenant: TestTenant, session: string, turnId: string): Promise<string> {
    const client = await tenant.withRole("client");
    const paths = ["", "/messages", "/supervision", "/context", "/events?lingerMs=0", `/turns/${turnId}`];
    const answers = await Promise.all(paths.map((path) => client.call("GET", `/v1/sessions/${session}${path}`)));
    const inbox = await client.call("GET", "/v1/asks");
    return JSON.stringify([...answers, inbox].map(({ body }) => body));
  }

  it.each<[string, unknown]>([
    ["block_message", { reason: `It says: ${text}` }],
    ["block_message", { reason: `It says: ${text.toUpperCase().replaceAll(" ", "\u200b _ ")}` }],
    ["request_review", { reason: `May it say "${text}"?` }],
    ["modify_response", { content: "It is somewhere.", reason: `I took out "${text}", swordfish above all.` }],
    // What it can't do is told with what it wrote.
    ["edit_response", { operations: [{ type: "remove_turn", turnId: text }], baseHash: text, reason: "x" }],
  ])("isn't read by clients when its model quotes it with %s", async (name, args) => {
    const tenant = await newTenant();
    await tenant.put("rules", "calm", { text: "Be calm." });
    const model = await tenant.agent("assistant", { supervisors: ["guard"] });
    const settings = { hooks: ["response"], permissions: "full_control", onFailure: "block" };
    const guard = await supervisingAgent(tenant, "guard", settings);
    await model.reply({ text });
    await guard.reply({
      ...toolCalls(["include_rule", { name: "calm", reason: `Because of ${text}` }], [name, args]),
      repeat: 4,
    });
    const session = await tenant.session();
    const turn = await tenant.say(session, "Where are they?");
    const seen = await seenByClients(tenant, session, turn.turnId);
    expect(seen).not.toMatch(/crown|jewels|cellar|swordfish|oil4711|CROWN/);
    expect(seen).toContain('{"kind":"supervisor","id":"guard"}');
  });

  it("isn't read by clients when what it answered is told as its failure", async () => {
    const tenant = await newTenant();
    const endpoint = upstreamFor(env.TEST_UPSTREAM);
    const config = { url: endpoint.hookURL, secret: "a-long-secret" };
    await tenant.put("supervisors", "judge", { kind: "http", hooks: ["response"], onFailure: "block", config });
    const model = await tenant.agent("assistant", { supervisors: ["judge"] });
    await model.reply({ text });
    await endpoint.reply({ body: { action: "allow", [text]: true } });
    const session = await tenant.session();
    const turn = await tenant.say(session, "Where are they?");
    const seen = await seenByClients(tenant, session, turn.turnId);
    expect(seen).toContain('Supervisor \\"judge\\" (http) failed.');
    expect(seen).not.toMatch(/crown|jewels|cellar/);
  });

  it("passes the rules, those that stand elsewhere than the supervisor does too", async () => {
    const tenant = await newTenant();
    await tenant.rules("words", [
      { match: { type: "phrases", phrases: ["swordfish"] }, action: "block", reason: "A password." },
      { match: { type: "phrases", phrases: ["cellar"] }, action: "redact", replacement: "[place]", reason: "A place." },
    ]);
    await tenant.agent("assistant", { supervisors: ["words", "guard"] });
    // It is asked before the rules are.
    const guard = await supervisingAgent(tenant, "guard", { hooks: ["request"], order: -1 });
    await guard.reply(
      toolCalls(["block_message", { reason: "It says swordfish." }]),
      toolCalls(["block_message", { reason: "It is about a cellar." }]),
    );
    const session = await tenant.session();
    const said = [await tenant.say(session, text), await tenant.say(session, text)];
    expect(said.map(({ supervision }) => supervision.request?.reasons)).toEqual([
      [`[withheld: the rules of supervisor "words" don't let these words pass]`],
      ["It is about a [place]."],
    ]);
  });

  it("is one of the reasons that its tenant wrote, where it wrote any: nothing else is taken", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant", { supervisors: ["guard"] });
    const reasons = ["It tells where the crown jewels lie.", "Rude."];
    const guard = await supervisingAgent(tenant, "guard", { hooks: ["response"] }, { reasons });
    await model.reply({ text });
    await guard.reply(
      toolCalls(["block_message", { reason: "sllim dlo eht fo rallec eht ni" }]),
      toolCalls(["block_message", { reason: reasons[0] }]),
    );
    const turn = await tenant.say(await tenant.session(), "Where are they?");
    expect(turn.error?.content).toBe(`The answer was blocked. ${reasons[0]}`);
    expect(JSON.stringify((await guard.requests())[1]?.body)).toContain('arguments of \\"block_message\\" are wrong');
  });
});
