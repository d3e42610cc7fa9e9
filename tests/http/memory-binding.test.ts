import { describe, expect, it } from "vitest";
import { newTenant, TestTenant } from "../support/conclave.js";
import { callTool, mcpClient } from "../support/mcp-client.js";
import { newMemory } from "../support/memory.js";
import { newPanel, seat, takes } from "../support/roundtables.js";
import { modelOf, newTeam, promptText, routesTo, startRun } from "../support/teams.js";

async function assistant() {
  const tenant = await newTenant();
  return { tenant, model: await tenant.agent("assistant") };
}

async function memoriesOf(tenant: TestTenant, subject: string) {
  return (await tenant.call("GET", `/v1/memories?subject=${encodeURIComponent(subject)}`)).body.items;
}

async function entriesOf(tenant: TestTenant, memoryId: string) {
  return (await tenant.call("GET", `/v1/memories/${memoryId}/entries`)).body.items;
}

/** Another memory of the tenant, with one entry. */
async function memoryWith(tenant: TestTenant, externalId: string, rawEntry: string): Promise<string> {
  const { vaultId } = (await tenant.call("POST", "/v1/vaults", { title: "House" })).body;
  const path = `/v1/vaults/${vaultId}/memories/by-external-id/${externalId}`;
  const { memoryId } = (await tenant.call("PUT", path, { title: externalId, model: "offline" })).body;
  await tenant.call("POST", `/v1/memories/${memoryId}/entries`, { rawEntry });
  return memoryId;
}

