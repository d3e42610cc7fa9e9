import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { newTenant, type TestTenant } from "../../support/conclave.js";
import { upstreamFor } from "../../support/upstream-client.js";
import { httpTool, toolCalls } from "../supervision/support.js";
import { contextOf, secret, tenantSecret, verifyCall } from "./support.js";

async function assistant(tenant: TestTenant) {
  return tenant.agent("assistant", { tools: [{ server: "shop", tool: "*" }] });
}

const told = { context: ["subject", "metadata.plan"] };
const ofAna = { subject: "ana", metadata: { plan: "gold", note: "confidential" } };

describe("a call of an HTTP tool", () => {
  it("is signed with the tool's secret, and says on whose behalf it is made", async () => {
    const tenant = await newTenant();
    const endpoint = upstreamFor(env.TEST_UPSTREAM);
    await httpTool(tenant, "refund", { http: { url: endpoint.hookURL, secret, ...told } });
    const model = await assistant(tenant);
    await endpoint.reply({ body: "done" });
    await model.reply(toolCalls(["refund", { text: "4711" }]), { text: "Done." });
    const sessionId = await tenant.session(ofAna);
    const { turnId } = await tenant.say(sessionId, "Refund it.");

    const [seen] = await endpoint.requests();
    verifyCall(seen);
    const another = await tenantSecret(tenant);
    expect(() => verifyCall(seen, another)).toThrow();
    expect(seen?.body).toEqual({ text: "4711" });
    expect(contextOf(seen)).toEqual({
      callId: seen?.headers["webhook-id"],
      tool: "shop/refund",
      sessionId,
      turnId,
      agent: "assistant",
      subject: "ana",
      metadata: { plan: "gold" },
    });
    expect(JSON.stringify(seen?.headers)).not.toContain(tenant.tenantId);
    expect((await tenant.call("GET", "/v1/tools/refund")).body.http.secret).toBe("[hidden]");
  });

  it("is signed with the tenant's secret if the tool has none, and names nobody who isn't listed", async () => {
    const tenant = await newTenant();
    const endpoint = await httpTool(tenant, "refund");
    const model = await assistant(tenant);
    await endpoint.reply({ body: "done" });
    await model.reply(toolCalls(["refund", { text: "x" }]), { text: "Done." });
    await tenant.say(await tenant.session(ofAna), "Refund it.");
    const [seen] = await endpoint.requests();
    const own = await tenantSecret(tenant);
    verifyCall(seen, own);
    expect(contextOf(seen, own)).not.toHaveProperty("subject");
    expect(contextOf(seen, own)).not.toHaveProperty("metadata");
    expect(own).not.toBe(await tenantSecret(await newTenant()));
    expect((await (await tenant.withRole("operator")).call("GET", "/v1/tenant/signing-secret")).status).toBe(403);
  });

  it("without a body has its arguments in the signed context", async () => {
    const tenant = await newTenant();
    const endpoint = upstreamFor(env.TEST_UPSTREAM);
    await httpTool(tenant, "find", { http: { method: "GET", url: endpoint.hookURL, secret } });
    const model = await assistant(tenant);
    await endpoint.reply({ body: "found" });
    await model.reply(toolCalls(["find", { text: "tea" }]), { text: "Done." });
    await tenant.say(await tenant.session(), "Find it.");
    const [seen] = await endpoint.requests();
    verifyCall(seen);
    expect(contextOf(seen)).toMatchObject({ method: "GET", url: `${endpoint.hookURL}?text=tea` });
  });

  it("has the end user's placeholders filled by us, and none by the model", async () => {
    const tenant = await newTenant();
    const endpoint = upstreamFor(env.TEST_UPSTREAM);
    const headers = { "x-plan": "{{metadata.plan}}" };
    await httpTool(tenant, "orders", {
      http: { method: "GET", url: `${endpoint.hookURL}/{{subject}}/{text}`, headers },
    });
    const model = await assistant(tenant);
    await endpoint.reply({ body: "none" });
    await model.reply(toolCalls(["orders", { text: "{{metadata.note}}" }]), { text: "Done." });
    await tenant.say(await tenant.session(ofAna), "My orders?");
    const [seen] = await endpoint.requests();
    expect(decodeURIComponent(seen?.path ?? "")).toBe(`${new URL(endpoint.hookURL).pathname}/ana/{{metadata.note}}`);
    expect(seen?.headers["x-plan"]).toBe("gold");
  });

  it("isn't made where the session lacks what it needs", async () => {
    const tenant = await newTenant();
    const endpoint = upstreamFor(env.TEST_UPSTREAM);
    await httpTool(tenant, "orders", { http: { url: `${endpoint.hookURL}/{{subject}}` } });
    const model = await assistant(tenant);
    await model.reply(toolCalls(["orders", { text: "all" }]), { text: "Who are you?" });
    const turn = await tenant.say(await tenant.session(), "My orders?");
    expect(turn.reply?.modelReply.turns[0]?.toolCalls?.[0]?.error).toContain("it needs {{subject}}");
    expect(await endpoint.requests()).toEqual([]);
  });

  it("that is cached for one end user answers no other", async () => {
    const tenant = await newTenant();
    const endpoint = upstreamFor(env.TEST_UPSTREAM);
    await httpTool(tenant, "orders", { cacheSeconds: 600, http: { url: endpoint.hookURL, context: ["subject"] } });
    const model = await assistant(tenant);
    await endpoint.reply({ body: "of ana" }, { body: "of ben" });
    const asked = [toolCalls(["orders", { text: "all" }]), { text: "There." }];
    await model.reply(...asked, ...asked, ...asked);
    const outputs: unknown[] = [];
    for (const subject of ["ana", "ben", "ana"]) {
      const turn = await tenant.say(await tenant.session({ subject }), "My orders?");
      outputs.push(turn.reply?.modelReply.turns[0]?.toolCalls?.[0]?.output);
    }
    expect(outputs).toEqual(["of ana", "of ben", "of ana"]);
    expect(await endpoint.requests()).toHaveLength(2);
  });
});

