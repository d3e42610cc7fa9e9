/** Evals and replays whose dataset dies: at each of its writes, before and after it, and at each call of a model, as it is made and answered. */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, expect, it, vi } from "vitest";
import { Attempts } from "../../durable-objects/kit/attempts.js";
import { TokenPool } from "../../src/agent/token-pool.js";
import { httpTool, toolCalls } from "../durable-objects/supervision/support.js";
import { type Fields, newTenant, type TestTenant } from "../support/conclave.js";
import { eventually } from "../support/eventually.js";
import { crash } from "../support/objects.js";
import { type UpstreamModel, upstreamFor } from "../support/upstream-client.js";

afterEach(() => {
  vi.restoreAllMocks();
});

const usage = { inputTokens: 90, outputTokens: 10 };
const tokensOfCall = 100;

const { budget } = TokenPool.prototype;
const { over } = Attempts.prototype;
let transactionSync: DurableObjectStorage["transactionSync"] | undefined;

/**
 * Notes each moment at which a tenant's datasets can die, and lets nothing of them go on from the wanted one: what would be written
 * isn't, what would be called waits, and all that is left to do is to kill them. Without a moment it only notes.
 */
async function stopAt(tenant: TestTenant, wanted?: number) {
  const moments: string[] = [];
  let isDead = false;
  const reaches = (moment: string): boolean => {
    if (!isDead) isDead = moments.push(moment) - 1 === wanted;
    return isDead;
  };
  const dies = (moment: string): void => {
    if (reaches(moment)) throw new Error("the dataset died");
  };
  const storageOf: Pick<DurableObjectStorage, "transactionSync"> = await runInDurableObject(
    env.DATASET.getByName(`${tenant.tenantId}/texts`),
    (_object, state) => Object.getPrototypeOf(state.storage),
  );
  transactionSync ??= storageOf.transactionSync;
  const real = transactionSync;
  vi.spyOn(storageOf, "transactionSync").mockImplementation(function (
    this: DurableObjectStorage,
    write: () => unknown,
  ): unknown {
    if (!isDatasetOf(this, tenant)) return real.call(this, write);
    dies("before a write");
    const written = real.call(this, write);
    dies("after a write");
    return written;
  });
  vi.spyOn(TokenPool.prototype, "budget").mockImplementation(function (this: TokenPool, ...of) {
    const made = budget.apply(this, of);
    const reserve: typeof made.reserve = async (call) => {
      const reserved = await made.reserve(call);
      if (!("settle" in reserved)) return reserved;
      if (reaches("a call begins")) await new Promise(() => {});
      const settle: typeof reserved.settle = (taken) => {
        reserved.settle(taken);
        reaches("a call is answered");
      };
      return { settle };
    };
    return { ...made, reserve };
  });
  // What dies doesn't note that its try is over.
  vi.spyOn(Attempts.prototype, "over").mockImplementation(function (this: Attempts) {
    if (isDead) this.leave();
    else over.call(this);
  });
  return { moments, isDead: () => isDead };
}

function isDatasetOf({ sql }: DurableObjectStorage, { tenantId }: TestTenant): boolean {
  if (sql.exec("SELECT 1 FROM sqlite_master WHERE name = 'dataset'").toArray().length === 0) return false;
  return sql.exec("SELECT 1 FROM dataset WHERE tenant_id = ?", tenantId).toArray().length === 1;
}

interface Scene {
  readonly tenant: TestTenant;
  /** How one is begun. */
  readonly path: string;
  readonly body: Fields;
  readonly models: readonly UpstreamModel[];
  /** Results in the end, a judge's included; the calls that they take, and those of its longest slice: who dies makes these again. */
  readonly units: number;
  readonly calls: number;
  readonly callsOfSlice: number;
  /** Has its models say anew what they say in turn, and forget what they were asked. */
  readonly script?: () => Promise<void>;
}

/** How often its models were called. */
async function callsOf({ models }: Scene): Promise<number> {
  const all = await Promise.all(models.map((model) => model.requests()));
  return all.flat().length;
}

const begin = ({ tenant, path, body }: Scene, key: string) =>
  tenant.call("POST", path, body, { "idempotency-key": key });

/** Looks until it has ended, and goes on with it where its tokens did: it never takes more than it may. */
async function toTheEnd({ tenant }: Scene, evalId: string) {
  return eventually(async () => {
    const { body } = await tenant.call("GET", `/v1/evals/${evalId}`);
    if (body.spent + body.reserved > body.maxTokens) throw new TypeError(`more than it may: ${JSON.stringify(body)}`);
    if (body.status === "stopped")
      await tenant.call("POST", `/v1/evals/${evalId}/resume`, { maxTokens: body.maxTokens * 2 });
    expect(body.status).toBe("completed");
    return body;
  });
}

