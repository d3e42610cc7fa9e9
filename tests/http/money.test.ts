import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { composeRootPlatform } from "../../src/composition/objects.js";
import { type Answer, type Fields, newTenant, TestTenant } from "../support/conclave.js";
import { addEntryReply, newMemory } from "../support/memory.js";
import { upstreamFor } from "../support/upstream-client.js";
import { expectProblem, pathsOf } from "./support.js";

/** Whoever runs the deployment. */
const operator = new TestTenant("admin", env.ADMIN_SECRET);

function putPrices(models: Fields, more: Fields = {}): Promise<Answer> {
  return operator.call("PUT", "/v1/admin/prices", { currency: "USD", models, ...more });
}

const newModel = (): string => `openai/${upstreamFor(env.TEST_UPSTREAM).model}`;

/** What a turn's outbox says of what it has taken. */
interface Taken {
  readonly work: string;
  readonly at: string;
  readonly models: readonly Fields[];
  readonly more?: Fields;
}

/** As an object sends it, which may be twice. */
async function deliver({ tenantId }: TestTenant, ...taken: readonly Taken[]): Promise<void> {
  const messages = taken.map(({ work, at, models, more }, index) => ({
    id: index + 1,
    topic: "usage",
    payload: JSON.stringify({
      work,
      kind: "turn",
      agent: "shop",
      at: Date.parse(at),
      status: "completed",
      models,
      ...more,
    }),
  }));
  await composeRootPlatform(env).deliver({ tenantId, ownerId: "ses_1", messages });
}

const cached = { modelCalls: 1, inputTokens: 1_000, cachedInputTokens: 600, outputTokens: 100 };
const range = "from=2031-03-05T00:00:00Z&to=2031-03-06T00:00:00Z";
const report = async (tenant: TestTenant, query: string) =>
  (await tenant.call("GET", `/v1/usage?${range}&${query}`)).body;

