/** A tenant's configuration as a whole: planned, applied in one transaction, or not at all. */
import { describe, expect, it } from "vitest";
import { newTenant, TestTenant } from "../support/conclave.js";

const agent = (more: object = {}) => ({ kind: "model", model: "offline", instructions: "Help.", ...more });
const guard = {
  kind: "rules",
  hooks: ["request"],
  config: { rules: [{ match: { type: "phrases", phrases: ["secret"] }, action: "block", reason: "No." }] },
};

const names = async (tenant: TestTenant, kind: string): Promise<string[]> =>
  (await tenant.call("GET", `/v1/${kind}`)).body.items.map(({ name }: { name: string }) => name);

it("plans what would change, without any effect, and applies exactly that", async () => {
  const tenant = await newTenant();
  await tenant.put("agents", "old", agent());
  await tenant.put("agents", "shop", agent());
  const config = {
    resources: {
      agents: { shop: agent({ instructions: "Sell.", supervisors: ["guard"] }) },
      supervisors: { guard },
    },
    settings: { strict: true },
  };
  const plan = await tenant.call("POST", "/v1/config/plan", { ...config, prune: true });
  expect(plan.status).toBe(200);
  expect(plan.body).toMatchObject({ unchanged: 0, warnings: [] });
  expect(plan.body.changes).toEqual([
    { kind: "agents", name: "shop", change: "change", fields: ["instructions", "supervisors"] },
    { kind: "supervisors", name: "guard", change: "create" },
    { kind: "agents", name: "old", change: "delete" },
    { kind: "settings", name: "strict", change: "change" },
  ]);
  expect(await names(tenant, "supervisors")).toEqual([]);
  expect((await tenant.call("GET", "/v1/tenant")).body.settings.strict).toBe(false);

  const { revision } = plan.body;
  const applied = await tenant.call("POST", "/v1/config/apply", { ...config, prune: true, expectRevision: revision });
  expect(applied.status).toBe(200);
  expect(applied.body.changes).toEqual(plan.body.changes);
  expect(applied.body.revision).toBeGreaterThan(revision);
  expect(await names(tenant, "agents")).toEqual(["shop"]);
  expect(await names(tenant, "supervisors")).toEqual(["guard"]);
  expect((await tenant.call("GET", "/v1/tenant")).body.settings.strict).toBe(true);

  const again = await tenant.call("POST", "/v1/config/plan", { ...config, prune: true });
  expect(again.body).toMatchObject({ changes: [], unchanged: 2 });
});

it("one body that is wrong changes nothing, and every place is named", async () => {
  const tenant = await newTenant();
  const answer = await tenant.call("POST", "/v1/config/apply", {
    resources: {
      agents: { good: agent(), bad: { kind: "model", model: 7 } },
      tools: { ask_human: { server: "shop", description: "x", http: { method: "GET", url: "https://shop.example/" } } },
    },
    settings: { strikt: true },
  });
  expect(answer.status).toBe(422);
  const paths = answer.body.errors.map(({ path }: { path: string }) => path);
  expect(paths).toEqual(expect.arrayContaining(["resources.agents.bad.model", "settings.strikt"]));
  expect(await names(tenant, "agents")).toEqual([]);

  const nested = await tenant.call("POST", "/v1/config/apply", {
    resources: {
      teams: { a: teamOf("b"), b: teamOf("a") },
      rules: Object.fromEntries([["fine", { text: "Be kind." }]]),
    },
  });
  expect(nested.status).toBe(422);
  expect(nested.body.errors[0]).toMatchObject({ path: expect.stringMatching(/^resources\.teams\.[ab]\./) });
  expect(await names(tenant, "rules")).toEqual([]);
});

function teamOf(inner: string) {
  return {
    supervisor: { strategy: "round-robin" },
    workers: [{ id: "w", description: "Works.", team: inner, capabilities: { skills: ["x"] } }],
  };
}

it("what names each other comes in one body, and what is missing is a warning", async () => {
  const tenant = await newTenant();
  const config = {
    resources: { agents: { shop: agent({ supervisors: ["guard"], references: ["faq"] }) }, supervisors: { guard } },
  };
  const { body } = await tenant.call("POST", "/v1/config/plan", config);
  expect(body.warnings).toEqual([
    { path: "resources.agents.shop.references.0", message: expect.stringContaining("there is no references/faq") },
  ]);
});

it("is refused where the tenant was changed since the plan, and pruning needs a plan", async () => {
  const tenant = await newTenant();
  const config = { resources: { agents: { shop: agent() } } };
  const { revision } = (await tenant.call("POST", "/v1/config/plan", config)).body;
  await tenant.put("rules", "mine", { text: "Somebody else's." });
  const late = await tenant.call("POST", "/v1/config/apply", { ...config, prune: true, expectRevision: revision });
  expect(late.status).toBe(412);
  expect(await names(tenant, "rules")).toEqual(["mine"]);
  expect((await tenant.call("POST", "/v1/config/apply", { ...config, prune: true })).status).toBe(422);
});

