/** Experiments from outside: who is answered by whom, what is counted, what a guard stops, and what becomes of the winner. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import type { Turn } from "../../src/chat/session.js";
import { newTenant, TestTenant } from "../support/conclave.js";
import { eventually } from "../support/eventually.js";
import { runEachMinute } from "../support/housekeeping.js";
import { crash } from "../support/objects.js";

const experiment = (share: number, more: object = {}) => ({
  agent: "shop",
  variants: [{ name: "b", agent: "shop-b", share }],
  ...more,
});

/** Two agents that say which one they are. */
async function shops(tenant: TestTenant) {
  const [shop, other] = [await tenant.agent("shop"), await tenant.agent("shop-b")];
  await shop.reply({ text: "From A.", repeat: true });
  await other.reply({ text: "From B.", repeat: true });
  return { shop, other };
}

async function running(tenant: TestTenant, share: number, more: object = {}) {
  const models = await shops(tenant);
  expect((await tenant.call("PUT", "/v1/experiments/e", experiment(share, more))).status).toBe(201);
  expect((await tenant.call("POST", "/v1/experiments/e/start")).body).toMatchObject({
    status: "running",
    versions: { b: 1 },
  });
  return models;
}

const textOf = ({ reply }: Turn): string | undefined => reply?.modelReply.turns.at(-1)?.message;

async function answerTo(tenant: TestTenant, subject: string): Promise<{ text: string | undefined; session: string }> {
  const session = await tenant.session({ agent: "shop", subject });
  return { text: textOf(await tenant.say(session, "Hello.")), session };
}

describe("who begins a session while an experiment runs", () => {
  it("stays with a variant, in further sessions and after a crash; a session of before with its agent", async () => {
    const tenant = await newTenant();
    await shops(tenant);
    const before = await answerTo(tenant, "customer-0");
    await tenant.call("PUT", "/v1/experiments/e", experiment(0.5));
    await tenant.call("POST", "/v1/experiments/e/start");
    const subjects = Array.from({ length: 12 }, (_none, n) => `customer-${n}`);
    const first = await Promise.all(subjects.map((subject) => answerTo(tenant, subject)));
    expect(new Set(first.map(({ text }) => text))).toEqual(new Set(["From A.", "From B."]));
    await crash();
    for (const [n, subject] of subjects.entries()) expect((await answerTo(tenant, subject)).text).toBe(first[n]?.text);
    for (const { session, text } of first.slice(0, 4)) expect(textOf(await tenant.say(session, "Again."))).toBe(text);
    expect(textOf(await tenant.say(before.session, "Again."))).toBe("From A.");
  });

  it("isn't told which; operators are", async () => {
    const tenant = await newTenant();
    await running(tenant, 0.9);
    const { session } = await answerTo(tenant, "ana");
    expect((await tenant.call("GET", `/v1/sessions/${session}`)).body.experiment).toMatchObject({ experiment: "e" });
    const { body } = await tenant.call("POST", "/v1/keys", { role: "client" });
    const client = await new TestTenant(tenant.tenantId, body.key).call("GET", `/v1/sessions/${session}`);
    expect(client.status).toBe(200);
    expect(client.body.experiment).toBeUndefined();
    expect(JSON.stringify((await tenant.call("GET", "/v1/experiments/e")).body)).not.toContain("seed");
  });

  it("keeps the variant as it was at the start, whatever is stored since", async () => {
    const tenant = await newTenant();
    await running(tenant, 0.9);
    const answers = await Promise.all(Array.from({ length: 6 }, (_none, n) => answerTo(tenant, `customer-${n}`)));
    const inVariant = answers.find(({ text }) => text === "From B.");
    await tenant.put("agents", "shop-b", { kind: "model", model: "offline", instructions: "Other." });
    expect(textOf(await tenant.say(inVariant?.session ?? "", "Again."))).toBe("From B.");
  });
});

it("a unit that gave a -1 counts as negative, once, whatever it says afterwards", async () => {
  const tenant = await newTenant();
  await running(tenant, 0.9);
  const session = await tenant.session({ agent: "shop", subject: "ana" });
  const { turnId } = await tenant.say(session, "Hello.");
  for (const score of [1, -1, -1, 1]) {
    const body = { about: { turnId }, score };
    expect((await tenant.call("PUT", `/v1/sessions/${session}/feedback`, body)).status).toBe(200);
  }
  await eventually(async () => {
    const { variants } = (await tenant.call("GET", "/v1/experiments/e/comparison")).body;
    const of = variants.filter(({ units }: { units: number }) => units > 0);
    expect(of).toMatchObject([{ units: 1, negative: { units: 1 }, failed: { units: 0 } }]);
  });
});

