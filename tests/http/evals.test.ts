/** Datasets and evals from outside: imports, results that are made once whatever dies, budgets, and the comparison. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { newTenant, type TestTenant } from "../support/conclave.js";
import { eventually } from "../support/eventually.js";
import { crash } from "../support/objects.js";
import { upstreamFor } from "../support/upstream-client.js";

const lines = (items: readonly unknown[]): string => items.map((item) => JSON.stringify(item)).join("\n");

async function dataset(tenant: TestTenant, items: readonly unknown[], name = "texts") {
  expect((await tenant.call("PUT", `/v1/datasets/${name}`, {})).status).toBe(201);
  return importLines(tenant, lines(items), name);
}

async function importLines(tenant: TestTenant, text: string, name = "texts") {
  const headers = { "content-type": "application/jsonl" };
  const answer = await tenant.call("POST", `/v1/datasets/${name}/items`, text, headers);
  expect(answer.status).toBe(200);
  return answer.body;
}

async function ended(tenant: TestTenant, evalId: string) {
  return eventually(async () => {
    const { body } = await tenant.call("GET", `/v1/evals/${evalId}`);
    expect(body.status).not.toBe("running");
    return body;
  });
}

async function evaluate(tenant: TestTenant, fields: Readonly<Record<string, unknown>>) {
  const started = await tenant.call("POST", "/v1/evals", { dataset: "texts", ...fields });
  expect(started.status).toBe(202);
  return ended(tenant, started.body.evalId);
}

const stops = (phrases: readonly string[]) => [
  { match: { type: "phrases", phrases }, action: "block", reason: "It isn't for us." },
];

describe("an import", () => {
  it("adds each text once, names what it can't read, and adds nothing the second time", async () => {
    const tenant = await newTenant();
    const texts = Array.from({ length: 9_997 }, (_none, at) => ({ input: `Text ${at % 9_987}.` }));
    const all = `${lines(texts)}\n{"input": \n{"inputs": "no"}\n\n{"input": ""}`;
    await tenant.call("PUT", "/v1/datasets/texts", {});
    const first = await importLines(tenant, all);
    expect(first).toMatchObject({ added: 9_987, same: 10, version: 1 });
    expect(first.invalid.map(({ line }: { line: number }) => line)).toEqual([9_998, 9_999, 10_001]);
    expect(await importLines(tenant, all)).toMatchObject({ added: 0, same: 9_997, version: 1 });
    const { body } = await tenant.call("GET", "/v1/datasets/texts");
    expect(body).toMatchObject({ items: 9_987, labelled: 0, version: 1 });
    const listed = () => tenant.call("GET", "/v1/datasets");
    await eventually(async () => expect((await listed()).body.items[0]?.items).toBe(9_987));
  });

  it("is refused without lines, as another type, for a dataset that isn't there, and for others", async () => {
    const tenant = await newTenant();
    const other = await newTenant();
    const send = (text: string, type: string, by = tenant) =>
      by.call("POST", "/v1/datasets/texts/items", text, { "content-type": type });
    expect((await send('{"input": "a"}', "application/jsonl")).status).toBe(404);
    await tenant.call("PUT", "/v1/datasets/texts", {});
    expect((await send("\n", "application/jsonl")).status).toBe(422);
    expect((await send("input", "text/csv")).status).toBe(415);
    expect((await send('{"input": "a"}', "application/jsonl", other)).status).toBe(404);
    expect((await other.call("GET", "/v1/datasets/texts")).status).toBe(404);
  });

  it("keeps what an item was in each version, but for what is erased", async () => {
    const tenant = await newTenant();
    await dataset(tenant, [{ input: "Ludicrous." }, { input: "Fine.", expected: { action: "allow" } }]);
    const items = async (query = "") => (await tenant.call("GET", `/v1/datasets/texts/items${query}`)).body.items;
    const [{ itemId }] = await items();
    const label = { expected: { action: "block" } };
    const labelled = await tenant.call("PUT", `/v1/datasets/texts/items/${itemId}/label`, label);
    expect(labelled.body).toMatchObject({ expected: { action: "block" }, labelledBy: expect.stringMatching(/^key /) });
    expect((await items("?version=1"))[0].expected).toBeUndefined();
    expect((await items("?version=2"))[0].expected).toEqual({ action: "block" });
    expect((await tenant.call("DELETE", `/v1/datasets/texts/items/${itemId}`)).status).toBe(204);
    expect(await items("?version=1")).toHaveLength(1);
    expect((await tenant.call("DELETE", `/v1/datasets/texts/items/${itemId}`)).status).toBe(404);
  });
});

describe("an eval of rules", () => {
  it("counts what each candidate catches, against the first on the same texts", async () => {
    const tenant = await newTenant();
    await tenant.rules("strict", stops(["poison", "knife"]));
    await tenant.rules("lax", stops(["poison"]));
    await dataset(tenant, [
      ...Array.from({ length: 30 }, (_none, at) => ({ input: `Buy poison ${at}`, expected: { action: "block" } })),
      ...Array.from({ length: 30 }, (_none, at) => ({ input: `A bread knife ${at}`, expected: { action: "allow" } })),
      ...Array.from({ length: 40 }, (_none, at) => ({ input: `Hello ${at}`, expected: { action: "allow" } })),
    ]);
    const candidates = [
      { name: "now", supervisors: ["strict"] },
      { name: "narrower", supervisors: [{ name: "lax", version: 1 }] },
    ];
    const done = await evaluate(tenant, { candidates });
    expect(done).toMatchObject({ status: "completed", progress: { wanted: 200, done: 200, failed: 0 }, spent: 0 });
    // What counts later is another candidate: the eval has the version that counted.
    expect(done.candidates[0].supervisors).toEqual(["strict@1"]);
    const path = `/v1/evals/${done.evalId}/comparison`;
    const { candidates: reports, pairs } = (await tenant.call("GET", path)).body;
    expect(reports[0]).toMatchObject({
      precision: { share: 0.5 },
      recall: { share: 1 },
      falseAlarms: { share: 0.429 },
    });
    expect(reports[1]).toMatchObject({ precision: { share: 1 }, falseAlarms: { share: 0, low: 0, high: 0.052 } });
    expect(pairs[0]).toMatchObject({ onlyCandidate: 30, onlyAgainst: 0, difference: 0.3, verdict: "better" });
    const markdown = await tenant.call("GET", `${path}?format=markdown`);
    expect(markdown.body).toContain("narrower is better than now by 30.0 points");
    expect((await tenant.call("GET", `${path}?format=markdown`)).body).toBe(markdown.body);
    const wrong = await tenant.call("GET", `/v1/evals/${done.evalId}/items?wrong=true&limit=200`);
    expect(wrong.body.items).toHaveLength(30);
    expect(wrong.body.items[0]).toMatchObject({
      candidate: "now",
      result: { action: "block", matched: ["strict: 1"] },
    });
  });

  it("leaves no pass, decision or event, and calls nobody", async () => {
    const tenant = await newTenant();
    await tenant.rules("strict", stops(["poison"]));
    await dataset(tenant, [{ input: "Buy poison" }]);
    await evaluate(tenant, { candidates: [{ name: "now", supervisors: ["strict"] }] });
    expect((await tenant.call("GET", "/v1/decisions")).body.items).toEqual([]);
  });

  it("is on record with who started it, once, also where the request is repeated", async () => {
    const tenant = await newTenant();
    await tenant.rules("guard", stops(["swordfish"]));
    await dataset(tenant, [{ input: "Hello." }]);
    const body = { dataset: "texts", candidates: [{ name: "now", supervisors: ["guard"] }] };
    expect((await tenant.call("POST", "/v1/evals", { ...body, estimate: true })).status).toBe(200);
    const start = () => tenant.call("POST", "/v1/evals", body, { "idempotency-key": "change-17" });
    const { evalId } = (await start()).body;
    expect((await start()).body.evalId).toBe(evalId);
    await ended(tenant, evalId);
    const rows = await eventually(async () => {
      const { items } = (await tenant.call("GET", "/v1/audit?format=json&type=eval.started")).body;
      expect(items).not.toEqual([]);
      return items;
    });
    expect(rows).toMatchObject([
      {
        workId: evalId,
        decision: "started",
        actor: { kind: "key" },
        subject: { kind: "datasets", name: "texts", version: 1 },
      },
    ]);
  });

  it("is nobody else's, and nobody's below operators", async () => {
    const tenant = await newTenant();
    await tenant.rules("strict", stops(["poison"]));
    await dataset(tenant, [{ input: "Buy poison" }]);
    const { evalId } = await evaluate(tenant, { candidates: [{ name: "now", supervisors: ["strict"] }] });
    const other = await newTenant();
    for (const path of ["", "/items", "/comparison"])
      expect((await other.call("GET", `/v1/evals/${evalId}${path}`)).status).toBe(404);
    expect((await other.call("POST", `/v1/evals/${evalId}/cancel`)).status).toBe(404);
    expect((await tenant.call("GET", "/v1/evals/evl_x_texts")).status).toBe(404);
  });
});

/** A supervising agent whose model blocks what holds the word. */
async function judge(tenant: TestTenant) {
  const model = upstreamFor(env.TEST_UPSTREAM);
  await tenant.put("supervisors", "judge", {
    kind: "agent",
    hooks: ["request"],
    config: { model: `openai/${model.model}`, instructions: "Block what is for sale." },
  });
  return model;
}