describe("money", () => {
  it("is what calls cost at their time: the mornings' stays when prices change at noon, and cached tokens have their own", async () => {
    const tenant = await newTenant();
    const model = newModel();
    const cheap = { input: 2, cachedInput: 0.5, output: 8 };
    await putPrices({ [model]: cheap }, { from: "2031-03-05T00:00:00Z" });
    const morning = { work: "trn_1", at: "2031-03-05T11:59:59.999Z", models: [{ model, ...cached }] };
    await deliver(tenant, morning);
    const dear = { input: 4, cachedInput: 1, output: 16 };
    await putPrices({ [model]: dear }, { from: "2031-03-05T12:00:00Z" });
    const noon = { work: "trn_2", at: "2031-03-05T12:00:00Z", models: [{ model, ...cached }] };
    const late = { work: "trn_3", at: "2031-03-05T11:00:00Z", models: [{ model, ...cached }] };
    await deliver(tenant, noon, late);

    const hours = [
      { group: "2031-03-05T11:00:00Z", turns: 2, cachedInputTokens: 1_200, money: 0.0038, unpriced: 0 },
      { group: "2031-03-05T12:00:00Z", turns: 1, money: 0.0038 },
    ];
    const before = await report(tenant, "groupBy=hour");
    expect(before).toMatchObject({ currency: "USD", total: { turns: 3, money: 0.0076, unpriced: 0 }, items: hours });

    // Prices of the past that are stored now, and deliveries that come again, change nothing of what was counted.
    await putPrices({ [model]: { input: 99, output: 99 } }, { from: "2031-03-05T00:00:00Z" });
    await deliver(tenant, morning, noon, late);
    expect(await report(tenant, "groupBy=hour")).toEqual(before);
  });

  it("of a long call is by its own length, not by that of all calls together", async () => {
    const tenant = await newTenant();
    const model = newModel();
    await putPrices(
      { [model]: { input: 1, output: 0, above: [{ tokens: 200_000, input: 2 }] } },
      { from: "2031-03-05T00:00:00Z" },
    );
    const calls = [150_000, 250_000].map((inputTokens) => ({ inputTokens, outputTokens: 0 }));
    const models = [{ model, modelCalls: 2, inputTokens: 400_000, outputTokens: 0, calls }];
    await deliver(tenant, { work: "trn_1", at: "2031-03-05T10:00:00Z", models });
    expect((await report(tenant, "")).total.money).toBe(0.15 + 0.5);
  });

  it("of a model without a price is missing, and says of how many calls; failed calls and the offline model aren't among them", async () => {
    const tenant = await newTenant();
    const [priced, unpriced] = [newModel(), newModel()];
    await putPrices({ [priced]: { input: 1, output: 1 } }, { from: "2031-03-05T00:00:00Z" });
    const models = [
      { ...cached, model: priced },
      { ...cached, modelCalls: 3, model: unpriced },
      { ...cached, model: "offline" },
      { modelCalls: 2, inputTokens: 0, outputTokens: 0, model: "" },
    ];
    await deliver(tenant, { work: "trn_1", at: "2031-03-05T10:00:00Z", models });
    const { total, items } = await report(tenant, "groupBy=model");
    expect(total).toMatchObject({ turns: 1, modelCalls: 7, money: 0.0011, unpriced: 3 });
    expect(items.map(({ group, money }: Fields) => [group, money])).toEqual([
      [priced, 0.0011],
      ["", 0],
      ["offline", 0],
      [unpriced, 0],
    ]);
  });

  it("is counted of a turn as it was talked, in the isolate that has not heard of the prices yet too", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("shop");
    const name = `openai/${model.model}`;
    await putPrices({ [name]: { input: 10, cachedInput: 1, output: 100 } });
    // Another isolate stores the next table: this one hears of it by what it writes.
    await env.DB.prepare(
      `INSERT INTO prices (valid_from, currency, models, created_at, author)
       SELECT valid_from, currency, ?, created_at, author FROM prices ORDER BY version DESC LIMIT 1`,
    )
      .bind(JSON.stringify({ [name]: { input: 20, cachedInput: 2, output: 200 } }))
      .run();
    await model.reply({
      text: "Hi.",
      usage: { inputTokens: 10, outputTokens: 5, cachedInputTokens: 4, reasoningTokens: 2 },
    });
    await tenant.say(await tenant.session({ agent: "shop", subject: "ana" }), "Hello.");
    const line = { cachedInputTokens: 4, reasoningTokens: 2, money: (6 * 20 + 4 * 2 + 5 * 200) / 1e6, unpriced: 0 };
    const lines = async (groupBy: string) => (await tenant.call("GET", `/v1/usage?groupBy=${groupBy}`)).body.items;
    await expect.poll(() => lines("subject")).toMatchObject([{ group: "ana", turns: 1, ...line }]);
    expect(await lines("status")).toMatchObject([{ group: "completed", turns: 1, ...line }]);
    expect(await lines("model")).toMatchObject([{ group: name, ...line }]);
  });

  it("of a memory's models counts for whom the memory is about: each entry and each context once; without a model there is no row", async () => {
    const memory = await newMemory("scripted");
    const { tenant, model } = memory;
    const name = `openai/${model.model}`;
    await putPrices({ [name]: { input: 10, output: 100 } });
    await tenant.call("PATCH", memory.path, { subject: "ana" });
    await model.reply({ ...addEntryReply("Something."), usage: { inputTokens: 100, outputTokens: 10 }, repeat: true });
    await memory.say(["First.", "Second."]);
    await memory.settled();
    const lines = async (of: string) => (await tenant.call("GET", `/v1/usage?${of}`)).body.items;
    const two = { turns: 0, modelCalls: 2, inputTokens: 200, money: (2 * (100 * 10 + 10 * 100)) / 1e6 };
    await expect.poll(() => lines("groupBy=subject")).toMatchObject([{ group: "ana", ...two }]);
    expect(await lines("groupBy=model")).toMatchObject([{ group: name, ...two }]);

    const offline = await newMemory("offline");
    await offline.say(["First."]);
    await offline.settled();
    expect((await offline.tenant.call("GET", "/v1/usage")).body.items).toEqual([]);
  });
});