/** It dies at each moment in turn, and comes to the same each time. @returns how often it died */
async function diesEverywhere(scene: Scene): Promise<number> {
  const { tenant, units, calls, callsOfSlice, script = async () => {} } = scene;
  await script();
  const { moments } = await stopAt(tenant);
  const calm = await toTheEnd(scene, (await begin(scene, "calm")).body.evalId);
  vi.restoreAllMocks();
  const expected = await resultsOf(tenant, calm.evalId);
  expect(calm).toMatchObject({ progress: { done: units, failed: 0 }, spent: calls * tokensOfCall });
  expect(await callsOf(scene)).toBe(calls);
  let deaths = 0;
  for (const [at, moment] of moments.entries()) {
    await script();
    const before = await callsOf(scene);
    const { isDead } = await stopAt(tenant, at);
    const first = await begin(scene, `cut-${at}`);
    const isOver = async () => (await tenant.call("GET", `/v1/evals/${first.body.evalId}`)).body.status !== "running";
    await eventually(async () => expect(isDead() || (await isOver()), moment).toBe(true));
    if (isDead()) deaths++;
    await crash();
    vi.restoreAllMocks();
    const lost = (await callsOf(scene)) - before;
    await script();
    const again = await callsOf(scene);
    const { evalId } = (await begin(scene, `cut-${at}`)).body;
    const done = await toTheEnd(scene, evalId);
    expect(done.progress, moment).toMatchObject({ done: units, failed: 0 });
    expect(await resultsOf(tenant, evalId), moment).toEqual(expected);
    const made = lost + (await callsOf(scene)) - again;
    expect(made, moment).toBeLessThanOrEqual(calls + callsOfSlice);
    expect(done.spent, moment).toBeGreaterThanOrEqual(made * tokensOfCall);
  }
  // Lists hold each of them, as it ended.
  const filter = `/v1/evals?limit=200&status=completed`;
  await eventually(async () => expect((await tenant.call("GET", filter)).body.items).toHaveLength(moments.length + 1));
  return deaths;
}

/** What is there of each unit, once, and the tools that were called in all of them. */
async function resultsOf(tenant: TestTenant, evalId: string) {
  const { items } = (await tenant.call("GET", `/v1/evals/${evalId}/items?limit=200`)).body;
  return {
    units: items.map(
      ({ result: { latencyMs: _, usage: _used, tools: _tools, ...result }, ...of }: Fields & { result: Fields }) => ({
        ...of,
        result,
      }),
    ),
    tools: items.flatMap(({ result }: { result: { tools?: string[] } }) => result.tools ?? []),
  };
}

async function dataset(tenant: TestTenant, count: number) {
  await tenant.call("PUT", "/v1/datasets/texts", {});
  const lines = Array.from({ length: count }, (_none, at) => JSON.stringify({ input: `Text ${at}` })).join("\n");
  await tenant.call("POST", "/v1/datasets/texts/items", lines, { "content-type": "application/jsonl" });
}

async function agent(tenant: TestTenant) {
  const model = await tenant.agent("assistant");
  await model.reply({ text: "Yes.", usage, repeat: true });
  return model;
}
const now = { name: "now", agent: "assistant" };

it("an eval of an agent dies anywhere: each result is there once, within its tokens", async () => {
  const tenant = await newTenant();
  const models = [await agent(tenant)];
  await dataset(tenant, 3);
  // What dies with a slice has taken so much that it stops, and is gone on with.
  const body = { dataset: "texts", candidates: [now], maxTokens: 20_000 };
  const scene = { tenant, path: "/v1/evals", body, models, units: 3, calls: 3, callsOfSlice: 3 };
  expect(await diesEverywhere(scene)).toBeGreaterThan(10);
});

it("an eval of agents with a judge dies anywhere: what was answered isn't answered again to be judged", async () => {
  const tenant = await newTenant();
  const model = await agent(tenant);
  const [other, grader] = [upstreamFor(env.TEST_UPSTREAM), upstreamFor(env.TEST_UPSTREAM)];
  await other.reply({ text: "No.", usage, repeat: true });
  await grader.reply({ text: "A", usage, repeat: true });
  await tenant.put("agents", "grader", { kind: "model", model: `openai/${grader.model}`, instructions: "Judge." });
  await dataset(tenant, 1);
  const candidates = [now, { name: "other", agent: "assistant", change: { model: `openai/${other.model}` } }];
  const body = { dataset: "texts", candidates, judge: { agent: "grader" }, maxTokens: 100_000 };
  const models = [model, other, grader];
  const scene = { tenant, path: "/v1/evals", body, models, units: 4, calls: 4, callsOfSlice: 2 };
  expect(await diesEverywhere(scene)).toBeGreaterThan(12);
});

