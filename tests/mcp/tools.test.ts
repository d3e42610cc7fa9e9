import { exports } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { newTenant } from "../support/conclave.js";
import { callTool, eras, mcpClient, mcpUrl } from "../support/mcp-client.js";
import { newPanel, requests, seat, takes } from "../support/roundtables.js";
import { asksHuman, modelOf, newTeam, routesTo } from "../support/teams.js";

const eraName = (era: (typeof eras)[number]): string => (typeof era === "string" ? era : era.pin);

describe.each(eras.map((era) => [eraName(era), era] as const))("MCP, protocol %s", (_name, era) => {
  it("lists tools with schemas of what they take and give, and says which only read", async () => {
    const tenant = await newTenant();
    const { tools } = await (await mcpClient(tenant.key, era)).listTools();
    for (const tool of tools) {
      expect(tool.inputSchema.type, tool.name).toBe("object");
      expect(tool.outputSchema, tool.name).toBeDefined();
      expect(tool.description?.length, tool.name).toBeGreaterThan(10);
      expect(tool.annotations?.readOnlyHint, tool.name).toBe(/^(list|get|await|search|export)_/.test(tool.name));
    }
    expect(tools.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["create_session", "send_message", "run_team", "answer_ask", "add_entry", "get_context"]),
    );
  });

  it("carries a supervised chat: what is blocked comes as the words for users, never as the text", async () => {
    const tenant = await newTenant();
    await tenant.rules("careful", [
      { match: { type: "phrases", phrases: ["blue falcon"] }, action: "block", reason: "It is secret." },
    ]);
    const model = await tenant.agent("assistant", { supervisors: ["careful"] });
    await model.reply({ text: "It opens at nine." }, { text: "It is the Blue Falcon." });
    const client = await mcpClient(tenant.key, era);
    const { result: session } = await callTool(client, "create_session", { agent: "assistant", subject: "ada" });
    const sent = await callTool(client, "send_message", { session_id: session.sessionId, content: "When?" });
    expect(sent).toMatchObject({ text: "It opens at nine.", isError: false, result: { status: "completed" } });
    const blocked = await callTool(client, "send_message", { sessionId: session.sessionId, content: "Which?" });
    expect(blocked.result).toMatchObject({ status: "blocked", asks: [] });
    expect(JSON.stringify(blocked)).not.toMatch(/falcon/i);
    const { text } = await callTool(client, "get_transcript", { sessionId: session.sessionId });
    expect(text).toContain("user: When?\nassistant: It opens at nine.\nuser: Which?");
    const read = await client.readResource({ uri: `conclave://sessions/${session.sessionId}/transcript` });
    expect(JSON.stringify(read.contents)).toContain("It opens at nine.");
    expect(JSON.stringify(read.contents)).not.toMatch(/falcon/i);
  });

  it("carries a run that asks a person through a host that can't ask", async () => {
    const tenant = await newTenant();
    const team = newTeam({ billing: {} }, { tools: ["ask_human"] });
    await tenant.put("teams", "help", team.definition);
    await team.supervisor.reply(asksHuman("Which invoice?"), routesTo("billing"));
    await modelOf(team, "billing").reply({ text: "Invoice 7 is paid." });
    const client = await mcpClient(tenant.key, era);
    const asked = await callTool(client, "run_team", { team: "help", input: "Is it paid?" });
    expect(asked.result).toMatchObject({
      status: "needs_input",
      asks: [{ question: "Which invoice?", kind: "human" }],
    });
    const [ask] = asked.result.asks;
    expect(asked.text).toContain(`[${ask.askId}]`);
    const answered = await callTool(client, "answer_ask", { askId: ask.askId, answer: { response: "7" } });
    expect(answered.result).toMatchObject({ status: "answered", closedBy: { kind: "key" } });
    const done = await callTool(client, "get_run", { runId: asked.result.runId });
    expect(done).toMatchObject({ text: "Invoice 7 is paid.", result: { status: "completed" } });
  });

  it("tells who may not answer what staff is asked that staff is asked, and who may how", async () => {
    const tenant = await newTenant({ questions: { audience: "staff" } });
    const model = await tenant.agent("assistant", { tools: ["conclave/ask_human"] });
    await model.reply(asksHuman("Is she on the list?"));
    const team = newTeam({ billing: {} }, { tools: ["ask_human"] });
    await tenant.put("teams", "help", team.definition);
    await team.supervisor.reply(asksHuman("Is she on the list?"));
    const client = await mcpClient((await tenant.withRole("client")).key, era);
    const sessionId = await tenant.session({ agent: "assistant", whileWaiting: "refuse" });
    const message = { sessionId, content: "Can she pay later?" };
    const turn = await callTool(client, "send_message", message);
    for (const asked of [turn, await callTool(client, "run_team", { team: "help", input: "Can she pay later?" })]) {
      expect(asked.result).toMatchObject({ status: "needs_input", asks: [{ audience: "staff", answerable: false }] });
      expect(asked.text).toContain("staff is asked, and answers elsewhere");
      expect(asked.text).not.toContain("answer_ask");
    }
    const refused = await callTool(client, "send_message", message);
    expect(refused).toMatchObject({ isError: true, text: expect.stringContaining("staff is asked") });
    expect(refused.text).not.toMatch(/answer_ask|Answer it/);

    const staff = await mcpClient((await tenant.withRole("operator")).key, era);
    const read = await callTool(staff, "get_turn", { sessionId, turnId: turn.result.turnId, waitMs: 0 });
    expect(read).toMatchObject({
      text: expect.stringContaining("answer_ask"),
      result: { asks: [{ answerable: true }] },
    });
    expect((await callTool(staff, "send_message", message)).text).toContain("answer_ask answers it");
  });

  it("carries a debate with a context request, from its start to its export", async () => {
    const tenant = await newTenant();
    const panel = newPanel(["a", "b"], { rounds: 2 });
    await tenant.put("panels", "board", panel.fields);
    await seat(panel, "a").reply(requests("What is the budget?"), takes("A waits."), takes("A: ship it."));
    await seat(panel, "b").reply(takes("B: ship it."), takes("B: ship it now."));
    const client = await mcpClient(tenant.key, era);
    const begun = await callTool(client, "start_roundtable", { topic: "Do we ship?", panel: "board" });
    const [request] = begun.result.contextRequests;
    expect(begun.result).toMatchObject({ status: "needs_context", blocking: true, currentRound: 1 });
    expect(begun.text).toContain(`[${request.requestId}] (required) What is the budget?`);
    const { sessionId } = begun.result;
    const contextResults = [{ requestId: request.requestId, content: "5 million", source: "the CFO" }];
    const done = await callTool(client, "continue_roundtable", { sessionId, contextResults });
    expect(done.result).toMatchObject({ status: "completed", outcomes: [{ outcome: "accepted" }] });
    expect(done.text).toContain("A: ship it.");
    const round = await callTool(client, "get_round_details", { sessionId, round: 2 });
    expect(round.result.responses).toHaveLength(2);
    const one = await callTool(client, "get_response_detail", { sessionId, round: 1, agentId: "b" });
    expect(one.result).toMatchObject({ position: "B: ship it." });
    expect((await callTool(client, "get_thoughts", { sessionId, agentId: "a" })).isError).toBe(false);
    expect((await callTool(client, "get_agents", { sessionId })).result.agents).toHaveLength(2);
    const exported = await callTool(client, "export_session", { sessionId });
    for (const text of ["What is the budget?", "5 million", "B: ship it now."]) expect(exported.text).toContain(text);
    const read = await client.readResource({ uri: `conclave://roundtables/${sessionId}/export` });
    expect(JSON.stringify(read.contents)).toContain("5 million");
    await expect
      .poll(async () => (await callTool(client, "list_sessions")).result.items)
      .toMatchObject([{ sessionId }]);
  });

  it("says what was wrong with a call, in words that a model can act upon", async () => {
    const tenant = await newTenant();
    const client = await mcpClient(tenant.key, era);
    const unknown = await callTool(client, "create_session", { agent: "nobody" });
    expect(unknown.isError).toBe(true);
    expect(unknown.text).toMatch(/^invalid: .*\n- agent: /);
    const wrong = await callTool(client, "send_message", { sessionId: "ses_1", content: "hi", mood: "glad" });
    expect(wrong.isError).toBe(true);
    expect(wrong.text).toContain("mood: there is no such field");
    const missing = await callTool(client, "send_message", { sessionId: "ses_1" });
    expect(missing.text).toContain("content: it is missing: a string");
    const foreign = await callTool(client, "get_turn", { sessionId: "ses_1", turnId: "turn_1" });
    expect(foreign).toMatchObject({ isError: true, text: expect.stringMatching(/^not_found: /) });
  });

  it("keeps a memory under the names of the memory agent's papers, in either spelling", async () => {
    const tenant = await newTenant();
    const client = await mcpClient(tenant.key, era);
    const { result: vault } = await callTool(client, "create_vault", { title: "Home" });
    const memory = { vault_id: vault.vaultId, title: "Ada" };
    const { result: made } = await callTool(client, "create_memory_in_vault", memory);
    await callTool(client, "add_entry", {
      memory_id: made.memoryId,
      raw_entry: "The cat is called Tom.",
      summary: "Cat: Tom.",
    });
    await callTool(client, "add_entry", { memoryId: made.memoryId, rawEntry: "The dog is called Rex." });
    const found = await callTool(client, "search_memories", { memory_id: made.memoryId, query: "cat", top_ke: 1 });
    expect(found.text).toContain("The cat is called Tom.");
    const thread = { memory_id: made.memoryId, thread_id: "monday" };
    expect((await callTool(client, "start_session", thread)).result).toMatchObject({ control: "START_SESSION" });
    const said = await callTool(client, "process_conversation_message", { ...thread, role: "user", content: "Hello." });
    expect(said.result).toMatchObject({ seq: 1, control: "PROCESS_MESSAGE" });
    expect((await callTool(client, "await_consistency", thread)).result).toMatchObject({ reached: true });
    expect((await callTool(client, "end_session", thread)).result).toMatchObject({ control: "END_SESSION" });
    const { prompts } = await client.listPrompts();
    expect(prompts.map(({ name }) => name)).toEqual(["entry-capture", "summary", "context"]);
    const prompt = await client.getPrompt({ name: "summary" });
    const { result: rules } = await callTool(client, "get_default_prompts");
    expect(prompt.messages[0]?.content).toMatchObject({ text: rules.prompts.summary });
  });

  it("offers an actor the tools that they may use, and nothing of another subject or tenant", async () => {
    const tenant = await newTenant();
    await tenant.put("agents", "assistant", { kind: "model", model: "offline", instructions: "Help." });
    const client = await tenant.withRole("client");
    const token = (await client.call("POST", "/v1/tokens", { subject: "ada" })).body.token;
    const ada = await mcpClient(token, era);
    const names = (await ada.listTools()).tools.map(({ name }) => name);
    expect(names).toContain("send_message");
    for (const name of ["run_team", "create_vault", "put_context", "get_run"]) expect(names).not.toContain(name);
    const bobs = await tenant.session({ subject: "bob" });
    const other = await mcpClient((await newTenant()).key, era);
    for (const reader of [ada, other]) {
      const answer = await callTool(reader, "get_transcript", { sessionId: bobs });
      expect(answer).toMatchObject({ isError: true, text: expect.stringMatching(/^not_found: /) });
      await expect(reader.readResource({ uri: `conclave://sessions/${bobs}/transcript` })).rejects.toThrow(/not_found/);
    }
  });

  it("makes with one key one thing, however often the call is sent", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant");
    await model.reply({ text: "Once." });
    const client = await mcpClient(tenant.key, era);
    const create = () => callTool(client, "create_session", { agent: "assistant", idempotencyKey: "chat-1" });
    const { sessionId } = (await create()).result;
    expect((await create()).result.sessionId).toBe(sessionId);
    const say = () => callTool(client, "send_message", { sessionId, content: "hi", idempotencyKey: "say-1" });
    expect((await say()).text).toBe("Once.");
    expect((await say()).text).toBe("Once.");
  });
});