describe("the memory of a session", () => {
  it("is the subject's own, made once however many sessions begin with it at the same time", async () => {
    const { tenant, model } = await assistant();
    await model.reply({ text: "Noted." });
    const sessions = await Promise.all([1, 2, 3].map(() => tenant.session({ subject: "ada", memory: "subject" })));
    const [own, ...others] = await memoriesOf(tenant, "ada");
    expect(own).toMatchObject({ subject: "ada", externalId: "ada" });
    expect(others).toEqual([]);
    const [session = ""] = sessions;
    expect((await tenant.call("GET", `/v1/sessions/${session}`)).body.memory).toEqual({
      memoryId: own.memoryId,
      threadId: session,
    });
    await tenant.say(session, "I live in Turin.");
    await expect.poll(async () => (await entriesOf(tenant, own.memoryId)).length).toBe(2);
  });

  it("of a subject with spaces is its own too", async () => {
    const { tenant } = await assistant();
    const [session, again] = [1, 2].map(() => tenant.session({ subject: "Ada Lovelace", memory: "subject" }));
    const ids = await Promise.all(
      [await session, await again].map(
        async (id) => (await tenant.call("GET", `/v1/sessions/${id}`)).body.memory.memoryId,
      ),
    );
    expect(await memoriesOf(tenant, "Ada Lovelace")).toMatchObject([{ memoryId: ids[0] }]);
    expect(ids[0]).toBe(ids[1]);
  });

  it("recalls what the subject said in another session, and nothing of another subject's", async () => {
    const { tenant, model } = await assistant();
    await model.reply({ text: "Noted." }, { text: "Noted." }, { text: "Darjeeling." });
    await tenant.say(await tenant.session({ subject: "ada", memory: "subject" }), "My tea is Darjeeling.");
    await tenant.say(await tenant.session({ subject: "bob", memory: "subject" }), "My tea is Oolong.");
    for (const subject of ["ada", "bob"]) {
      const [{ memoryId }] = await memoriesOf(tenant, subject);
      await expect.poll(async () => (await entriesOf(tenant, memoryId)).length).toBe(2);
    }
    await tenant.say(await tenant.session({ subject: "ada", memory: "subject" }), "Which tea is mine?");
    const prompt = promptText((await model.requests()).at(-1));
    expect(prompt).toContain("My tea is Darjeeling.");
    expect(prompt).not.toContain("Oolong");
  });

  it("may be several: the first is written, all are recalled", async () => {
    const { tenant, model } = await assistant();
    await model.reply({ text: "It is Rosebud." });
    const house = await memoryWith(tenant, "house", "The word of the house is Rosebud.");
    const shop = await memoryWith(tenant, "shop", "The word of the shop is Marigold.");
    const memory = ["subject", { externalId: "house" }, { memoryId: shop }];
    const session = await tenant.session({ subject: "ada", memory });
    await tenant.say(session, "Which word is it?");
    const prompt = promptText((await model.requests()).at(-1));
    expect(prompt).toContain("Rosebud");
    expect(prompt).toContain("Marigold");
    const [{ memoryId }] = await memoriesOf(tenant, "ada");
    await expect.poll(async () => (await entriesOf(tenant, memoryId)).length).toBe(2);
    expect(await entriesOf(tenant, house)).toHaveLength(1);
    const bound = (await tenant.call("GET", `/v1/sessions/${session}`)).body.memory;
    expect(bound).toEqual([{ memoryId, threadId: session }, { memoryId: house }, { memoryId: shop }]);
  });

  it.each([
    [{ memory: "subject" }, "memory", "`subject`"],
    [{ memory: { externalId: "nobody" } }, "memory.externalId", "no memory has this externalId"],
    [{ memory: [{ memoryId: "mem_none" }] }, "memory.0.memoryId", "there is no such memory"],
    [{ memory: {} }, "memory", "one of them"],
    [{ memory: { memoryId: "mem_a", externalId: "a" } }, "memory", "one of them"],
    [{ memory: ["subject", { externalId: "a", threadId: "t" }], subject: "ada" }, "memory", "threadId"],
  ])("is refused with words: %j", async (fields, path, words) => {
    const { tenant } = await assistant();
    const answer = await tenant.call("POST", "/v1/sessions", { agent: "assistant", ...fields });
    expect(answer.status).toBe(422);
    expect(JSON.stringify(answer.body)).toContain(words);
    expect(answer.body.errors[0].path.startsWith(path)).toBe(true);
    expect(await memoriesOf(tenant, "ada")).toEqual([]);
  });

  it("isn't another subject's, whatever that one is called, nor another tenant's", async () => {
    const { tenant } = await assistant();
    const { memoryId } = await newMemory();
    await memoryWith(tenant, "ada", "About the company Ada.");
    const taken = await tenant.call("POST", "/v1/sessions", { agent: "assistant", subject: "ada", memory: "subject" });
    expect(taken).toMatchObject({ status: 422, body: { errors: [{ path: "memory" }] } });
    const foreign = await tenant.call("POST", "/v1/sessions", { agent: "assistant", memory: { memoryId } });
    expect(foreign).toMatchObject({ status: 422, body: { errors: [{ path: "memory.memoryId" }] } });
  });

  it("that is another subject's is bound with a warning, each time it is named, and an end user can't at all", async () => {
    const { tenant } = await assistant();
    await tenant.session({ subject: "bob", memory: "subject" });
    const [{ memoryId }] = await memoriesOf(tenant, "bob");
    const house = await memoryWith(tenant, "house", "The word of the house is Rosebud.");
    const client = await tenant.withRole("client");
    const begin = (fields: object) => client.call("POST", "/v1/sessions", { agent: "assistant", ...fields });
    const warned = await begin({ subject: "ada", memory: [{ memoryId: house }, { externalId: "bob" }] });
    const warnings = [{ path: "memory.1", message: expect.stringContaining("another subject's") }];
    expect(warned).toMatchObject({ status: 201, body: { warnings } });
    const path = "/v1/sessions/by-external-id/adas";
    const ensured = await client.call("PUT", path, { agent: "assistant", subject: "ada", memory: { memoryId } });
    expect(ensured).toMatchObject({ status: 201, body: { warnings: [{ path: "memory" }] } });
    expect(await begin({ memory: { memoryId } })).toMatchObject({
      status: 201,
      body: { warnings: [{ path: "memory" }] },
    });
    for (const fields of [{ subject: "bob", memory: { memoryId } }, { subject: "bob", memory: "subject" }, {}]) {
      const { status, body } = await begin(fields);
      expect(status).toBe(201);
      expect(body).not.toHaveProperty("warnings");
    }
    const again = await client.call("GET", `/v1/sessions/${warned.body.sessionId}`);
    expect(again.body).not.toHaveProperty("warnings");
    const { body } = await tenant.call("POST", "/v1/tokens", { subject: "ada" });
    const token = new TestTenant(tenant.tenantId, body.token);
    const refused = await token.call("POST", "/v1/sessions", { agent: "assistant", memory: { memoryId } });
    expect(refused.status).toBe(403);
  });

  it("isn't an end user's to choose", async () => {
    const { tenant } = await assistant();
    const { body } = await tenant.call("POST", "/v1/tokens", { subject: "ada" });
    const token = new TestTenant(tenant.tenantId, body.token);
    const begun = await token.call("POST", "/v1/sessions", { agent: "assistant", memory: "subject" });
    expect(begun.status).toBe(403);
  });
});