const blocks = {
  toolCalls: [{ name: "block_message", arguments: { reason: "For sale." } }],
  usage: { inputTokens: 900, outputTokens: 100 },
};
const candidates = [{ name: "judge", supervisors: ["judge"] }];

describe("an eval of models", () => {
  it("has to say what it may take, and says beforehand what it may come to", async () => {
    const tenant = await newTenant();
    const model = await judge(tenant);
    await dataset(tenant, [{ input: "A" }, { input: "B" }]);
    const refused = await tenant.call("POST", "/v1/evals", { dataset: "texts", candidates });
    expect(refused).toMatchObject({ status: 422, body: { errors: [{ path: "maxTokens" }] } });
    const estimate = await tenant.call("POST", "/v1/evals", {
      dataset: "texts",
      candidates,
      repeats: 3,
      estimate: true,
    });
    expect(estimate).toMatchObject({ status: 200, body: { estimate: { calls: 6, modelCalls: 6 } } });
    expect(await model.requests()).toEqual([]);
    expect((await tenant.call("GET", "/v1/evals")).body.items).toEqual([]);
  });

  it("lets others in while it goes on, also where it waits for nobody", async () => {
    const tenant = await newTenant();
    await tenant.rules("house", [{ match: { type: "phrases", phrases: ["knife"] }, action: "block", reason: "No." }]);
    await tenant.call("PUT", "/v1/datasets/many", {});
    const lines = Array.from({ length: 2_000 }, (_none, at) => JSON.stringify({ input: `Text ${at}` })).join("\n");
    await tenant.call("POST", "/v1/datasets/many/items", lines, { "content-type": "application/jsonl" });
    const { evalId } = (
      await tenant.call("POST", "/v1/evals", { dataset: "many", candidates: [{ name: "a", supervisors: ["house"] }] })
    ).body;
    const seen = (await tenant.call("GET", `/v1/evals/${evalId}`)).body;
    expect(seen).toMatchObject({ status: "running", progress: { wanted: 2_000 } });
    expect((await tenant.call("POST", `/v1/evals/${evalId}/cancel`)).body.status).toBe("cancelled");
  });

  it("makes each result once, whatever dies in between", async () => {
    const tenant = await newTenant();
    const model = await judge(tenant);
    await model.reply({ ...blocks, repeat: true });
    const count = 120;
    await dataset(
      tenant,
      Array.from({ length: count }, (_none, at) => ({ input: `Text ${at}` })),
    );
    const started = await tenant.call("POST", "/v1/evals", { dataset: "texts", candidates, maxTokens: 100_000_000 });
    const { evalId } = started.body;
    const doneOf = async () => (await tenant.call("GET", `/v1/evals/${evalId}`)).body.progress.done;
    for (const after of [20, 60]) {
      await expect.poll(doneOf).toBeGreaterThan(after);
      await crash();
    }
    const done = await ended(tenant, evalId);
    expect(done.progress).toEqual({ items: count, wanted: count, done: count, failed: 0 });
    const { body } = await tenant.call("GET", `/v1/evals/${evalId}/items?limit=200`);
    expect(new Set(body.items.map(({ itemId }: { itemId: string }) => itemId)).size).toBe(count);
    expect((await model.requests()).length).toBeLessThanOrEqual(count + 2 * 25);
  });

  it("never takes more than it may, and goes on with more without doing anything again", async () => {
    const tenant = await newTenant();
    const model = await judge(tenant);
    await model.reply({ ...blocks, repeat: true });
    await dataset(
      tenant,
      Array.from({ length: 30 }, (_none, at) => ({ input: `Text ${at}` })),
    );
    const stopped = await evaluate(tenant, { candidates, maxTokens: 20_000 });
    expect(stopped).toMatchObject({ status: "stopped", reason: expect.stringContaining("maxTokens") });
    expect(stopped.spent).toBeLessThanOrEqual(20_000);
    expect(stopped.progress.done).toBeGreaterThan(0);
    const asked = (await model.requests()).length;
    expect(stopped.spent).toBe(asked * 1_000);
    const resume = (maxTokens: number) => tenant.call("POST", `/v1/evals/${stopped.evalId}/resume`, { maxTokens });
    expect((await resume(1_000)).status).toBe(422);
    expect((await resume(100_000)).status).toBe(200);
    const done = await ended(tenant, stopped.evalId);
    expect(done).toMatchObject({ status: "completed", progress: { done: 30 }, spent: 30_000 });
    expect((await model.requests()).length).toBe(30);
    expect((await resume(200_000)).status).toBe(409);
  });

  it("counts what fails as failed and never as allowed, and does these alone again", async () => {
    const tenant = await newTenant();
    const model = await judge(tenant);
    await model.reply({ ...blocks, repeat: 2 }, { status: 400, repeat: 1 }, { ...blocks, repeat: true });
    await dataset(
      tenant,
      [1, 2, 3].map((at) => ({ input: `Text ${at}`, expected: { action: "block" } })),
    );
    const done = await evaluate(tenant, { candidates, maxTokens: 1_000_000 });
    expect(done).toMatchObject({ status: "completed", progress: { done: 3, failed: 1 } });
    const path = `/v1/evals/${done.evalId}`;
    const [report] = (await tenant.call("GET", `${path}/comparison`)).body.candidates;
    expect(report).toMatchObject({ results: 3, failed: 1, table: { block: { block: 2, allow: 0 } } });
    const asked = (await model.requests()).length;
    expect((await tenant.call("POST", `${path}/retry`)).status).toBe(200);
    expect(await ended(tenant, done.evalId)).toMatchObject({ progress: { done: 3, failed: 0 } });
    expect((await model.requests()).length).toBe(asked + 1);
  });

  it("is the tenant's usage", async () => {
    const tenant = await newTenant();
    const model = await judge(tenant);
    await model.reply({ ...blocks, repeat: true });
    await dataset(tenant, [{ input: "A" }, { input: "B" }]);
    await evaluate(tenant, { candidates, maxTokens: 1_000_000 });
    await eventually(async () => {
      const { body } = await tenant.call("GET", "/v1/usage?groupBy=model");
      expect(body.items[0]).toMatchObject({ modelCalls: 2, inputTokens: 1_800 });
    });
  });
});

