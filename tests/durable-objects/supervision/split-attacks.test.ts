/** An attack in two parts with ten long messages between them: whoever judges the second is shown the first, as the model is. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { complete } from "../../openai/support.js";
import { type Fields, newTenant, type TestTenant } from "../../support/conclave.js";
import { callTool, mcpClient } from "../../support/mcp-client.js";
import { goOn, newPanel, seat, startTable, takes } from "../../support/roundtables.js";
import { modelOf, newTeam, routesTo, startRun } from "../../support/teams.js";
import { type UpstreamModel, upstreamFor } from "../../support/upstream-client.js";
import { httpTool, supervisingAgent, toolCalls } from "./support.js";

const first = "one half is peanut";
const second = "the other half is butter";
/** So long that ten of them fill three quarters of what a model is shown. */
const filler = "lorem ipsum ".repeat(200);
const long = (index: number) => `${filler}${index}`;

/** A supervisor that allows everything, and what it was asked for the last text it judged. */
interface Watcher {
  readonly name: string;
  readonly seen: () => Promise<string>;
}

const watchers: Readonly<Record<string, (tenant: TestTenant, hooks: readonly string[]) => Promise<Watcher>>> = {
  agent: async (tenant, hooks) => {
    const model = await supervisingAgent(tenant, "watcher", { hooks });
    await model.reply({ ...toolCalls(["allow_message", {}]), repeat: true });
    return { name: "watcher", seen: () => lastOf(model) };
  },
  http: async (tenant, hooks) => {
    const endpoint = upstreamFor(env.TEST_UPSTREAM);
    await endpoint.reply({ body: { action: "allow" }, repeat: true });
    const config = { url: endpoint.hookURL, secret: "a-long-secret" };
    await tenant.put("supervisors", "watcher", { kind: "http", hooks, config });
    return { name: "watcher", seen: () => lastOf(endpoint) };
  },
};

async function lastOf(model: UpstreamModel): Promise<string> {
  return JSON.stringify((await model.requests()).at(-1)?.body);
}

type Say = (text: string) => Promise<unknown>;

/** How a conversation goes on, face by face. */
const faces: Readonly<Record<string, (tenant: TestTenant) => Promise<Say>>> = {
  "a session": async (tenant) => {
    const session = await tenant.session();
    return (text) => tenant.say(session, text);
  },
  "a chat of the AI SDK": async (tenant) => (text) =>
    tenant.call("POST", "/v1/ui-chat", {
      id: "chat-1",
      agent: "assistant",
      messages: [{ id: crypto.randomUUID(), role: "user", parts: [{ type: "text", text }] }],
      trigger: "submit-message",
    }),
  MCP: async (tenant) => {
    const client = await mcpClient(tenant.key, "legacy");
    const sessionId = await tenant.session();
    return (content) => callTool(client, "send_message", { sessionId, content });
  },
  "OpenAI's chat, the conversation sent along": async (tenant) => {
    const messages: Fields[] = [];
    return async (content) => {
      messages.push({ role: "user", content });
      messages.push((await complete(tenant, messages)).body.choices[0].message);
    };
  },
  "OpenAI's chat, in a session": async (tenant) => {
    const session = await tenant.session();
    return (content) => complete(tenant, [{ role: "user", content }], {}, { "x-conclave-session": session });
  },
  "OpenAI's responses, one after the other": async (tenant) => {
    let previous: string | undefined;
    return async (input) => {
      const body = { model: "assistant", input, previous_response_id: previous };
      previous = (await tenant.call("POST", "/v1/responses", body)).body.id;
    };
  },
  "OpenAI's responses, the conversation sent along": async (tenant) => {
    const input: Fields[] = [];
    return async (content) => {
      input.push({ role: "user", content });
      const { body } = await tenant.call("POST", "/v1/responses", { model: "assistant", input, store: false });
      input.push({ role: "assistant", content: body.output[0].content[0].text });
    };
  },
};

describe.each(Object.entries(watchers))("a supervisor of kind %s", (_kind, watcher) => {
  it.each(Object.entries(faces))("is shown both parts of a text in %s", async (_face, conversation) => {
    const tenant = await newTenant();
    const { name, seen } = await watcher(tenant, ["request"]);
    const model = await tenant.agent("assistant", { supervisors: [name] });
    await model.reply({ text: filler, repeat: true });
    const say = await conversation(tenant);
    await say(`${long(0).slice(0, 1_500)} ${first} ${long(0).slice(0, 1_500)}`);
    for (let index = 1; index < 5; index++) await say(long(index));
    await say(second);
    const read = await seen();
    expect(await lastOf(model)).toContain(first);
    expect(read).toContain(second);
    expect(read).toContain(first);
  });

  it("is shown both parts that tools returned in different turns", async () => {
    const tenant = await newTenant();
    const { name, seen } = await watcher(tenant, ["tool_result"]);
    const tool = await httpTool(tenant, "look");
    await tool.reply({ body: first }, { body: second });
    const model = await tenant.agent("assistant", {
      tools: [{ server: "shop", tool: "look" }],
      supervisors: [name],
    });
    await model.reply(toolCalls(["look", {}]), { text: filler, repeat: 5 }, toolCalls(["look", {}]), { text: "Done." });
    const session = await tenant.session();
    for (let index = 0; index < 5; index++) await tenant.say(session, long(index));
    await tenant.say(session, "Look again.");
    const read = await seen();
    expect(read).toContain(second);
    expect(read).toContain(first);
  });

  it("is shown both parts that tools returned in one turn", async () => {
    const tenant = await newTenant();
    const { name, seen } = await watcher(tenant, ["tool_result"]);
    const tool = await httpTool(tenant, "look");
    await tool.reply({ body: first }, { body: long(0), repeat: 5 }, { body: second });
    const model = await tenant.agent("assistant", {
      tools: [{ server: "shop", tool: "look" }],
      supervisors: [name],
    });
    await model.reply({ ...toolCalls(["look", {}]), repeat: 7 }, { text: "Done." });
    await tenant.say(await tenant.session(), "Look seven times.");
    const read = await seen();
    expect(read).toContain(second);
    expect(read).toContain(first);
  });

  it("is shown both parts that a worker's tools returned in a run", async () => {
    const tenant = await newTenant();
    const { name, seen } = await watcher(tenant, ["tool_result"]);
    const tool = await httpTool(tenant, "look");
    await tool.reply({ body: first }, { body: second });
    const team = newTeam({ billing: { tools: ["shop/look"] } }, {}, { supervisors: [name] });
    await team.supervisor.reply(routesTo("billing"));
    await modelOf(team, "billing").reply({ ...toolCalls(["look", {}]), repeat: 2 }, { text: "Done." });
    expect((await startRun(tenant, team.definition, "Look twice.")).status).toBe("completed");
    const read = await seen();
    expect(read).toContain(second);
    expect(read).toContain(first);
  });

  it("is shown what other seats held in a roundtable", async () => {
    const tenant = await newTenant();
    const { name, seen } = await watcher(tenant, ["hop"]);
    const panel = newPanel(["ada", "bob"], { supervisors: [name] });
    await seat(panel, "ada").reply(takes(first), takes("Well."));
    await seat(panel, "bob").reply(takes("Hm."), takes(second));
    await goOn(tenant, await startTable(tenant, panel));
    const read = await seen();
    expect(read).toContain(first);
  });
});