it("all of several at the same time hold", async () => {
  const tenant = await newTenant();
  const each = ["a", "b", "c", "d"].map((name) => ({
    resources: { rules: { [name]: { text: name }, both: { text: name } } },
  }));
  const answers = await Promise.all(each.map((config) => tenant.call("POST", "/v1/config/apply", config)));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect(await names(tenant, "rules")).toEqual(["a", "b", "both", "c", "d"]);
  expect((await tenant.call("GET", "/v1/rules/both")).body.version).toBe(4);
});

it("what GETs gave is taken as it is, hidden secrets and providers' keys too", async () => {
  const provider = { baseUrl: "https://models.example/v1", apiKey: "sk-1" };
  const tenant = await newTenant({ providers: { acme: provider } });
  const http = { method: "POST", url: "https://shop.example/orders", headers: { authorization: "Bearer 1" } };
  await tenant.put("tools", "order", { server: "shop", description: "Orders.", parameters: { type: "object" }, http });
  const tool = (await tenant.call("GET", "/v1/tools/order")).body;
  const { settings } = (await tenant.call("GET", "/v1/tenant")).body;
  const { status, body } = await tenant.call("POST", "/v1/config/apply", {
    resources: { tools: { order: tool } },
    settings,
  });
  expect(status).toBe(200);
  expect(body).toMatchObject({ changes: [], unchanged: 1 });

  const moved = { ...tool, http: { ...tool.http, url: "https://thief.example/" } };
  expect((await tenant.call("POST", "/v1/config/plan", { resources: { tools: { order: moved } } })).status).toBe(422);
  const elsewhere = { providers: { acme: { baseUrl: "https://thief.example/v1" } } };
  expect((await tenant.call("POST", "/v1/config/plan", { settings: elsewhere })).status).toBe(422);
});

it("settings are the admin's: an operator's key applies resources alone", async () => {
  const tenant = await newTenant();
  const { key } = (await tenant.call("POST", "/v1/keys", { role: "operator" })).body;
  const operator = new TestTenant(tenant.tenantId, key);
  const rules = { rules: { kind: { text: "Be kind." } } };
  const refused = await operator.call("POST", "/v1/config/apply", { resources: rules, settings: { strict: true } });
  expect(refused.status).toBe(403);
  expect(await names(tenant, "rules")).toEqual([]);
  expect((await operator.call("POST", "/v1/config/apply", { resources: rules })).status).toBe(200);
});

it("hundreds of resources are one transaction, and each is on record", async () => {
  const tenant = await newTenant();
  const rules = Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`r${at}`, { text: `Rule ${at}.` }]));
  expect((await tenant.call("POST", "/v1/config/apply", { resources: { rules } })).status).toBe(200);
  const { body } = await tenant.call("GET", "/v1/audit?format=jsonl");
  expect(String(body).match(/"resource\.stored"/g)).toHaveLength(300);
});

