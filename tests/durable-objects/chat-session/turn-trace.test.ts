/** What a reader who was not there learns of a turn and of a run, afterwards. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { newTenant, type TestTenant } from "../../support/conclave.js";
import { asksHuman, modelOf, newTeam, routesTo, startRun } from "../../support/teams.js";
import { upstreamFor } from "../../support/upstream-client.js";

/** A turn of a team that asks the user, calls a tool that staff approves, and answers. */
async function refundTurn(tenant: TestTenant) {
  const shop = upstreamFor(env.TEST_UPSTREAM);
  await shop.reply({ body: "refunded" });
  await tenant.put("tools", "refund", {
    server: "shop",
    description: "Refunds",
    http: { url: shop.hookURL },
    approval: "always",
  });
  const team = newTeam({ billing: { tools: ["shop/refund"] } }, { tools: ["ask_human"] });
  await team.supervisor.reply(
    asksHuman("Which order?"),
    routesTo("billing", { task: "Refund order 7.", reasoning: "It is about money." }),
  );
  await modelOf(team, "billing").reply({ toolCalls: [{ name: "refund", arguments: {} }] }, { text: "It is refunded." });
  await tenant.put("teams", "desk", team.definition);
  await tenant.put("agents", "desk", { kind: "team", team: "desk" });
  const session = await tenant.session({ agent: "desk" });
  const asking = await tenant.say(session, "I want a refund.");
  await tenant.call("POST", `/v1/asks/${asking.asks[0]?.askId}/answer`, { response: "order 7" });
  const approving = await tenant.turn(session, asking.turnId);
  await tenant.call("POST", `/v1/asks/${approving.asks[0]?.askId}/answer`, { decision: "once" });
  const done = await tenant.turn(session, asking.turnId);
  expect(done.status).toBe("completed");
  return { done, path: `/v1/sessions/${session}/turns/${asking.turnId}/trace`, session };
}

describe("the trace of a turn", () => {
  it("says who asked and who answered, what was approved, which agent called what, and why it was routed so", async () => {
    const tenant = await newTenant();
    const { path } = await refundTurn(tenant);
    const { status, body } = await tenant.call("GET", path);
    expect(status).toBe(200);
    for (const line of [
      "supervisor asked the user: “Which order?”",
      /“Which order\?” was answered by key key_\w+ \(\w+\) after \d+ \w+: order 7/,
      "Routed to billing (llm-based, 90 % sure): It is about money. The task: Refund order 7.",
      "billing wanted to call shop/refund; the staff had to approve that first.",
      /The call of shop\/refund was approved \(once\) by key key_\w+ \(\w+\) after/,
      "billing called the tool shop/refund.",
      "the turn waited",
      "**Response:** It is refunded.",
    ]) {
      expect(body.story).toMatch(line);
    }
    const decided = body.entries.find(({ type }: { type: string }) => type === "routing.decided");
    expect(decided.data.decision.reasoning).toBe("It is about money.");
    const markdown = await tenant.call("GET", `${path}?format=markdown`);
    expect(markdown.body).toBe(`${body.story}\n`);
  });

  it("is for operators", async () => {
    const tenant = await newTenant();
    const { path } = await refundTurn(tenant);
    const { body } = await tenant.call("POST", "/v1/keys", { role: "client" });
    expect((await tenant.call("GET", path, undefined, { authorization: `Bearer ${body.key}` })).status).toBe(403);
  });

  it("keeps no text of a turn whose message was erased", async () => {
    const tenant = await newTenant();
    const { path, session, done } = await refundTurn(tenant);
    await tenant.call("POST", `/v1/sessions/${session}/messages/${done.message?.messageId}/erase`);
    const { body } = await tenant.call("GET", path);
    expect(body.story).not.toContain("It is about money.");
    expect(body.story).not.toContain("Refund order 7.");
    expect(JSON.stringify(body.entries)).not.toContain("It is about money.");
    expect(body.story).toContain("routing.decided (its texts were erased");
  });
});

describe("the trace of a run that was cancelled", () => {
  it("says so, and who did it", async () => {
    const tenant = await newTenant();
    const team = newTeam({ a: {} }, { tools: ["ask_human"] });
    await team.supervisor.reply(asksHuman("Which?"));
    const { runId } = await startRun(tenant, team.definition, "Help.");
    await tenant.call("POST", `/v1/runs/${runId}/cancel`);
    const { story } = (await tenant.call("GET", `/v1/runs/${runId}/trace`)).body;
    expect(story).toMatch(/“Which\?” was cancelled by key key_\w+ \(\w+\) after/);
    expect(story).toMatch(/\*\*Cancelled\*\* by key key_\w+ \(\w+\)\./);
  });
});