it("a unit counts once, however many of its turns go wrong, and however often that is told", async () => {
  const tenant = await newTenant();
  await running(tenant, 0.5);
  await tenant.rules("strict", [{ match: { type: "phrases", phrases: ["poison"] }, action: "block", reason: "No." }]);
  for (const subject of ["ana", "ben"]) {
    const session = await tenant.session({ agent: "shop", subject, supervisors: ["strict"] });
    await tenant.say(session, "Poison.");
    await tenant.say(session, "Poison again.");
    await tenant.say(session, "Hello.");
  }
  const reported = () => tenant.call("GET", "/v1/experiments/e/comparison");
  await eventually(async () => {
    const { variants } = (await reported()).body;
    const sum = (of: (one: { units: number; blocked: { units: number } }) => number) =>
      variants.map(of).reduce((a: number, b: number) => a + b, 0);
    expect([sum(({ units }) => units), sum(({ blocked }) => blocked.units)]).toEqual([2, 2]);
  });
  expect((await reported()).body).toMatchObject({
    verdict: "not_enough",
    summary: "Too early to say: about 98 conversations more.",
  });
});

it("a guard stops a variant that fails too often: whoever had it gets the control from the next turn on", async () => {
  const tenant = await newTenant();
  await running(tenant, 0.5, { guards: [{ metric: "failed", margin: 1.5, bar: 100 }] });
  const answers = await Promise.all(Array.from({ length: 8 }, (_none, n) => answerTo(tenant, `customer-${n}`)));
  const inVariant = answers.find(({ text }) => text === "From B.");
  const [{ seed } = { seed: "" }] = (
    await env.DB.prepare("SELECT body ->> 'seed' AS seed FROM experiments WHERE tenant_id = ?")
      .bind(tenant.tenantId)
      .all<{ seed: string }>()
  ).results;
  // Forty of either side as they would have been counted, of which every other of the variant's failed.
  await env.DB.batch(
    Array.from({ length: 80 }, (_none, n) =>
      env.DB.prepare(
        "INSERT INTO experiment_units (tenant_id, seed, unit, phase, variant, blocked, failed, degraded) VALUES (?, ?, ?, 0, ?, 0, ?, 0)",
      ).bind(tenant.tenantId, seed, `unit-${n}`, n < 40 ? "b" : "control", n < 40 && n % 2 === 0 ? 1 : 0),
    ),
  );
  await runEachMinute();
  expect((await tenant.call("GET", "/v1/experiments/e")).body.tripped).toMatchObject([
    { variant: "b", metric: "failed" },
  ]);
  expect(textOf(await tenant.say(inVariant?.session ?? "", "Again."))).toBe("From A.");
  await runEachMinute();
  expect((await tenant.call("GET", "/v1/experiments/e")).body.tripped).toHaveLength(1);
});

describe("an experiment's course", () => {
  it("is a draft, runs alone for its agent, grows, stops, and its winner becomes the agent", async () => {
    const tenant = await newTenant();
    await running(tenant, 0.1);
    const put = (name: string, body: object) => tenant.call("PUT", `/v1/experiments/${name}`, body);
    expect((await put("e", experiment(0.05))).status).toBe(409);
    expect((await put("e", experiment(0.2, { unit: "session" }))).status).toBe(409);
    expect((await put("e", experiment(0.3))).body.phases).toEqual([
      { b: 0.1, control: 0.9 },
      { b: 0.3, control: 0.7 },
    ]);
    await put("f", experiment(0.1));
    expect((await tenant.call("POST", "/v1/experiments/f/start")).status).toBe(409);
    // What GET returned is taken as it is.
    const read = (await tenant.call("GET", "/v1/experiments/e")).body;
    expect((await put("e", read)).status).toBe(200);
    expect((await tenant.call("POST", "/v1/experiments/e/stop")).body.status).toBe("stopped");
    expect((await tenant.call("POST", "/v1/experiments/e/stop")).status).toBe(409);
    expect((await tenant.call("POST", "/v1/experiments/e/promote", { variant: "c" })).status).toBe(422);
    expect((await tenant.call("POST", "/v1/experiments/e/promote", { variant: "b" })).body).toMatchObject({
      status: "promoted",
      winner: "b",
    });
    const [promoted, other] = [
      (await tenant.call("GET", "/v1/agents/shop")).body,
      (await tenant.call("GET", "/v1/agents/shop-b")).body,
    ];
    expect(promoted).toMatchObject({ version: 2, model: other.model });
    expect((await answerTo(tenant, "carl")).text).toBe("From B.");
  });

  it("names agents that there are, and is nobody else's", async () => {
    const tenant = await newTenant();
    const refused = await tenant.call("PUT", "/v1/experiments/e", experiment(0.1));
    expect(refused).toMatchObject({ status: 422, body: { detail: expect.stringContaining("shop") } });
    await running(tenant, 0.1);
    const other = await newTenant();
    expect((await other.call("GET", "/v1/experiments/e")).status).toBe(404);
    expect((await other.call("POST", "/v1/experiments/e/stop")).status).toBe(404);
    expect((await tenant.call("DELETE", "/v1/experiments/e")).status).toBe(204);
    expect((await tenant.call("GET", "/v1/experiments/e")).status).toBe(404);
  });
});