describe("limits, webhooks and channels", () => {
  const limit = { per: "tenant", measure: "messages", max: 1_000 };
  const webhook = { url: "https://crm.example/hooks", events: ["turn.completed"] };
  const slack = { kind: "slack", agent: "shop", credentials: { signingSecret: "s-1", botToken: "xoxb-1" } };
  const whole = {
    resources: {
      agents: { shop: agent() },
      limits: { few: limit },
      webhooks: { crm: webhook },
      channels: { desk: slack },
    },
  };

  it("are stored with the rest, which they may name; a repetition changes nothing", async () => {
    const tenant = await newTenant();
    const plan = await tenant.call("POST", "/v1/config/plan", whole);
    expect(plan.body.changes).toEqual([
      { kind: "agents", name: "shop", change: "create" },
      { kind: "limits", name: "few", change: "create" },
      { kind: "webhooks", name: "crm", change: "create" },
      { kind: "channels", name: "desk", change: "create" },
    ]);
    expect(plan.body.warnings).toEqual([
      { path: "resources.webhooks.crm.secret", message: expect.stringContaining("shown to nobody") },
    ]);
    expect(await names(tenant, "channels")).toEqual([]);

    expect((await tenant.call("POST", "/v1/config/apply", whole)).status).toBe(200);
    expect((await tenant.call("GET", "/v1/limits/few")).body).toMatchObject({ max: 1_000, version: 1 });
    const { body: channel } = await tenant.call("GET", "/v1/channels/desk");
    expect(channel).toMatchObject({ agent: "shop", address: expect.stringMatching(/^\/webhooks\/slack\//) });
    const audit = String((await tenant.call("GET", "/v1/audit?format=jsonl")).body);
    for (const type of ["limit.stored", "webhook.stored", "channel.stored"]) expect(audit).toContain(type);

    // As they are read: with what the server adds, and with credentials hidden.
    const read = async (kind: string, name: string) => ({
      [kind]: { [name]: (await tenant.call("GET", `/v1/${kind}/${name}`)).body },
    });
    const resources = {
      ...(await read("limits", "few")),
      ...(await read("webhooks", "crm")),
      ...(await read("channels", "desk")),
    };
    expect((await tenant.call("POST", "/v1/config/apply", { resources })).body).toMatchObject({
      changes: [],
      unchanged: 3,
      warnings: [],
    });
    const more = { ...whole.resources, limits: { few: { ...limit, max: 2_000 } }, webhooks: { crm: webhook } };
    expect((await tenant.call("POST", "/v1/config/apply", { resources: more })).body.changes).toEqual([
      { kind: "limits", name: "few", change: "change", fields: ["max"] },
    ]);
    expect((await tenant.call("GET", "/v1/channels/desk")).body.address).toBe(channel.address);
  });

  it.each([
    ["limits", { few: { ...limit, measure: "mesages" } }, "resources.limits.few.measure"],
    ["webhooks", { crm: { ...webhook, url: "ftp://crm.example/hooks" } }, "resources.webhooks.crm.url"],
    ["webhooks", { crm: { ...webhook, secret: { $secret: "GONE" } } }, "resources.webhooks.crm.secret"],
    ["channels", { desk: { ...slack, agent: "nobody" } }, "resources.channels.desk.agent"],
    ["channels", { desk: { ...slack, credentials: {} } }, "resources.channels.desk.credentials.botToken"],
  ])("one of %s that is wrong changes nothing, and is named", async (kind, broken, path) => {
    const tenant = await newTenant();
    const config = { resources: { ...whole.resources, [kind]: broken } };
    const answer = await tenant.call("POST", "/v1/config/apply", config);
    expect(answer.status).toBe(422);
    expect(answer.body.errors.map((error: { path: string }) => error.path)).toContain(path);
    expect(await names(tenant, "agents")).toEqual([]);
    expect(await names(tenant, "webhooks")).toEqual([]);
  });

  it("are pruned where their kind is named, once, and a channel with its conversations", async () => {
    const tenant = await newTenant();
    await tenant.call("POST", "/v1/config/apply", whole);
    const { revision } = (await tenant.call("POST", "/v1/config/plan", { resources: {} })).body;
    const kept = { resources: { agents: { shop: agent() } }, prune: true, expectRevision: revision };
    expect((await tenant.call("POST", "/v1/config/apply", kept)).body.changes).toEqual([]);

    const emptied = { ...kept, resources: { ...kept.resources, webhooks: {}, channels: {}, limits: { few: limit } } };
    const key = { "idempotency-key": "prune-1" };
    const first = await tenant.call("POST", "/v1/config/apply", emptied, key);
    expect(first.body.changes).toEqual([
      { kind: "limits", name: "messages-a-day", change: "delete" },
      { kind: "limits", name: "messages-a-minute", change: "delete" },
      { kind: "webhooks", name: "crm", change: "delete" },
      { kind: "channels", name: "desk", change: "delete" },
    ]);
    for (const kind of ["webhooks", "channels"]) expect(await names(tenant, kind)).toEqual([]);
    // The same again is told the same, and takes nothing that came since.
    await tenant.call("PUT", "/v1/channels/desk", slack);
    expect((await tenant.call("POST", "/v1/config/apply", emptied, key)).body.changes).toEqual(first.body.changes);
    expect(await names(tenant, "channels")).toEqual(["desk"]);
  });

  it("a channel that was changed since the plan is not overwritten; one of another kind is said", async () => {
    const tenant = await newTenant();
    await tenant.call("POST", "/v1/config/apply", whole);
    const { revision } = (await tenant.call("POST", "/v1/config/plan", whole)).body;
    await tenant.call("PUT", "/v1/channels/desk", { ...slack, listenTo: "all" });
    const late = await tenant.call("POST", "/v1/config/apply", { ...whole, expectRevision: revision });
    expect(late.status).toBe(412);
    const telegram = { kind: "telegram", agent: "shop", credentials: { botToken: "t", secretToken: "t" } };
    const other = await tenant.call("POST", "/v1/config/plan", { resources: { channels: { desk: telegram } } });
    expect(other.body.errors).toEqual([
      { path: "resources.channels.desk.kind", message: expect.stringContaining("it is slack: delete") },
    ]);
  });

  it("limits are the admin's; at most fifty", async () => {
    const tenant = await newTenant();
    const operator = await tenant.withRole("operator");
    await tenant.put("agents", "shop", agent());
    const { limits, ...others } = whole.resources;
    expect((await operator.call("POST", "/v1/config/apply", whole)).status).toBe(403);
    expect((await operator.call("POST", "/v1/config/apply", { resources: others })).status).toBe(200);
    const many = Object.fromEntries(Array.from({ length: 49 }, (_, at) => [`l${at}`, limits.few]));
    const { body } = await tenant.call("POST", "/v1/config/apply", { resources: { limits: many } });
    expect(body.errors).toEqual([{ path: "resources.limits", message: "at most 50 limits, and there would be 51" }]);
    expect(await names(tenant, "limits")).toHaveLength(2);
  });
});
