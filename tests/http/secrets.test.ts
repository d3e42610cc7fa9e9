/** Secrets by reference: stored once, named where they are used, exchanged without touching what names them. */
import { env } from "cloudflare:workers";
import { beforeEach, expect, it } from "vitest";
import { newTenant, type TestTenant } from "../support/conclave.js";
import { upstreamFor } from "../support/upstream-client.js";

let tenant: TestTenant;
beforeEach(async () => {
  tenant = await newTenant();
});

const put = (name: string, secret: object) => tenant.call("PUT", `/v1/secrets/${name}`, secret);
const listed = async () => (await tenant.call("GET", "/v1/secrets")).body.items;
const named = { $secret: "SHOP_TOKEN" };
const tool = (url: string, headers: object = { authorization: named }) => ({
  server: "shop",
  description: "Looks up.",
  approval: "never",
  http: { method: "GET", url, headers },
});

it("are never shown, and say what names them", async () => {
  expect(await put("SHOP_TOKEN", { value: "will-hush-1", description: "The shop's" })).toMatchObject({
    status: 201,
    body: { name: "SHOP_TOKEN", description: "The shop's", usedBy: [] },
  });
  await tenant.put("tools", "orders", tool("https://shop.example/orders"));
  const secret = "https://hooks.example/x";
  const webhook = { url: secret, events: ["turn.completed"], secret: named };
  await put("SHOP_TOKEN", { value: "will-hush-of-twenty-four-or-more" });
  expect((await tenant.call("PUT", "/v1/webhooks/crm", webhook)).body).toMatchObject({ secret: named });
  expect((await tenant.call("GET", "/v1/webhooks/crm")).body).toMatchObject({ secret: named });
  expect(
    await tenant.call("PUT", "/v1/webhooks/crm", (await tenant.call("GET", "/v1/webhooks/crm")).body),
  ).toMatchObject({
    status: 200,
  });
  const providers = { own: { baseUrl: "https://models.example/v1", apiKey: named } };
  const { body: changed } = await tenant.call("PATCH", "/v1/tenant", { settings: { providers } });
  expect(changed.settings.providers).toEqual(providers);
  expect(await listed()).toMatchObject([
    { name: "SHOP_TOKEN", usedBy: ["tools/orders", "webhooks/crm", "settings.providers"] },
  ]);
  expect(JSON.stringify(await listed())).not.toContain("hush");
  const { body: read } = await tenant.call("GET", "/v1/secrets/SHOP_TOKEN");
  expect([read]).toEqual(await listed());
  expect(await tenant.call("GET", "/v1/secrets/ANOTHER")).toMatchObject({ status: 404, body: { code: "not_found" } });
  expect(await (await newTenant()).call("GET", "/v1/secrets/SHOP_TOKEN")).toMatchObject({ status: 404 });
  const row = await env.DB.prepare("SELECT sealed FROM secrets WHERE tenant_id = ?")
    .bind(tenant.tenantId)
    .first("sealed");
  expect(row).not.toContain("hush");
  const { body: shown } = await tenant.call("GET", "/v1/tools/orders");
  expect(shown.http.headers).toEqual({ authorization: named });
  expect(await tenant.call("PUT", "/v1/tools/orders", shown)).toMatchObject({ status: 200, body: { version: 1 } });
});

it("are exchanged without a new version of what names them: the very next call has the new one", async () => {
  const upstream = upstreamFor(env.TEST_UPSTREAM);
  await put("SHOP_TOKEN", { value: "first will" });
  await tenant.put("tools", "orders", tool(`${upstream.hookURL}/orders`));
  const model = await tenant.agent("assistant", { tools: [{ server: "shop", tool: "orders" }] });
  await model.reply({ toolCalls: [{ name: "shop__orders", arguments: {} }] }, { text: "Here." });
  await model.reply({ toolCalls: [{ name: "shop__orders", arguments: {} }] }, { text: "Again." });
  await upstream.reply({ body: { ok: true }, repeat: true });
  const session = await tenant.session();
  await tenant.say(session, "Where?");
  expect(await put("SHOP_TOKEN", { value: "second will" })).toMatchObject({
    status: 200,
    body: { usedBy: ["tools/orders"] },
  });
  await tenant.say(session, "And now?");
  const calls = await upstream.requests();
  expect(calls.map(({ headers }) => headers.authorization)).toEqual(["first will", "second will"]);
  expect((await tenant.call("GET", "/v1/tools/orders")).body.version).toBe(1);
});

