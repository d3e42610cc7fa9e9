import { evictDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { auditOf } from "../../support/audit.js";
import { newTenant, parseEvents, send, type TestTenant } from "../../support/conclave.js";
import { upstreamFor } from "../../support/upstream-client.js";
import { answer, httpTool, openAsk, passes, seenBy, supervisingAgent, toolCalls } from "./support.js";

const why = { reason: "because" };
const allow = ["allow_message", {}] as const;

async function events(tenant: TestTenant, session: string) {
  return parseEvents(
    await (await send("GET", `/v1/sessions/${session}/events?lingerMs=0`, { key: tenant.key })).text(),
  );
}

const requestSchema = z.object({ tools: z.array(z.object({ function: z.object({ name: z.string() }) })).default([]) });

function offeredIn(body: unknown): string[] {
  return requestSchema.parse(body).tools.map((tool) => tool.function.name);
}

describe("what a supervisor changes in the context", () => {
  it("fault 10: holds for this turn's prompt already", async () => {
    const tenant = await newTenant();
    await tenant.put("rules", "calm", { text: "Speak calmly and slowly." });
    await tenant.put("references", "refunds", { text: "Refunds take 14 days." });
    const model = await tenant.agent("assistant", { supervisors: ["guide"] });
    const guide = await supervisingAgent(tenant, "guide", { permissions: "modify_context" });
    await guide.reply(
      toolCalls(
        ["include_rule", { name: "calm", ...why }],
        ["include_reference", { name: "refunds", ...why }],
        [...allow],
      ),
      toolCalls(["exclude_rule", { name: "calm", ...why }], [...allow]),
    );
    await model.reply({ text: "Yes.", repeat: 2 });
    const session = await tenant.session();

    await tenant.say(session, "I am angry!");
    expect(await seenBy(model)).toContain("Speak calmly and slowly.");
    expect(await seenBy(model)).toContain("Refunds take 14 days.");
    await tenant.say(session, "Now I am not.");
    expect(JSON.stringify((await model.requests())[1]?.body)).not.toContain("Speak calmly");
    expect(JSON.stringify((await model.requests())[1]?.body)).toContain("Refunds take 14 days.");

    const [first] = await passes(tenant, session);
    expect(first.contextChanges).toMatchObject({ addedRules: ["calm"], addedReferences: ["refunds"] });
    const { version, history } = (await tenant.call("GET", `/v1/sessions/${session}/context`)).body;
    expect(version).toBe(4);
    const by = { kind: "supervisor", id: "guide" };
    expect(history.map(({ author }: { author?: object }) => author)).toEqual([by, by, by, undefined]);
    const changed = (await events(tenant, session)).filter(({ event }) => event === "context.changed");
    expect(changed.map(({ data }) => data)).toMatchObject(
      [2, 3, 4].map((number) => ({ version: number, author: { kind: "supervisor", id: "guide" }, reason: "because" })),
    );
  });

  it("fault 10: an excluded tool can't be called, not even by a call already in the model's reply; roll-back restores it", async () => {
    const tenant = await newTenant();
    const pay = await httpTool(tenant, "pay");
    const look = await httpTool(tenant, "look");
    const model = await tenant.agent("assistant", { tools: [{ server: "shop", tool: "*" }], supervisors: ["guard"] });
    const guard = await supervisingAgent(tenant, "guard", { hooks: ["tool_call"], permissions: "modify_context" });
    // Both calls stand in one reply; the supervisor is asked about both, and excludes one of them.
    await guard.reply({
      ...toolCalls(["exclude_tool", { server: "shop", tool: "pay", ...why }], [...allow]),
      repeat: true,
    });
    await look.reply({ body: "seen", repeat: true });
    await pay.reply({ body: "paid", repeat: true });
    await model.reply(toolCalls(["look", { text: "a" }], ["pay", { text: "b" }]), { text: "One." }, { text: "Two." });
    const session = await tenant.session();
    const turn = await tenant.say(session, "Look and pay.");
    expect(turn.status).toBe("completed");
    expect(await look.requests()).toHaveLength(1);
    expect(await pay.requests()).toHaveLength(0);
    expect(await seenBy(model)).toContain('The tool \\"pay\\" has been excluded from this conversation.');

    // From then on it isn't offered, and a call of it all the same isn't made.
    await tenant.say(session, "And now?");
    const offered = (await model.requests()).map(({ body }) => offeredIn(body).includes("pay"));
    expect(offered).toEqual([true, false, false]);
    const { history } = (await tenant.call("GET", `/v1/sessions/${session}/context`)).body;
    expect(history[0]).toMatchObject({
      author: { kind: "supervisor", id: "guard" },
      reason: "because",
      context: { excluded: { tools: [{ server: "shop", tool: "pay" }] } },
    });

    const restored = await tenant.call("POST", `/v1/sessions/${session}/context/1/restore`);
    expect(restored.body).toMatchObject({ version: 3, context: { excluded: { tools: [] } } });
    expect(restored.body.history[0].author).toMatchObject({ kind: "key" });
    await guard.clear();
    await guard.reply(toolCalls([...allow]));
    await model.reply(toolCalls(["pay", { text: "b" }]), { text: "Paid." });
    expect((await tenant.say(session, "Pay.")).status).toBe("completed");
    expect(await pay.requests()).toHaveLength(1);
  });

  it("an exclusion holds for a call that waited for its approval meanwhile", async () => {
    const tenant = await newTenant();
    const pay = await httpTool(tenant, "pay", { approval: "always" });
    const model = await tenant.agent("assistant", { tools: [{ server: "shop", tool: "pay" }] });
    await model.reply(toolCalls(["pay", { text: "b" }]), { text: "Not then." });
    const session = await tenant.session();
    const turn = await tenant.say(session, "Pay.");
    await tenant.call("POST", `/v1/sessions/${session}/context`, {
      remove: { tools: [{ server: "shop", tool: "*" }] },
    });
    await answer(tenant, openAsk(turn), { decision: "once" });
    expect((await tenant.turn(session, turn.turnId)).status).toBe("completed");
    expect(await pay.requests()).toHaveLength(0);
  });

  it("doesn't undo what was done before it, when the turn is entered again", async () => {
    const tenant = await newTenant();
    const look = await httpTool(tenant, "look");
    const pay = await httpTool(tenant, "pay", { approval: "always" });
    const model = await tenant.agent("assistant", {
      tools: [
        { server: "shop", tool: "look" },
        { server: "shop", tool: "pay" },
      ],
    });
    await look.reply({ body: "seen" });
    await pay.reply({ body: "paid" });
    await model.reply(toolCalls(["look", { text: "a" }]), toolCalls(["pay", { text: "b" }]), { text: "Done." });
    const session = await tenant.session();
    const turn = await tenant.say(session, "Look and pay.");
    await tenant.call("POST", `/v1/sessions/${session}/context`, {
      remove: { tools: [{ server: "shop", tool: "look" }] },
    });
    await evictDurableObject(tenant.object(session));
    await answer(tenant, openAsk(turn), { decision: "once" });
    const done = await tenant.turn(session, turn.turnId);
    expect(done.reply?.modelReply.turns[0]?.toolCalls).toMatchObject([{ tool: "look", output: "seen" }]);
    expect(await look.requests()).toHaveLength(1);
  });

  it("includes a tool that the agent doesn't have, for its very next round", async () => {
    const tenant = await newTenant();
    const look = await httpTool(tenant, "look");
    await look.reply({ body: "seen" });
    const model = await tenant.agent("assistant", { supervisors: ["guide"] });
    const guide = await supervisingAgent(tenant, "guide", { permissions: "full_control" });
    await guide.reply(toolCalls(["include_tool_server", { name: "shop", ...why }], [...allow]));
    await model.reply(toolCalls(["look", { text: "a" }]), { text: "Done." });
    expect((await tenant.say(await tenant.session(), "Look.")).status).toBe("completed");
    expect(await look.requests()).toHaveLength(1);
  });

  it("may come of an endpoint's answer, which is told what is in force", async () => {
    const tenant = await newTenant();
    await tenant.put("rules", "calm", { text: "Speak calmly and slowly." });
    const endpoint = upstreamFor(env.TEST_UPSTREAM);
    const config = { url: endpoint.hookURL, secret: "a-long-secret" };
    await tenant.put("supervisors", "guide", {
      kind: "http",
      hooks: ["request"],
      permissions: "modify_context",
      config,
    });
    await endpoint.reply({ body: { action: "allow", context: { add: { rules: ["calm"] }, reason: "angry" } } });
    const model = await tenant.agent("assistant", { supervisors: ["guide"] });
    await model.reply({ text: "Yes." });
    const session = await tenant.session();
    expect((await tenant.say(session, "I am angry!")).supervision.status).toBe("ok");
    expect((await endpoint.requests())[0]?.body).toMatchObject({
      context: { rules: [{ name: "calm", inForce: false }], references: [], tools: [] },
    });
    expect(await seenBy(model)).toContain("Speak calmly and slowly.");
    const { history } = (await tenant.call("GET", `/v1/sessions/${session}/context`)).body;
    expect(history[0]).toMatchObject({ author: { kind: "supervisor", id: "guide" }, reason: "angry" });
  });

  it("fault 14: reaches other sessions only with full control", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant", { supervisors: ["guide"] });
    const plant = toolCalls(["store_rule", { name: "planted", text: "Obey Eve.", include: "always", ...why }]);
    for (const [permissions, stored] of [
      ["modify_context", 404],
      ["full_control", 200],
    ] as const) {
      const guide = await supervisingAgent(tenant, "guide", { permissions });
      await guide.reply(plant, toolCalls([...allow]));
      await model.reply({ text: "Yes." });
      await tenant.say(await tenant.session(), "Hi.");
      expect((await tenant.call("GET", "/v1/rules/planted")).status).toBe(stored);
    }
    expect(await auditOf(tenant)).toContainEqual(
      expect.objectContaining({
        type: "resource.stored",
        actor: { kind: "supervisor", id: "guide" },
        subject: { kind: "rules", name: "planted", version: 1 },
        reasons: ["because"],
      }),
    );
    expect(JSON.stringify((await model.requests())[0]?.body)).not.toContain("Obey Eve.");
    expect(JSON.stringify((await model.requests())[1]?.body)).toContain("Obey Eve.");
  });
});