describe("the memory of a run, a debate and a chat of OpenAI's clients", () => {
  const search = (query: string) => ({ toolCalls: [{ name: "memory_search", arguments: { query } }] });

  it("is searched by a team's workers", async () => {
    const tenant = await newTenant();
    await memoryWith(tenant, "house", "The cat is called Tom.");
    const team = newTeam({ a: { tools: ["memory_search"] } });
    await team.supervisor.reply(routesTo("a"));
    await modelOf(team, "a").reply(search("cat"), { text: "Tom." });
    const run = await startRun(tenant, team.definition, "Who is it?", { memory: { externalId: "house" } });
    expect(run.response).toBe("Tom.");
    expect(run).not.toHaveProperty("warnings");
    expect(promptText((await modelOf(team, "a").requests())[1])).toContain("The cat is called Tom.");
  });

  it("is searched by a debate's seats", async () => {
    const tenant = await newTenant();
    const memoryId = await memoryWith(tenant, "house", "The cat is called Tom.");
    const panel = newPanel(["a", "b"], { tools: ["memory_search"], rounds: 1 });
    await seat(panel, "a").reply(search("cat"), takes("It is Tom."));
    await seat(panel, "b").reply(takes("It is a dog."));
    const start = { topic: "Who is it?", memory: [{ memoryId }], ...panel.fields };
    expect((await tenant.call("POST", "/v1/roundtables", start)).status).toBe(201);
    expect(promptText((await seat(panel, "a").requests())[1])).toContain("The cat is called Tom.");
  });

  it("that is another subject's is begun with a warning, over HTTP and MCP", async () => {
    const { tenant } = await assistant();
    await tenant.session({ subject: "bob", memory: "subject" });
    const [{ memoryId }] = await memoriesOf(tenant, "bob");
    const team = newTeam({ a: {} }, { strategy: "load-balanced", maxIterations: 1 });
    await modelOf(team, "a").reply({ text: "Mine.", repeat: true });
    await tenant.put("teams", "desk", team.definition);
    const panel = newPanel(["a", "b"], { rounds: 1 });
    for (const name of ["a", "b"]) await seat(panel, name).reply({ ...takes("It is Tom."), repeat: true });
    const about = { subject: "ada", memory: { memoryId } };
    const warnings = [{ path: "memory", message: expect.stringContaining("another subject's") }];
    expect(await startRun(tenant, "desk", "Who?", about)).toMatchObject({ warnings });
    const debate = { topic: "Who is it?", ...panel.fields, ...about };
    expect((await tenant.call("POST", "/v1/roundtables", debate)).body).toMatchObject({ warnings });
    const host = await mcpClient(tenant.key, "legacy");
    const begun = async (name: string, args: object) => (await callTool(host, name, { ...args, ...about })).result;
    expect(await begun("create_session", { agent: "assistant" })).toMatchObject({ warnings });
    expect(await begun("run_team", { team: "desk", input: "Who?" })).toMatchObject({ status: "completed", warnings });
    const { seats } = panel.fields;
    const board = { topic: "Who is it?", mode: "collaborative", seats, rounds: 1 };
    expect(await begun("start_roundtable", board)).toMatchObject({ warnings });
    await host.close();
  });

  it.each(["completions", "responses"])("is written and recalled by %s, by its field or in metadata", async (kind) => {
    const { tenant, model } = await assistant();
    await model.reply({ text: "Noted." }, { text: "Darjeeling." });
    const chat = (content: string, more: object) =>
      kind === "completions"
        ? tenant.call("POST", "/v1/chat/completions", {
            model: "assistant",
            messages: [{ role: "user", content }],
            ...more,
          })
        : tenant.call("POST", "/v1/responses", { model: "assistant", input: content, ...more });
    expect((await chat("My tea is Darjeeling.", { user: "ada", memory: "subject" })).status).toBe(200);
    const [{ memoryId }] = await memoriesOf(tenant, "ada");
    await expect.poll(async () => (await entriesOf(tenant, memoryId)).length).toBe(2);
    expect((await chat("Which tea is mine?", { metadata: { memoryId } })).status).toBe(200);
    expect(promptText((await model.requests()).at(-1))).toContain("My tea is Darjeeling.");
    const unknown = await chat("Hello.", { metadata: { memoryId: "mem_none" } });
    expect(unknown).toMatchObject({ status: 400, body: { error: { param: "memory.memoryId" } } });
    const twice = await chat("Hello.", { memory: "subject", metadata: { memoryId } });
    expect(twice).toMatchObject({ status: 400, body: { error: { param: "memory" } } });
    const sessionId = await tenant.session();
    const named = await chat("Hello.", { metadata: { memoryId, sessionId } });
    expect(named).toMatchObject({ status: 400, body: { error: { param: "memory" } } });
  });

  it("is named over MCP too", async () => {
    const { tenant } = await assistant();
    const client = await mcpClient(tenant.key, "legacy");
    const fields = { agent: "assistant", subject: "ada", memory: "subject" };
    const { result } = await callTool(client, "create_session", fields);
    const [{ memoryId }] = await memoriesOf(tenant, "ada");
    const { body } = await tenant.call("GET", `/v1/sessions/${result.sessionId}`);
    expect(body.memory.memoryId).toBe(memoryId);
  });
});