describe.each(eras.map((era) => [eraName(era), era] as const))(
  "MCP, where the host can ask its user, protocol %s",
  (_name, era) => {
    it("asks them, and goes on at that very step without a second run", async () => {
      const tenant = await newTenant();
      const team = newTeam({ billing: {} }, { tools: ["ask_human"] });
      await tenant.put("teams", "help", team.definition);
      await team.supervisor.reply(asksHuman("Which invoice?", { suggestions: ["7", "8"] }), routesTo("billing"));
      await modelOf(team, "billing").reply({ text: "Invoice 7 is paid." });
      const asked: string[] = [];
      const client = await mcpClient(tenant.key, era, (question) => {
        asked.push(question);
        return { response: "7" };
      });
      const done = await callTool(client, "run_team", { team: "help", input: "Is it paid?" });
      expect(done).toMatchObject({ text: "Invoice 7 is paid.", result: { status: "completed" } });
      expect(asked).toEqual(["Which invoice?"]);
      await expect.poll(async () => (await tenant.call("GET", "/v1/runs")).body.items).toHaveLength(1);
    });

    it.each([undefined, "cancel"] as const)(
      "leaves a question open that they close without an answer: %s",
      async (closing) => {
        const tenant = await newTenant();
        const team = newTeam({ billing: {} }, { tools: ["ask_human"] });
        await tenant.put("teams", "help", team.definition);
        await team.supervisor.reply(asksHuman("Which invoice?"), routesTo("billing"));
        await modelOf(team, "billing").reply({ text: "Invoice 7 is paid." });
        const asked: string[] = [];
        const client = await mcpClient(tenant.key, era, (question) => {
          asked.push(question);
          return closing;
        });
        // Waiting for as long as the call says would be longer than this test may take.
        const left = await callTool(client, "run_team", { team: "help", input: "Is it paid?", waitMs: 120_000 });
        const [ask] = left.result.asks;
        expect(left.result).toMatchObject({ status: "needs_input", asks: [{ question: "Which invoice?" }] });
        expect(left.text).toContain(`The user declined to answer ${ask.askId}, which stays open.`);
        expect(asked).toEqual(["Which invoice?"]);
        const { body } = await tenant.call("GET", `/v1/asks/${ask.askId}`);
        expect(body).toMatchObject({ status: "open", declinedAt: ask.declinedAt });
        expect(body).not.toHaveProperty("answer");
        await callTool(client, "answer_ask", { askId: ask.askId, answer: { response: "7" } });
        const { runId } = left.result;
        expect((await callTool(client, "get_run", { runId, waitMs: 20_000 })).text).toBe("Invoice 7 is paid.");
      },
    );
  },
);