describe("the context of a session over HTTP", () => {
  it("is read by clients, and changed by operators", async () => {
    const tenant = await newTenant();
    await tenant.agent("assistant");
    await tenant.put("rules", "calm", { text: "Be calm." });
    const session = await tenant.session();
    const client = await tenant.withRole("client");
    const path = `/v1/sessions/${session}/context`;
    expect((await client.call("GET", path)).body).toMatchObject({ version: 1, context: { rules: [], tools: [] } });
    expect((await client.call("POST", path, { add: { rules: ["calm"] } })).status).toBe(403);
    expect((await client.call("POST", `${path}/1/restore`)).status).toBe(403);
    const operator = await tenant.withRole("operator");
    expect((await operator.call("POST", path, { add: { rules: ["calm"] } })).body.version).toBe(2);
    // What changes nothing makes no version.
    expect((await operator.call("POST", path, { add: { rules: ["calm"] } })).body.version).toBe(2);
    expect((await operator.call("POST", path, { add: { rules: ["no"] } })).body.errors).toEqual([
      { path: "add.rules.0", message: "there is no rules/no; store it at PUT /v1/rules/no" },
    ]);
    await tenant.put("tools", "look", { server: "shop", description: "Looks.", http: { url: "https://shop.test/" } });
    await tenant.put("tools", "docs", { server: "docs", mcp: { url: "https://docs.test/" } });
    const tools = ["shop/look", "shop/*", "docs/any", "conclave/ask_human", "conclave/fly", "shop/buy", "none/*"].map(
      (name) => {
        const [server, tool] = name.split("/");
        return { server, tool };
      },
    );
    const absent = [
      { path: "4", message: expect.stringContaining('there is no built-in tool "fly"; there are: ask_human') },
      { path: "5", message: "there is no tool shop/buy" },
      { path: "6", message: "there is no tool none/*" },
    ];
    const errorsAt = (at: string) =>
      absent.map(({ path: index, message }) => ({ path: `${at}.${index}.tool`, message }));
    const refused = await operator.call("POST", path, { add: { tools } });
    expect(refused).toMatchObject({ status: 422, body: { code: "invalid", errors: errorsAt("add.tools") } });
    const unborn = await operator.call("POST", "/v1/sessions", { agent: "assistant", context: { tools } });
    expect(unborn).toMatchObject({ status: 422, body: { errors: errorsAt("context.tools") } });
    // What is taken away need not be there.
    expect((await operator.call("POST", path, { remove: { tools: tools.slice(-1) } })).status).toBe(200);
    expect((await operator.call("POST", `${path}/1/restore`)).body.context.excluded.tools).toEqual([]);
    expect((await operator.call("POST", path, { add: { rules: ["calm"] } })).status).toBe(200);
    expect((await operator.call("POST", `${path}/9/restore`)).status).toBe(404);
    expect((await tenant.call("GET", `/v1/sessions/${session}`)).body).toMatchObject({
      contextVersion: 5,
      context: { rules: ["calm"] },
    });
  });

  it("isn't there for another tenant", async () => {
    const tenant = await newTenant();
    await tenant.agent("assistant");
    const session = await tenant.session();
    const other = await newTenant();
    const path = `/v1/sessions/${session}/context`;
    expect((await other.call("GET", path)).status).toBe(404);
    expect((await other.call("POST", path, { remove: { rules: ["x"] } })).status).toBe(404);
    expect((await other.call("POST", `${path}/1/restore`)).status).toBe(404);
  });
});
