import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { newTenant } from "../../support/conclave.js";
import { modelOf, newTeam, promptText, routesTo, startRun } from "../../support/teams.js";
import { type ScriptedReply, upstreamFor } from "../../support/upstream-client.js";

async function withSearch(fields: Record<string, unknown>) {
  const tenant = await newTenant();
  const hook = upstreamFor(env.TEST_UPSTREAM);
  await tenant.put("tools", "search", {
    server: "wiki",
    description: "Searches the wiki",
    parameters: { type: "object", properties: { query: { type: "string" }, limit: { type: "number" } } },
    http: { url: hook.hookURL },
    ...fields,
  });
  const team = newTeam({ a: {} }, { tools: ["wiki/search"] });
  await modelOf(team, "a").reply({ text: "Done.", repeat: true });
  const ask = async (args: unknown) => {
    const call: ScriptedReply = { toolCalls: [{ name: "search", arguments: args }] };
    await team.supervisor.reply(call, routesTo("a"));
    const before = (await team.supervisor.requests()).length;
    expect((await startRun(tenant, team.definition, "Help.")).status).toBe("completed");
    return promptText((await team.supervisor.requests())[before + 1]);
  };
  return { hook, ask };
}

describe("a tool's results", () => {
  it("are kept for the same arguments in whatever order, and for no others", async () => {
    const { hook, ask } = await withSearch({ cacheSeconds: 60 });
    await hook.reply({ body: "first" }, { body: "second" });
    await ask({ query: "refund rules", limit: 3 });
    expect(await ask({ limit: 3, query: "refund rules" })).toContain("first");
    expect(await ask({ query: "refund rule", limit: 3 })).toContain("second");
    expect(await hook.requests()).toHaveLength(2);
  });

  it("count for similar arguments above the stated likeness, never across other numbers", async () => {
    const { hook, ask } = await withSearch({ cacheSeconds: 60, cacheSimilarity: 0.7 });
    await hook.reply({ body: "first" }, { body: "second" });
    await ask({ query: "what are the refund rules for order 17" });
    expect(await ask({ query: "what are refund rules for the order 17" })).toContain("first");
    expect(await ask({ query: "what are the refund rules for order 18" })).toContain("second");
    expect(await hook.requests()).toHaveLength(2);
  });

  it("aren't kept when they are errors", async () => {
    const { hook, ask } = await withSearch({ cacheSeconds: 60 });
    await hook.reply({ status: 404, body: "nothing" }, { body: "found" });
    expect(await ask({ query: "x" })).toContain("HTTP 404");
    expect(await ask({ query: "x" })).toContain("found");
  });
});

describe("a tool that is down for a moment", () => {
  it("is tried once more under the same key if it is idempotent, and not otherwise", async () => {
    for (const idempotent of [true, false]) {
      const { hook, ask } = await withSearch({ idempotent });
      await hook.reply({ status: 503, body: "later" }, { body: "found" });
      expect(await ask({ query: "x" })).toContain(idempotent ? "found" : "HTTP 503");
      const keys = (await hook.requests()).map(({ headers }) => headers["idempotency-key"]);
      expect(keys).toHaveLength(idempotent ? 2 : 1);
      expect(new Set(keys).size).toBe(1);
    }
  });
});