it("a replay of turns with a tool dies anywhere, and reaches nobody", async () => {
  const tenant = await newTenant();
  await dataset(tenant, 1);
  const look = await httpTool(tenant, "look");
  await look.reply({ body: "Room 4.", repeat: true });
  const model = await tenant.agent("assistant", { tools: [{ server: "shop", tool: "look" }] });
  const session = await tenant.session();
  const looks = { ...toolCalls(["look", { text: "lamps" }]), usage };
  const said = { text: "In room 4.", usage };
  await model.reply(looks, said, looks, said);
  await tenant.say(session, "Where are lamps?");
  await tenant.say(session, "Once more?");
  const other = upstreamFor(env.TEST_UPSTREAM);
  // Whichever of the two turns is asked first looks, and each says something in the end.
  const script = async () => {
    await other.clear();
    await other.reply(looks, looks, { text: "It is there.", usage, repeat: true });
  };
  const candidates = [{ name: "other", agent: "assistant", change: { model: `openai/${other.model}` } }];
  const path = `/v1/sessions/${session}/replay`;
  const body = { candidates, copy: true, maxTokens: 100_000 };
  const models = [other];
  const scene = { tenant, path, body, models, units: 2, calls: 4, callsOfSlice: 4, script };
  expect(await diesEverywhere(scene)).toBeGreaterThan(12);
  expect(await look.requests()).toHaveLength(2);
  expect((await tenant.call("GET", `/v1/sessions/${session}/messages`)).body.items).toHaveLength(4);
  expect((await tenant.call("GET", "/v1/sessions")).body.items).toHaveLength(1);
  expect((await tenant.call("GET", "/v1/asks")).body.items).toEqual([]);
});

it("an eval of an agent never takes more than 100,000 tokens that it may, and goes on without doing anything again", async () => {
  const tenant = await newTenant();
  const model = await tenant.agent("assistant");
  await model.reply({ text: "Yes.", usage: { inputTokens: 10, outputTokens: 3_990 }, repeat: true });
  await dataset(tenant, 40);
  const body = { dataset: "texts", candidates: [now], maxTokens: 100_000 };
  const { evalId } = (await tenant.call("POST", "/v1/evals", body)).body;
  const path = `/v1/evals/${evalId}`;
  const stopped = await eventually(async () => {
    const one = (await tenant.call("GET", path)).body;
    if (one.spent + one.reserved > 100_000) throw new TypeError(`more than it may: ${JSON.stringify(one)}`);
    expect(one.status).toBe("stopped");
    return one;
  });
  expect(stopped.spent).toBe((await model.requests()).length * 4_000);
  expect(stopped.spent).toBeGreaterThan(90_000);
  expect((await tenant.call("POST", `${path}/resume`, { maxTokens: 200_000 })).status).toBe(200);
  await eventually(async () =>
    expect((await tenant.call("GET", path)).body).toMatchObject({ status: "completed", spent: 160_000 }),
  );
  expect(await model.requests()).toHaveLength(40);
});

it.each(["eval", "replay"])(
  "a dataset is deleted while its %s waits for a model: nothing of it is left",
  async (kind) => {
    const tenant = await newTenant();
    const model = await agent(tenant);
    const slow = upstreamFor(env.TEST_UPSTREAM);
    await slow.reply({ text: "Late.", usage, hold: "call", repeat: true });
    const session = await tenant.session();
    await tenant.say(session, "Hello.");
    await dataset(tenant, 1);
    const candidates = [{ name: "slow", agent: "assistant", change: { model: `openai/${slow.model}` } }];
    const [path, fields] =
      kind === "eval" ? ["/v1/evals", { dataset: "texts" }] : [`/v1/sessions/${session}/replay`, {}];
    const { evalId, dataset: name } = (await tenant.call("POST", path, { candidates, maxTokens: 100_000, ...fields }))
      .body;
    await slow.until({ open: 1 });
    await eventually(async () =>
      expect((await tenant.call("GET", "/v1/evals")).body.items).toMatchObject([{ evalId }]),
    );
    expect((await tenant.call("DELETE", `/v1/datasets/${name}`)).status).toBe(204);
    await slow.release("call");
    await slow.until({ open: 0 });
    for (const of of ["", "/items", "/comparison"])
      expect((await tenant.call("GET", `/v1/evals/${evalId}${of}`)).status).toBe(404);
    expect((await tenant.call("GET", `/v1/datasets/${name}`)).status).toBe(404);
    expect((await tenant.call("GET", "/v1/evals")).body.items).toEqual([]);
    expect((await tenant.call("DELETE", `/v1/datasets/${name}`)).status).toBe(404);
    // Who dies in the middle of it leaves copies in the lists, which go when it is repeated.
    await tenant.call("PUT", "/v1/datasets/half", {});
    const listed = async () => (await tenant.call("GET", "/v1/datasets")).body.items.map((one: Fields) => one.name);
    await eventually(async () => expect(await listed()).toContain("half"));
    await env.DATASET.getByName(`${tenant.tenantId}/half`).remove();
    expect((await tenant.call("DELETE", "/v1/datasets/half")).status).toBe(404);
    expect(await listed()).not.toContain("half");
    expect(await model.requests()).toHaveLength(1);
  },
);