describe("usage", () => {
  it("of one agent, subject or status is asked for alone, what cost most first", async () => {
    const tenant = await newTenant();
    const model = newModel();
    await putPrices({ [model]: { input: 1, output: 1 } }, { from: "2031-03-05T00:00:00Z" });
    const at = "2031-03-05T10:00:00Z";
    const of = (inputTokens: number) => [{ model, modelCalls: 1, inputTokens, outputTokens: 0 }];
    await deliver(
      tenant,
      { work: "trn_1", at, models: of(1_000), more: { subject: "ana" } },
      { work: "trn_2", at, models: of(9_000), more: { subject: "ben" } },
      { work: "trn_3", at, models: of(500), more: { subject: "ben", agent: "desk", status: "failed" } },
    );
    const groups = async (query: string) =>
      (await report(tenant, query)).items.map(({ group, money }: Fields) => [group, money]);
    expect(await groups("groupBy=subject")).toEqual([
      ["ben", 0.0095],
      ["ana", 0.001],
    ]);
    expect(await groups("groupBy=agent&subject=ben")).toEqual([
      ["shop", 0.009],
      ["desk", 0.0005],
    ]);
    expect(await groups("groupBy=subject&status=failed")).toEqual([["ben", 0.0005]]);
    expect((await report(tenant, "agent=desk")).total).toMatchObject({ turns: 1, money: 0.0005 });
    expectProblem(await tenant.call("GET", "/v1/usage?groupBy=tenant"), "invalid");
    expectProblem(await tenant.call("GET", "/v1/usage?tenant=ten_1"), "invalid");
  });

  it("of a day is asked for by its dates, and of a day elsewhere by times with their offset", async () => {
    const tenant = await newTenant();
    const models = [{ model: newModel(), modelCalls: 1, inputTokens: 1, outputTokens: 1 }];
    await deliver(
      tenant,
      { work: "trn_1", at: "2031-03-04T23:30:00Z", models },
      { work: "trn_2", at: "2031-03-05T00:00:00Z", models },
      { work: "trn_3", at: "2031-03-05T23:30:00Z", models },
    );
    const turns = async (from: string, to: string) =>
      (await tenant.call("GET", `/v1/usage?from=${encodeURIComponent(from)}&to=${encodeURIComponent(to)}`)).body.total
        .turns;
    expect(await turns("2031-03-05", "2031-03-06")).toBe(2);
    expect(await turns("2031-03-05T00:00:00+01:00", "2031-03-06T00:00:00+01:00")).toBe(2);
    expect(await turns("2031-03-04", "2031-03-06")).toBe(3);
    expectProblem(await tenant.call("GET", "/v1/usage?from=yesterday"), "invalid");
  });

  it("of all tenants is for who runs the deployment, by tenant too", async () => {
    const [one, other] = [await newTenant(), await newTenant()];
    const model = newModel();
    await putPrices({ [model]: { input: 1, output: 1 } }, { from: "2031-03-05T00:00:00Z" });
    const models = [{ model, modelCalls: 1, inputTokens: 500, outputTokens: 0 }];
    await deliver(one, { work: "trn_1", at: "2031-03-05T10:00:00Z", models });
    await deliver(other, { work: "trn_1", at: "2031-03-05T10:00:00Z", models });
    const { body } = await operator.call("GET", `/v1/admin/usage?${range}&model=${encodeURIComponent(model)}`);
    expect(body).toMatchObject({ groupBy: "tenant", currency: "USD", total: { money: 0.001 } });
    expect(body.items.map(({ group }: Fields) => group).toSorted()).toEqual([one.tenantId, other.tenantId].toSorted());
    const alone = await operator.call("GET", `/v1/admin/usage?${range}&tenant=${one.tenantId}&groupBy=agent`);
    expect(alone.body.items).toMatchObject([{ group: "shop", money: 0.0005 }]);
    expectProblem(await one.call("GET", "/v1/admin/usage"), "unauthorized");
  });
});

describe("prices", () => {
  it("have versions, each with who stored it; what counts already makes none, and what GET returned is taken by PUT", async () => {
    const model = newModel();
    const models = { [model]: { input: 1, output: 2 } };
    const made = await putPrices(models);
    expect(made).toMatchObject({ status: 201, body: { currency: "USD", models, author: { kind: "system" } } });
    const { body } = await operator.call("GET", "/v1/admin/prices");
    expect(body).toEqual(made.body);
    expect(await operator.call("PUT", "/v1/admin/prices", body)).toMatchObject({ status: 200, body });
    expect(await putPrices(models)).toMatchObject({ status: 200, body });

    const next = await operator.call("PUT", "/v1/admin/prices", {
      ...body,
      models: { [model]: { input: 3, output: 4 } },
    });
    expect(next).toMatchObject({ status: 201, body: { version: body.version + 1, from: body.from } });
    expectProblem(await operator.call("PUT", "/v1/admin/prices", body), "conflict");
    const versions = await operator.call("GET", "/v1/admin/prices/versions?limit=2");
    expect(versions.body.items).toMatchObject([
      { version: body.version + 1, models: 1 },
      { version: body.version, from: body.from, models: 1 },
    ]);
    expect((await operator.call("GET", `/v1/admin/prices?version=${body.version}`)).body).toEqual(body);
    expectProblem(await operator.call("GET", "/v1/admin/prices?version=999999"), "not_found");
  });

  it("that hold later don't hold yet", async () => {
    const now = await putPrices({ [newModel()]: { input: 1, output: 2 } });
    const later = await putPrices({ [newModel()]: { input: 1, output: 2 } }, { from: "2031-12-01T00:00:00Z" });
    expect(later.status).toBe(201);
    expect((await operator.call("GET", "/v1/admin/prices")).body).toEqual(now.body);
  });

  it("are refused where they can't be meant, and are for who runs the deployment alone", async () => {
    await putPrices({ [newModel()]: { input: 1, output: 2 } });
    const euros = await putPrices({}, { currency: "EUR" });
    expectProblem(euros, "invalid");
    expect(pathsOf(euros)).toEqual(["currency"]);
    const wrong = await putPrices({ "a/b": { input: -1, output: 2, cached: 3 } });
    expectProblem(wrong, "invalid");
    expect(pathsOf(wrong).toSorted()).toEqual(["models.a/b.cached", "models.a/b.input"]);
    const tenant = await newTenant();
    expectProblem(await tenant.call("PUT", "/v1/admin/prices", { currency: "USD", models: {} }), "unauthorized");
    expectProblem(await tenant.call("GET", "/v1/admin/prices"), "unauthorized");
  });
});