describe("a tool is refused when it is stored", () => {
  const put = async (fields: object) => {
    const tenant = await newTenant();
    return tenant.call("PUT", "/v1/tools/t", { server: "shop", description: "Does it.", ...fields });
  };

  it.each([
    ["an argument in its host", { http: { url: "https://{host}.example.com/x" } }, "http.url"],
    ["the end user in its host", { http: { url: "https://{{subject}}.example.com/x" } }, "http.url"],
    ["a placeholder that nobody fills", { http: { url: "https://example.com/{{user}}" } }, "http.url"],
    ["the same in a header", { http: { url: "https://example.com/", headers: { a: "{{x}}" } } }, "http.headers.a"],
    ["a broken signing secret", { http: { url: "https://example.com/", secret: "whsec_?" } }, "http.secret"],
    ["a context of something else", { http: { url: "https://example.com/", context: ["tenantId"] } }, "http.context.0"],
    [
      "a schema that refers to itself",
      { http: { url: "https://example.com/" }, parameters: { type: "object", properties: { a: { $ref: "#" } } } },
      "parameters",
    ],
    ["an end user in a server's address", { mcp: { url: "https://example.com/{{subject}}" } }, "mcp.url"],
  ])("with %s", async (_what, fields, path) => {
    const refused = await put(fields);
    expect(refused.status).toBe(422);
    expect(JSON.stringify(refused.body.errors)).toContain(path);
  });
});

describe("others that are called", () => {
  it("as a team's worker: signed, with the run as context", async () => {
    const tenant = await newTenant();
    const endpoint = upstreamFor(env.TEST_UPSTREAM);
    await endpoint.reply({ body: { response: "Shipped." } });
    const http = { url: `${endpoint.hookURL}/{{subject}}/{{metadata.plan}}`, secret, ...told };
    await tenant.put("teams", "desk", {
      supervisor: { strategy: "round-robin" },
      workers: [{ id: "parcels", description: "Parcels.", http }],
    });
    const run = await tenant.call("POST", "/v1/runs", { team: "desk", input: "Where?", ...ofAna });
    expect(run.body.response).toContain("Shipped.");
    const [seen] = await endpoint.requests();
    verifyCall(seen);
    expect(seen?.path).toMatch(/\/ana\/gold$/);
    expect(contextOf(seen)).toMatchObject({
      worker: "parcels",
      team: "desk",
      runId: run.body.runId,
      subject: "ana",
      metadata: { plan: "gold" },
    });
    const shown = await tenant.call("GET", "/v1/teams/desk");
    expect(shown.body.workers[0].http.secret).toBe("[hidden]");
  });

  it("as a supervisor: signed by Standard Webhooks, beside the header of before", async () => {
    const tenant = await newTenant();
    const endpoint = upstreamFor(env.TEST_UPSTREAM);
    await tenant.put("supervisors", "endpoint", {
      kind: "http",
      hooks: ["request"],
      config: { url: endpoint.hookURL, secret, context: ["subject"] },
    });
    const model = await tenant.agent("assistant", { supervisors: ["endpoint"] });
    await endpoint.reply({ body: { action: "allow" } });
    await model.reply({ text: "Hello." });
    const sessionId = await tenant.session(ofAna);
    await tenant.say(sessionId, "Hi.");
    const [seen] = await endpoint.requests();
    verifyCall(seen);
    expect(contextOf(seen)).toMatchObject({ sessionId, agent: "assistant", subject: "ana" });
    expect(seen?.headers["conclave-signature"]).toMatch(/^v1=/);
  });
});