it("have to be there, and go to their hosts alone", async () => {
  expect(await tenant.call("PUT", "/v1/tools/orders", tool("https://shop.example/orders"))).toMatchObject({
    status: 422,
    body: {
      errors: [{ path: "http.headers.authorization", message: expect.stringContaining("PUT /v1/secrets/SHOP_TOKEN") }],
    },
  });
  await put("SHOP_TOKEN", { value: "will", hosts: ["shop.example"] });
  await tenant.put("tools", "orders", tool("https://shop.example/orders"));
  const elsewhere = await tenant.call("PUT", "/v1/tools/orders", tool("https://evil.example/orders"));
  expect(elsewhere.body.errors[0].message).toContain("may not be sent to evil.example");
  const webhook = { url: "https://evil.example/", events: ["turn.completed"], secret: named };
  expect((await tenant.call("PUT", "/v1/webhooks/crm", webhook)).body.errors).toMatchObject([{ path: "secret" }]);
  const providers = { own: { baseUrl: "https://evil.example/v1", apiKey: named } };
  const settings = await tenant.call("PATCH", "/v1/tenant", { settings: { providers } });
  expect(settings.body.errors).toMatchObject([{ path: "settings.providers.own.apiKey" }]);
});

it("of a team that is sent along are refused: who sends it says where they would go", async () => {
  await put("SHOP_TOKEN", { value: "will" });
  const http = { url: "https://evil.example/", headers: { "x-key": named } };
  const team = {
    supervisor: { strategy: "round-robin" },
    workers: [{ id: "far", description: "Away.", http }],
  };
  const answer = await tenant.call("POST", "/v1/runs", { team, input: "Go." });
  expect(answer.body).toMatchObject({ status: 422, errors: [{ path: "team.workers.0.http.headers.x-key" }] });
});

it("are deleted once nothing names them, and are another tenant's never", async () => {
  await put("SHOP_TOKEN", { value: "will" });
  await tenant.put("tools", "orders", tool("https://shop.example/orders"));
  expect(await tenant.call("DELETE", "/v1/secrets/SHOP_TOKEN")).toMatchObject({
    status: 409,
    body: { detail: expect.stringContaining("tools/orders") },
  });
  const other = await newTenant();
  expect((await other.call("DELETE", "/v1/secrets/SHOP_TOKEN")).status).toBe(404);
  expect((await other.call("PUT", "/v1/tools/orders", tool("https://shop.example/orders"))).status).toBe(422);
  await tenant.call("DELETE", "/v1/tools/orders");
  expect((await tenant.call("DELETE", "/v1/secrets/SHOP_TOKEN")).status).toBe(204);
  expect((await tenant.call("DELETE", "/v1/secrets/SHOP_TOKEN")).status).toBe(404);
});

it("are named in a configuration, which is refused as a whole where one isn't there", async () => {
  const config = { resources: { tools: { orders: tool("https://shop.example/orders") } } };
  const refused = await tenant.call("POST", "/v1/config/apply", config);
  expect(refused.body.errors).toMatchObject([{ path: "resources.tools.orders.http.headers.authorization" }]);
  await put("SHOP_TOKEN", { value: "will" });
  expect((await tenant.call("POST", "/v1/config/apply", config)).status).toBe(200);
  expect((await tenant.call("POST", "/v1/config/plan", config)).body.changes).toEqual([]);
});