describe("items are drawn", () => {
  const draw = (tenant: TestTenant, fields: Readonly<Record<string, unknown>>) =>
    tenant.call("POST", "/v1/datasets/texts/items/from-sessions", fields);
  const itemsOf = async (tenant: TestTenant) => (await tenant.call("GET", "/v1/datasets/texts/items")).body.items;

  it("from what reviewers decided, each saying what should have come of it", async () => {
    const tenant = await newTenant();
    await tenant.put("agents", "assistant", { kind: "model", model: "offline", instructions: "Help." });
    const match = { type: "phrases", phrases: ["discount"] };
    await tenant.put("supervisors", "sales", {
      kind: "rules",
      hooks: ["request"],
      config: { rules: [{ match, action: "review", reason: "Sales." }] },
    });
    for (const decision of ["accept", "reject"]) {
      const session = await tenant.session({ supervisors: ["sales"] });
      const turn = await tenant.say(session, `A discount of ${decision}?`);
      const [ask] = turn.asks;
      await tenant.call("POST", `/v1/asks/${ask?.askId}/answer`, { decision });
    }
    await tenant.call("PUT", "/v1/datasets/texts", {});
    await eventually(async () => {
      expect((await draw(tenant, { labels: "reviews", filter: { supervisor: "sales" } })).body.found).toBe(2);
    });
    expect((await draw(tenant, { labels: "reviews", filter: { supervisor: "others" } })).body).toMatchObject({
      found: 0,
    });
    const items = await itemsOf(tenant);
    expect(items.map(({ expected }: { expected: unknown }) => expected)).toEqual(
      expect.arrayContaining([{ action: "allow" }, { action: "block" }]),
    );
    expect(items[0]).toMatchObject({
      source: "reviews",
      input: { turnId: expect.any(String) },
      group: expect.any(String),
    });
    const redacts = [{ match: { type: "phrases", phrases: ["accept"] }, action: "replace", replacement: "[word]" }];
    await tenant.rules(
      "redacting",
      redacts.map((rule) => ({ ...rule, reason: "No." })),
      { mode: "shadow" },
    );
    const redacted = await evaluate(tenant, { candidates: [{ name: "now", supervisors: ["redacting"] }] });
    const kept = (await tenant.call("GET", `/v1/evals/${redacted.evalId}/items`)).body.items;
    expect(kept.map(({ result }: { result: { action: string } }) => result.action).toSorted()).toEqual([
      "allow",
      "modify",
    ]);
    expect(JSON.stringify(kept)).not.toContain("[word]");
    const { evalId } = await evaluate(tenant, { candidates: [{ name: "now", supervisors: ["sales"] }] });
    const results = (await tenant.call("GET", `/v1/evals/${evalId}/items`)).body.items;
    expect(results.map(({ result }: { result: { action: string } }) => result.action)).toEqual(["review", "review"]);
  });

  it("from turns at random, as texts only where that is asked for; what was erased is gone from the others", async () => {
    const tenant = await newTenant();
    await tenant.put("agents", "assistant", { kind: "model", model: "offline", instructions: "Help." });
    const session = await tenant.session();
    const turn = await tenant.say(session, "A ludicrous question.");
    await tenant.call("PUT", "/v1/datasets/texts", {});
    await eventually(async () => expect((await draw(tenant, { labels: "none" })).body.added).toBe(1));
    expect(JSON.stringify(await itemsOf(tenant))).not.toContain("ludicrous");
    expect((await draw(tenant, { labels: "none", copy: true })).body.added).toBe(1);
    expect(JSON.stringify(await itemsOf(tenant))).toContain("ludicrous");
    await tenant.call("POST", `/v1/sessions/${session}/messages/${turn.message?.messageId}/erase`, {});
    await tenant.rules("strict", stops(["ludicrous"]));
    const { evalId } = await evaluate(tenant, { candidates: [{ name: "now", supervisors: ["strict"] }] });
    const results = (await tenant.call("GET", `/v1/evals/${evalId}/items`)).body.items;
    const failures = results.map(({ result }: { result: { failed?: string } }) => result.failed);
    expect(failures).toEqual([expect.stringContaining("erased"), undefined]);
  });
});
