/** A supervisor sees all that the client gets; one that can't change it waits for no other; one that isn't needed isn't asked. */
import { describe, expect, it } from "vitest";
import { newTenant, openStream, parseEvents, shownText } from "../../support/conclave.js";
import { httpTool, passes, seenBy, supervisingAgent, toolCalls } from "./support.js";

describe("a supervising agent at response", () => {
  it("reads a tool's output to its end, in parts where it is long, and blocks the reply with any of them", async () => {
    const tenant = await newTenant();
    const tool = await httpTool(tenant, "look");
    await tool.reply({ body: `${"row ".repeat(12_000)}the password is swordfish` });
    const judge = await supervisingAgent(tenant, "judge", { hooks: ["response"] });
    await judge.reply(
      toolCalls(["allow_message", {}]),
      toolCalls(["block_message", { reason: "It holds a password." }]),
    );
    const model = await tenant.agent("assistant", {
      tools: [{ server: "shop", tool: "look" }],
      supervisors: ["judge"],
    });
    await model.reply(toolCalls(["look", {}]), { text: "There you are." });
    const session = await tenant.session();
    const turn = await tenant.say(session, "List all.");
    expect(turn).toMatchObject({ status: "blocked", supervision: { response: { action: "block" } } });
    expect(JSON.stringify(turn)).not.toContain("swordfish");
    expect(await judge.requests()).toHaveLength(2);
    expect(await seenBy(judge)).toContain("the password is swordfish");
  });
});

describe("supervising agents that can't change the text", () => {
  it.each([
    ["by their permissions", { permissions: "read_only" }, {}],
    ["because they hold no tool for it", {}, { tools: ["request_review", "list_rules"] }],
  ])("are asked at once: %s", async (_why, fields, config) => {
    const tenant = await newTenant();
    const judges = await Promise.all(["a", "b", "c"].map((name) => supervisingAgent(tenant, name, fields, config)));
    for (const judge of judges) await judge.reply({ ...toolCalls(["allow_message", {}]), hold: "h" });
    const model = await tenant.agent("assistant", { supervisors: ["a", "b", "c"] });
    await model.reply({ text: "Hello." });
    const session = await tenant.session();
    const sent = tenant.say(session, "Hi.");
    // None has answered, and each is asked.
    for (const judge of judges) await judge.until({ open: 1 });
    for (const judge of judges) await judge.release("h");
    expect((await sent).status).toBe("completed");
  });
});

describe("a supervisor with a condition", () => {
  it.each([
    ["a length", { minCharacters: 20 }, "Hi.", "Please tell me all about it."],
    ["a pattern", { pattern: "(?i)refund" }, "Hello there, how are you?", "I want a REFUND."],
  ])("of %s is asked about what meets it alone, and the record says so", async (_what, when, unmet, met) => {
    const tenant = await newTenant();
    const judge = await supervisingAgent(tenant, "judge", { when });
    await judge.reply(toolCalls(["block_message", { reason: "no" }]));
    const model = await tenant.agent("assistant", { supervisors: ["judge"] });
    await model.reply({ text: "Hello." });
    const session = await tenant.session();
    expect((await tenant.say(session, unmet)).status).toBe("completed");
    expect(await judge.requests()).toEqual([]);
    expect((await passes(tenant, session))[0].steps).toMatchObject([
      { supervisor: "judge", action: "allow", skipped: expect.any(String) },
    ]);
    expect((await tenant.say(session, met)).status).toBe("blocked");
  });

  it("of a sample is asked about what its ids say, and holds no reply that isn't in it", async () => {
    const tenant = await newTenant();
    const judge = await supervisingAgent(tenant, "judge", {
      hooks: ["request", "response"],
      when: { sample: 0.000001 },
    });
    const model = await tenant.agent("assistant", { supervisors: ["judge"] });
    await model.reply({ text: "One two three.", hold: { name: "h", afterChunks: 1 } });
    const stream = await openStream(tenant, await tenant.session());
    await stream.until((events) => shownText(events) !== "");
    await model.release("h");
    const events = parseEvents(await stream.until(() => false));
    expect(shownText(events)).toBe("One two three.");
    expect(events.filter(({ event }) => event === "reply.delta").length).toBeGreaterThan(1);
    expect(await judge.requests()).toEqual([]);
  });

  it("has to be one that can be met", async () => {
    const tenant = await newTenant();
    const config = { rules: [{ match: { type: "length", max: 5 }, action: "block", reason: "long" }] };
    const body = { kind: "rules", hooks: ["request"], config };
    expect(await tenant.call("PUT", "/v1/supervisors/x", { ...body, when: { pattern: "(" } })).toMatchObject({
      status: 422,
    });
    expect(await tenant.call("PUT", "/v1/supervisors/x", { ...body, when: { sample: 0 } })).toMatchObject({
      status: 422,
    });
    expect(await tenant.call("PUT", "/v1/supervisors/x", { ...body, when: { sample: 0.5 } })).toMatchObject({
      status: 201,
    });
  });
});
