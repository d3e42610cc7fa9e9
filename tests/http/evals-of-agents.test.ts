/** Agents, teams and panels held against a dataset: they answer as in a session, and nothing that they do reaches anybody. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { newTenant, type TestTenant } from "../support/conclave.js";
import { eventually } from "../support/eventually.js";
import { crash } from "../support/objects.js";
import { upstreamFor } from "../support/upstream-client.js";

async function dataset(tenant: TestTenant, items: readonly unknown[], name = "texts") {
  await tenant.call("PUT", `/v1/datasets/${name}`, {});
  const lines = items.map((item) => JSON.stringify(item)).join("\n");
  const headers = { "content-type": "application/jsonl" };
  expect((await tenant.call("POST", `/v1/datasets/${name}/items`, lines, headers)).status).toBe(200);
}

async function ended(tenant: TestTenant, evalId: string) {
  return eventually(async () => {
    const { body } = await tenant.call("GET", `/v1/evals/${evalId}`);
    expect(body.status).not.toBe("running");
    return body;
  });
}

async function evaluate(tenant: TestTenant, candidates: readonly unknown[], fields: object = {}) {
  const body = { dataset: "texts", candidates, maxTokens: 10_000_000, ...fields };
  const started = await tenant.call("POST", "/v1/evals", body);
  expect(started.body).toMatchObject({ status: "running" });
  const done = await ended(tenant, started.body.evalId);
  const { items } = (await tenant.call("GET", `/v1/evals/${done.evalId}/items?limit=200`)).body;
  return { done, items };
}

const usage = { inputTokens: 90, outputTokens: 10 };

describe("an eval of agents", () => {
  it("has each answer, changed or as it is, under its supervisors, and checks the answer", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant");
    const other = upstreamFor(env.TEST_UPSTREAM);
    await tenant.rules("guard", [
      { match: { type: "phrases", phrases: ["poison"] }, action: "block", reason: "It isn't for us." },
    ]);
    await tenant.put("agents", "assistant", {
      ...{ kind: "model", model: `openai/${model.model}`, instructions: "Help.", supervisors: ["guard"] },
    });
    await model.reply({ text: "We open at nine.", usage, repeat: true });
    await other.reply({ text: '{"opens": 9}', usage, repeat: true });
    await dataset(tenant, [
      { input: "When do you open?", expected: { contains: ["NINE"], absent: ["ten"] } },
      { input: "Say it as JSON.", expected: { schema: { type: "object", required: ["opens"] } } },
      { input: "Sell me poison.", expected: { action: "block" } },
      {
        input: {
          messages: [
            { role: "user", content: "Hello." },
            { role: "assistant", content: "Hi." },
            { role: "user", content: "When?" },
          ],
        },
      },
    ]);
    const { done, items } = await evaluate(tenant, [
      { name: "now", agent: "assistant" },
      {
        name: "cheaper",
        agent: "assistant",
        change: { model: `openai/${other.model}`, instructions: "Answer in JSON." },
      },
    ]);
    expect(done).toMatchObject({ status: "completed", progress: { done: 8, failed: 0 }, spent: 600 });
    expect(done.candidates[0]).toEqual({ name: "now", supervisors: [], agent: "assistant@2" });
    const said = (candidate: string) =>
      items
        .filter((one: { candidate: string }) => one.candidate === candidate)
        .map(({ correct, result }: { correct?: boolean; result: { action: string; text?: string } }) => [
          result.action,
          result.text,
          correct,
        ]);
    expect(said("now")).toEqual([
      ["allow", "We open at nine.", true],
      ["allow", "We open at nine.", false],
      ["block", undefined, true],
      ["allow", "We open at nine.", undefined],
    ]);
    expect(said("cheaper")).toEqual([
      ["allow", '{"opens": 9}', false],
      ["allow", '{"opens": 9}', true],
      ["block", undefined, true],
      ["allow", '{"opens": 9}', undefined],
    ]);
    const [first] = await other.requests();
    expect(JSON.stringify(first?.body)).toContain("Answer in JSON.");
    expect(JSON.stringify((await other.requests()).at(-1)?.body)).toContain("Hi.");
    const path = `/v1/evals/${done.evalId}/comparison`;
    const { candidates, pairs } = (await tenant.call("GET", path)).body;
    expect(candidates[1]).toMatchObject({ candidate: "cheaper", results: 4, failed: 0, tokens: 300 });
    expect(pairs[0]).toMatchObject({ items: 3, onlyCandidate: 1, onlyAgainst: 1, verdict: "not_enough" });
    expect((await tenant.call("GET", `${path}?format=markdown`)).body).toContain("| cheaper | 4 of 4 |");
  });

  it("answers tools from the item and calls none: what isn't there ends the answer, by name", async () => {
    const tenant = await newTenant();
    const server = upstreamFor(env.TEST_UPSTREAM);
    await tenant.put("tools", "price", {
      ...{ server: "shop", description: "What it costs.", approval: "always" },
      parameters: { type: "object", properties: { article: { type: "string" } } },
      http: { method: "POST", url: server.hookURL },
    });
    const model = await tenant.agent("assistant", {
      tools: [
        { server: "shop", tool: "price" },
        { server: "conclave", tool: "ask_human" },
      ],
    });
    const asks = (article: string) => ({ toolCalls: [{ name: "price", arguments: { article } }], usage });
    const stubs = [{ tool: "shop/price", args: { article: "bread" }, output: "3 euros" }];
    const items = [
      { input: "What is bread?", tools: stubs, expected: { tool: "price", contains: ["3 euros"] } },
      { input: "What is cake?", tools: stubs, expected: { tool: "price" } },
      { input: "Which one?", expected: { tool: "conclave/ask_human" } },
      { input: "Anything?", tools: [{ tool: "shop/price", error: "sold out" }], expected: { contains: ["gone"] } },
    ];
    // One after the other, so that the script's order is the items'.
    await model.reply(asks("bread"), { text: "It is 3 euros.", usage });
    await model.reply(asks("cake"));
    await model.reply({ toolCalls: [{ name: "ask_human", arguments: { question: "Which?" } }], usage });
    await model.reply(asks("soup"), { text: "It is gone.", usage });
    const results = [];
    for (const [at, item] of items.entries()) {
      const name = `one-${at}`;
      await dataset(tenant, [item], name);
      results.push((await evaluate(tenant, [{ name: "now", agent: "assistant" }], { dataset: name })).items[0]);
    }
    expect(results.map(({ correct }) => correct)).toEqual([true, undefined, undefined, true]);
    expect(results[0].result).toMatchObject({ text: "It is 3 euros.", tools: ["shop/price"] });
    expect(results[1].result).toMatchObject({ diverged: 'an approval of shop/price {"article":"cake"}' });
    expect(results[2].result.diverged).toContain("conclave/ask_human");
    expect(await server.requests()).toEqual([]);
    expect((await tenant.call("GET", "/v1/asks")).body.items).toEqual([]);
    expect((await tenant.call("GET", "/v1/sessions")).body.items).toEqual([]);
  });

  it("has to say what it may take, names what it can't take, and is held against what exists", async () => {
    const tenant = await newTenant();
    await tenant.agent("assistant");
    await dataset(tenant, [{ input: "A" }, { input: "B" }]);
    const start = (candidate: object, fields: object = {}) =>
      tenant.call("POST", "/v1/evals", { dataset: "texts", candidates: [{ name: "now", ...candidate }], ...fields });
    expect(await start({ agent: "assistant" })).toMatchObject({
      status: 422,
      body: { errors: [{ path: "maxTokens" }] },
    });
    expect((await start({ agent: "assistant" }, { estimate: true })).body.estimate).toMatchObject({ modelCalls: 2 });
    const config = { model: "offline", instructions: "Judge." };
    await tenant.put("supervisors", "clerk", { kind: "agent", hooks: ["request", "response"], config });
    const guarded = { agent: "assistant", change: { supervisors: ["clerk"] } };
    expect((await start(guarded, { estimate: true })).body.estimate).toMatchObject({ modelCalls: 6 });
    const workers = ["a", "b"].map((id) => ({ id, description: id, model: "offline" }));
    await tenant.put("teams", "desk", {
      supervisor: { strategy: "llm-based", model: "offline" },
      workers: [...workers, { id: "c", description: "c", http: { url: "https://a.test/" } }],
    });
    // Its router, before and after; what it answers; and both workers that have a model.
    expect((await start({ team: "desk" }, { estimate: true })).body.estimate).toMatchObject({ modelCalls: 10 });
    expect((await start({ agent: "nobody" })).status).toBe(404);
    expect((await start({ agent: "assistant", version: 9 })).status).toBe(404);
    expect((await start({ agent: "assistant", team: "x" })).status).toBe(422);
    expect((await start({ agent: "assistant", change: { modle: "offline" } })).body.errors).toEqual([
      { path: "eval.candidates.0.change.modle", message: "there is no such field" },
    ]);
    const tools = [{ server: "shop", tool: 1 }];
    expect((await start({ agent: "assistant", change: { tools } })).status).toBe(422);
  });

  it("makes each result once, whatever dies in between, within its tokens", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant");
    await model.reply({ text: "Yes.", usage, repeat: true });
    const count = 60;
    await dataset(
      tenant,
      Array.from({ length: count }, (_none, at) => ({ input: `Text ${at}`, expected: { contains: ["yes"] } })),
    );
    const candidates = [{ name: "now", agent: "assistant" }];
    const body = { dataset: "texts", candidates, maxTokens: 10_000_000 };
    const { evalId } = (await tenant.call("POST", "/v1/evals", body)).body;
    const doneOf = async () => (await tenant.call("GET", `/v1/evals/${evalId}`)).body.progress.done;
    await expect.poll(doneOf).toBeGreaterThan(20);
    await crash();
    const done = await ended(tenant, evalId);
    expect(done.progress).toEqual({ items: count, wanted: count, done: count, failed: 0 });
    expect((await model.requests()).length).toBeLessThanOrEqual(count + 25);
    const few = await evaluate(tenant, candidates, { maxTokens: 5_000 });
    expect(few.done).toMatchObject({ status: "stopped", reason: expect.stringContaining("maxTokens") });
    expect(few.done.spent).toBeLessThanOrEqual(5_000);
  });
});

describe("an eval of teams and panels", () => {
  it("says which worker a team chose", async () => {
    const tenant = await newTenant();
    const workers = ["billing", "travel"].map((id) => ({
      ...{ id, description: `Knows ${id}.`, model: "offline", systemPrompt: "Help." },
    }));
    const rules = [
      { when: { contains: ["invoice"] }, to: "billing" },
      { when: { contains: ["train"] }, to: "travel" },
    ];
    await tenant.put("teams", "desk", {
      supervisor: { strategy: "rule-based", rules },
      workers,
    });
    await dataset(tenant, [
      { input: "My invoice is wrong.", expected: { worker: "billing" } },
      { input: "When does the train leave?", expected: { worker: "billing" } },
    ]);
    const { items } = await evaluate(tenant, [{ name: "now", team: "desk" }]);
    expect(items.map(({ correct }: { correct: boolean }) => correct)).toEqual([true, false]);
    expect(items[1].result.workers).toEqual(["travel"]);
  });

  it("says what most seats of a panel held", async () => {
    const tenant = await newTenant();
    const model = upstreamFor(env.TEST_UPSTREAM);
    const position = { stance: "NO", position: "No.", reasoning: "It is dear.", confidence: 0.9 };
    await model.reply({ text: JSON.stringify(position), usage, repeat: true });
    const seat = (id: string) => ({ id, model: `openai/${model.model}` });
    await tenant.put("panels", "board", {
      seats: [seat("ana"), seat("ben")],
      rounds: 1,
      models: { synthesis: `openai/${model.model}` },
    });
    await dataset(tenant, [{ input: "Should we buy it?", expected: { stance: "NO" } }]);
    const { items } = await evaluate(tenant, [{ name: "now", panel: "board" }]);
    expect(items[0]).toMatchObject({ correct: true, result: { stance: "NO" } });
  });
});

describe("a judge", () => {
  it("reads each pair of answers in both orders, and a winner that flips is none", async () => {
    const tenant = await newTenant();
    const now = await tenant.agent("assistant");
    const [short, grader] = [upstreamFor(env.TEST_UPSTREAM), upstreamFor(env.TEST_UPSTREAM)];
    await now.reply({ text: "It is a long answer.", usage, repeat: true });
    await short.reply({ text: "Short.", usage, repeat: true });
    const judging = { kind: "model", model: `openai/${grader.model}`, instructions: "Judge." };
    await tenant.put("agents", "grader", judging);
    await dataset(
      tenant,
      Array.from({ length: 24 }, (_none, at) => ({ input: `Text ${at}` })),
    );
    const candidates = [
      { name: "now", agent: "assistant" },
      { name: "short", agent: "assistant", change: { model: `openai/${short.model}` } },
    ];
    const judge = { agent: "grader", instructions: "The shorter one is better." };
    const started = (fields: object) =>
      tenant.call("POST", "/v1/evals", { dataset: "texts", maxTokens: 10_000_000, candidates, judge, ...fields });
    expect((await started({ estimate: true })).body.estimate).toMatchObject({ calls: 96, modelCalls: 96 });
    expect((await started({ candidates: candidates.slice(1) })).body.errors).toMatchObject([{ path: "eval.judge" }]);
    expect((await started({ judge: { agent: "nobody" } })).status).toBe(404);

    // Whatever stands first is better to this judge.
    await grader.reply({ text: "Both are fine.\n\n**A**", usage, repeat: true });
    const { evalId } = (await started({})).body;
    const doneOf = async () => (await tenant.call("GET", `/v1/evals/${evalId}`)).body.progress.done;
    await expect.poll(doneOf).toBeGreaterThan(40);
    await crash();
    const first = await ended(tenant, evalId);
    expect(first).toMatchObject({
      status: "completed",
      judge: "grader@1",
      progress: { wanted: 96, done: 96, failed: 0 },
    });
    const judgedOf = async (of: string) => (await tenant.call("GET", `/v1/evals/${of}/comparison`)).body.pairs[0].judge;
    expect(await judgedOf(evalId)).toMatchObject({
      ...{ items: 24, better: 0, worse: 0, ties: 24, flips: { pairs: 24, share: { share: 1 } } },
      summary: expect.stringContaining("No difference seen"),
    });
    const prompt = JSON.stringify((await grader.requests())[0]?.body);
    for (const part of ["The shorter one is better.", "It is a long answer.", "Text "]) expect(prompt).toContain(part);
    const path = `/v1/evals/${evalId}/comparison?format=markdown`;
    expect((await tenant.call("GET", path)).body).toContain("Its winner flipped with the order in 24: 1 [");

    // What it says that is no winner is a failure, which can be tried again.
    await grader.clear();
    await grader.reply({ text: "I can't say.", usage, repeat: 5 }, { text: "TIE", usage, repeat: true });
    const second = await evaluate(tenant, candidates, { judge });
    expect(second.done.progress).toMatchObject({ done: 96, failed: 5 });
    const failed = await tenant.call("GET", `/v1/evals/${second.done.evalId}/items?failed=true&limit=200`);
    expect(failed.body.items[0].judged.failed).toBe("The judge's last line is neither A, B nor TIE.");
    expect((await tenant.call("POST", `/v1/evals/${second.done.evalId}/retry`)).status).toBe(200);
    expect((await ended(tenant, second.done.evalId)).progress).toMatchObject({ done: 96, failed: 0 });
    expect(await judgedOf(second.done.evalId)).toMatchObject({ ties: 24, flips: { pairs: 0 } });
    expect((await grader.requests()).length).toBe(53);

    // Of turns results keep no text, which a judge would have to read.
    const sessionId = await tenant.session();
    const { turnId } = await tenant.say(sessionId, "Hello.");
    await dataset(tenant, [{ input: { sessionId, turnId } }]);
    expect((await started({ estimate: true })).body.errors).toMatchObject([{ path: "eval.copy" }]);
    expect((await started({ estimate: true, copy: true })).status).toBe(200);
  });
});