describe("the door of MCP", () => {
  const knock = (headers: Record<string, string>, id: number | string = 1) =>
    exports.default.fetch(mcpUrl, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers },
      body: JSON.stringify({ jsonrpc: "2.0", id, method: "tools/list" }),
    });

  it("answers a request whatever its id is like", async () => {
    const answer = await knock({ authorization: `Bearer ${(await newTenant()).key}` }, "question 1");
    expect(answer.status).toBe(200);
    expect(await answer.text()).toContain("create_session");
  });

  it("tells whoever has no valid key where to find out how to get one", async () => {
    for (const headers of [{}, { authorization: "Bearer cnk_wrong" }]) {
      const answer = await knock(headers);
      expect(answer.status).toBe(401);
      const challenge = answer.headers.get("www-authenticate") ?? "";
      const [, url = ""] = /resource_metadata="([^"]+)"/.exec(challenge) ?? [];
      const metadata = await (await exports.default.fetch(url)).json();
      expect(metadata).toMatchObject({ resource: mcpUrl, bearer_methods_supported: ["header"] });
    }
  });

  it("lets in pages of its own origin and of those that the tenant lists, and no others", async () => {
    const tenant = await newTenant({ corsOrigins: ["https://host.example"] });
    const authorization = `Bearer ${tenant.key}`;
    expect((await knock({ authorization, origin: "https://evil.example" })).status).toBe(403);
    const listed = await knock({ authorization, origin: "https://host.example" });
    expect(listed.status).toBe(200);
    expect(listed.headers.get("access-control-allow-origin")).toBe("https://host.example");
    expect((await knock({ authorization, origin: "http://localhost" })).status).toBe(200);
    const headers = {
      origin: "https://host.example",
      "access-control-request-method": "POST",
      "access-control-request-headers": "authorization,content-type,mcp-protocol-version",
    };
    const preflight = await exports.default.fetch(mcpUrl, { method: "OPTIONS", headers });
    expect(preflight.headers.get("access-control-allow-origin")).toBe("https://host.example");
    expect(preflight.headers.get("access-control-allow-headers")).toContain("mcp-protocol-version");
  });

  it("answers at its own address alone: a name that was pointed at this machine is refused", async () => {
    const tenant = await newTenant();
    const answer = await exports.default.fetch("http://evil.example/mcp", {
      method: "POST",
      headers: { authorization: `Bearer ${tenant.key}`, "content-type": "application/json", host: "evil.example" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
    });
    expect(answer.status).toBe(403);
  });
});
