/** Every tool of MCP: who finds it, and that nothing of another tenant or another subject is reached by it. */
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { allTools, toolFamilies } from "../../src/mcp/tools/all.js";
import { type Fields, newTenant, type TestTenant } from "../support/conclave.js";
import { callTool, mcpClient, mcpUrl } from "../support/mcp-client.js";
import { newPanel, requests, seat, startTable, takes } from "../support/roundtables.js";
import { asksHuman, newTeam } from "../support/teams.js";

const era = "legacy";
const everyFamily = `${mcpUrl}?tools=${Object.keys(toolFamilies).join(",")}`;
const clientOf = (key: string) => mcpClient(key, era, undefined, undefined, everyFamily);
const roles = ["user", "client", "operator", "admin"] as const;

async function tokenOf(tenant: TestTenant, subject: string): Promise<string> {
  return (await tenant.call("POST", "/v1/tokens", { subject })).body.token;
}

it("are found by the roles that the table of acts names, and by no other", async () => {
  const tenant = await newTenant();
  for (const role of roles) {
    const key = role === "user" ? await tokenOf(tenant, "ada") : (await tenant.withRole(role)).key;
    const { tools } = await (await clientOf(key)).listTools();
    const mayUse = allTools.filter(({ act }) => {
      const { role: least, ofSubject } = act;
      return role === "user" ? ofSubject : roles.some((one) => one === least) && rank(role) >= rank(least);
    });
    expect(tools.map(({ name }) => name).sort(), role).toEqual(mayUse.map(({ name }) => name).sort());
  }
});

function rank(role: string): number {
  const ranks: readonly string[] = roles;
  return ranks.indexOf(role);
}

/** A tenant of whose things each has something: bob's session and its open question, a run, a debate, a memory. */
async function owner() {
  const tenant = await newTenant();
  const model = await tenant.agent("assistant", { tools: ["conclave/ask_human"] });
  await model.reply({ toolCalls: [{ name: "ask_human", arguments: { question: "Which?" } }] });
  const sessionId = await tenant.session({ subject: "bob" });
  const turn = await tenant.say(sessionId, "Buy it.");
  const team = newTeam({ billing: {} }, { tools: ["ask_human"] });
  await team.supervisor.reply(asksHuman("Which invoice?"));
  const run = await tenant.call("POST", "/v1/runs", { team: team.definition, input: "Is it paid?" });
  const panel = newPanel(["a", "b"], { rounds: 2 });
  await seat(panel, "a").reply(requests("What is the budget?"), takes("A waits."));
  await seat(panel, "b").reply(takes("B: ship it."));
  const table = await startTable(tenant, panel);
  const vault = await tenant.call("POST", "/v1/vaults", { title: "Vault" });
  const memory = await tenant.call("POST", `/v1/vaults/${vault.body.vaultId}/memories`, { title: "Memory" });
  const entry = await tenant.call("POST", `/v1/memories/${memory.body.memoryId}/entries`, {
    rawEntry: "The cat is called Tom.",
    role: "user",
    summary: "The cat is Tom.",
  });
  const ids: Fields = {
    sessionId,
    turnId: turn.turnId,
    askId: turn.asks[0]?.askId,
    runId: run.body.runId,
    agentId: "a",
    vault_id: vault.body.vaultId,
    memory_id: memory.body.memoryId,
    entry_id: entry.body.entryId,
  };
  for (const id of Object.values(ids)) expect(id).toEqual(expect.any(String));
  return { tenant, ids, roundtableId: table.sessionId };
}

/** What tools take beside ids, where a word of any kind won't do. */
const otherArguments: Readonly<Record<string, unknown>> = {
  action: "stop",
  round: 1,
  role: "user",
  answer: { response: "Mine." },
  level: "stored",
  messages: [],
};
const ofRoundtables = new Set(
  allTools.filter(({ act }) => /Roundtable/.test(act.act) && act.act !== "startRoundtable").map(({ name }) => name),
);
const inputSchema = z.object({
  properties: z.record(z.string(), z.unknown()).default({}),
  required: z.array(z.string()).default([]),
});

describe("the things of another", () => {
  it("are as if there were none: of another tenant for its admin, of another subject for a token", async () => {
    const { tenant, ids, roundtableId } = await owner();
    const strangers = [
      ["admin", await clientOf((await newTenant()).key)],
      ["user", await clientOf(await tokenOf(tenant, "ada"))],
    ] as const;
    const tried = new Set<string>();
    for (const [role, client] of strangers) {
      for (const { name, inputSchema: input } of (await client.listTools()).tools) {
        const { properties, required } = inputSchema.parse(input);
        const named = Object.keys(properties).filter((property) => property in ids && property !== "agentId");
        if (!named.some((property) => required.includes(property))) continue;
        const given = required.map((property) => [property, ids[property] ?? otherArguments[property] ?? "x"]);
        const own = ofRoundtables.has(name) ? { sessionId: roundtableId } : {};
        const answer = await callTool(client, name, { ...Object.fromEntries(given), ...own });
        expect(answer, `${role}: ${name}`).toMatchObject({
          isError: true,
          text: expect.stringMatching(/^not_found: /),
        });
        tried.add(name);
      }
    }
    expect(tried.size).toBeGreaterThan(25);
    // Nothing was done by any of them.
    expect((await tenant.call("GET", `/v1/asks/${ids.askId}`)).body.status).toBe("open");
    expect((await tenant.call("GET", `/v1/runs/${ids.runId}`)).body.status).toBe("waiting");
  });
});
