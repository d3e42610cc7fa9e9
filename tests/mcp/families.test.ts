/** What a host is shown of the tools: families that its address chooses, and a size that a model can read before its first word. */
import { exports } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { toolFamilies } from "../../src/mcp/tools/all.js";
import { newTenant, type TestTenant } from "../support/conclave.js";
import { callTool, eras, mcpClient, mcpUrl } from "../support/mcp-client.js";

const roles = ["user", "client", "operator", "admin"] as const;
const most = 40_000;
const families = Object.entries(toolFamilies);
const namesOf = (...chosen: (keyof typeof toolFamilies)[]) =>
  chosen.flatMap((family) => toolFamilies[family].map(({ name }) => name)).sort();

async function keyOf(tenant: TestTenant, role: (typeof roles)[number]): Promise<string> {
  if (role === "user") return (await tenant.call("POST", "/v1/tokens", { subject: "ada" })).body.token;
  return role === "admin" ? tenant.key : (await tenant.withRole(role)).key;
}

async function listed(key: string, query = "", era: (typeof eras)[number] = "legacy") {
  const { tools } = await (await mcpClient(key, era, undefined, undefined, `${mcpUrl}${query}`)).listTools();
  return { names: tools.map(({ name }) => name).sort(), bytes: new TextEncoder().encode(JSON.stringify(tools)).length };
}

describe("a list of tools", () => {
  it.each(roles)("is at most 40 kB for a key or token of role %s, by default and of each family", async (role) => {
    const key = await keyOf(await newTenant(), role);
    for (const query of ["", ...families.map(([family]) => `?tools=${family}`)]) {
      const { bytes } = await listed(key, query);
      expect(bytes, query).toBeLessThanOrEqual(most);
    }
  });

  it.each(eras)("has those of the families that the address names, in protocol %o", async (era) => {
    const { key } = await newTenant();
    expect((await listed(key, "", era)).names).toEqual(namesOf("conversations", "runs", "asks", "memory"));
    expect((await listed(key, "?tools=roundtables,asks", era)).names).toEqual(namesOf("asks", "roundtables"));
    expect((await listed(key, "?tools=asks&tools=runs,asks", era)).names).toEqual(namesOf("asks", "runs"));
  });

  it("has of a family only what its reader may use", async () => {
    const user = await keyOf(await newTenant(), "user");
    expect((await listed(user, "?tools=runs,roundtables")).names).toEqual([]);
    expect((await listed(user, "?tools=conversations")).names).toEqual(namesOf("conversations"));
  });
});

describe("the families", () => {
  it("are told to the host, with the address that lists the others", async () => {
    const { key } = await newTenant();
    for (const era of eras) {
      const told = (await mcpClient(key, era)).getInstructions();
      expect(told).toContain("/mcp?tools=conversations,runs,asks,memory,roundtables");
    }
  });

  it.each(["chats", "asks,constructor", ""])(
    'that there are not, as "%s", are refused with those that there are',
    async (asked) => {
      const { key } = await newTenant();
      const answer = await exports.default.fetch(`${mcpUrl}?tools=${asked}`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
      });
      expect(answer.status).toBe(422);
      const { error } = await answer.json<{ error: { message: string; data: { code: string } } }>();
      expect(error.data.code).toBe("invalid");
      for (const [family] of families) expect(error.message).toContain(family);
    },
  );

  it("that aren't listed can be called by a host that knows their tools, and by nobody who may not", async () => {
    const tenant = await newTenant();
    const admin = await mcpClient(tenant.key, "legacy", undefined, undefined, `${mcpUrl}?tools=asks`);
    expect(await callTool(admin, "list_sessions")).toMatchObject({ isError: false, result: { items: [] } });
    const user = await mcpClient(
      await keyOf(tenant, "user"),
      "legacy",
      undefined,
      undefined,
      `${mcpUrl}?tools=roundtables`,
    );
    await expect(callTool(user, "list_sessions")).rejects.toThrow(/not found/);
  });
});

it("what a list says of a result lets the whole result through", async () => {
  // The client checks each result against the schema that the list gave it.
  const tenant = await newTenant();
  await tenant.put("agents", "assistant", { kind: "model", model: "offline", instructions: "Help." });
  const client = await mcpClient(tenant.key, "legacy");
  const { tools } = await client.listTools();
  expect(tools.every(({ outputSchema }) => outputSchema?.type === "object")).toBe(true);
  const { result } = await callTool(client, "create_session", { agent: "assistant" });
  expect(await callTool(client, "send_message", { sessionId: result.sessionId, content: "Hello." })).toMatchObject({
    isError: false,
    result: { status: "completed", asks: [] },
  });
  expect(await callTool(client, "list_asks")).toMatchObject({ isError: false, result: { items: [] } });
});

it("an agent is found by what it is called and what it is for, beyond a page, and none of another tenant", async () => {
  const tenant = await newTenant();
  const agent = (description?: string) => ({
    kind: "model",
    model: "offline",
    instructions: "Secret words.",
    description,
  });
  await tenant.put("agents", "billing", agent("Invoices and refunds."));
  await tenant.put("agents", "assistant", agent());
  await tenant.put("agents", "travel", agent("Books trips; refunds of tickets."));
  for (const key of [tenant.key, await keyOf(tenant, "user")]) {
    const client = await mcpClient(key, "legacy");
    const all = await callTool(client, "list_agents");
    expect(all.result.items.map(({ name }: { name: string }) => name)).toEqual(["assistant", "billing", "travel"]);
    expect(JSON.stringify(all)).not.toContain("Secret words");
    const found = await callTool(client, "list_agents", { query: "REFUNDS  tickets", limit: 1 });
    expect(found.result).toEqual({
      items: [{ name: "travel", description: "Books trips; refunds of tickets." }],
      nextCursor: null,
    });
    expect((await callTool(client, "list_agents", { query: "weather" })).text).toBe("No agent was found.");
  }
  const other = await mcpClient((await newTenant()).key, "legacy");
  expect((await callTool(other, "list_agents")).result.items).toEqual([]);
});
