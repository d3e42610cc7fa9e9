import { evictDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { newTenant, type TestTenant } from "../../support/conclave.js";
import { mcpKey } from "../../support/mcp-key.js";
import { type UpstreamModel, upstreamFor } from "../../support/upstream-client.js";
import { answer, openAsk, seenBy, slowDocs, toolCalls } from "./support.js";

async function remote(tenant: TestTenant, fields = {}, key = mcpKey): Promise<UpstreamModel> {
  const server = upstreamFor(env.TEST_UPSTREAM);
  await tenant.put("tools", "docs", {
    server: "docs",
    mcp: { url: server.mcpURL, headers: { "x-api-key": key } },
    ...fields,
  });
  return server;
}

describe("a remote MCP server as a tool server", () => {
  it("offers its tools to an agent, which calls them", async () => {
    const tenant = await newTenant();
    const server = await remote(tenant);
    const model = await tenant.agent("assistant", { tools: [{ server: "docs", tool: "*" }] });
    await model.reply(toolCalls(["search_pages", { query: "tea" }], ["break", {}]), { text: "Found it." });
    const turn = await tenant.say(await tenant.session(), "Search.");
    expect(turn.reply?.modelReply.turns[0]?.toolCalls).toMatchObject([
      { server: "docs", tool: "search.pages", output: "Found: tea." },
      { server: "docs", tool: "break", error: "It is broken." },
    ]);
    expect(await seenBy(model)).toContain("Searches the pages.");
    expect((await server.requests()).length).toBeGreaterThan(0);
  });

  it("shows whoever watches how far a call is, in numbers: its words no supervisor has seen, and nothing of it is stored", async () => {
    const tenant = await newTenant();
    await slowDocs(tenant);
    const model = await tenant.agent("assistant", { tools: [{ server: "docs", tool: "slow" }] });
    await model.reply(toolCalls(["slow", {}]), { text: "It is done." });
    const session = await tenant.session();
    const events = await tenant.stream(session, "Do it.");
    const about = events.filter(({ event }) => event.startsWith("tool."));
    expect(about.map(({ event, data }) => [event, data.progress])).toEqual([
      ["tool.called", undefined],
      // The server says more in the same second.
      ["tool.progress", 1],
      ["tool.returned", undefined],
    ]);
    const [called, progress] = about;
    const { toolCallId, turnId } = called?.data ?? {};
    expect(progress?.data).toEqual({ turnId, toolCallId, server: "docs", tool: "slow", progress: 1, total: 4 });
    expect(JSON.stringify(events)).not.toContain("Rosebud");
    const stored = await tenant.call("GET", `/v1/sessions/${session}/events?lingerMs=0`);
    expect(JSON.stringify(stored.body)).toContain("tool.returned");
    expect(JSON.stringify(stored.body)).not.toContain("tool.progress");
  });

  it("offers one tool, if one is named; and is listed once for many turns", async () => {
    const tenant = await newTenant();
    const server = await remote(tenant);
    const model = await tenant.agent("assistant", { tools: [{ server: "docs", tool: "search.pages" }] });
    await model.reply({ text: "Yes.", repeat: true });
    const session = await tenant.session();
    await tenant.say(session, "Hello.");
    const listed = (await server.requests()).length;
    await tenant.say(session, "Hello again.");
    expect(await server.requests()).toHaveLength(listed);
    expect(await seenBy(model)).not.toContain('"break"');
  });

  it("has its calls supervised and approved like any other", async () => {
    const tenant = await newTenant();
    await remote(tenant, { approval: "always" });
    const model = await tenant.agent("assistant", { tools: [{ server: "docs", tool: "*" }], supervisors: ["guard"] });
    await tenant.rules(
      "guard",
      [{ match: { type: "phrases", phrases: ["tea"] }, action: "redact", reason: "a drink" }],
      { hooks: ["tool_call"] },
    );
    await model.reply(toolCalls(["search_pages", { query: "tea" }]), { text: "Found it." });
    const session = await tenant.session();
    const turn = await tenant.say(session, "Search.");
    await evictDurableObject(tenant.object(session));
    await answer(tenant, openAsk(turn), { decision: "once" });
    const done = await tenant.turn(session, turn.turnId);
    expect(done.reply?.modelReply.turns[0]?.toolCalls?.[0]?.output).toMatch(/^Found: \[redacted/);
  });

  it("that can't be reached has no tools, and the conversation goes on", async () => {
    const tenant = await newTenant();
    await remote(tenant, {}, "wrong");
    const model = await tenant.agent("assistant", { tools: [{ server: "docs", tool: "*" }] });
    await model.reply({ text: "Without them." });
    expect((await tenant.say(await tenant.session(), "Search.")).status).toBe("completed");
    expect(JSON.stringify((await model.requests())[0]?.body)).not.toContain("search_pages");
  });

  it("is called at safe addresses only, and its headers aren't read back", async () => {
    const tenant = await newTenant();
    await remote(tenant);
    expect((await tenant.call("GET", "/v1/tools/docs")).body.mcp.headers).toEqual({ "x-api-key": "[hidden]" });
    const refused = await tenant.call("PUT", "/v1/tools/inner", {
      server: "inner",
      mcp: { url: "https://192.168.1.1/mcp" },
    });
    expect(refused).toMatchObject({ status: 422, body: { errors: [{ path: "mcp.url" }] } });
  });
});
