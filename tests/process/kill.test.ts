/** The real thing: a Worker in its own process, killed without a warning, and another that goes on where it was. */
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { upstreamFor } from "../support/upstream-client.js";
import { WorkerProcess } from "./worker.js";

let worker: WorkerProcess;

beforeAll(async () => {
  worker = new WorkerProcess(inject("upstreamUrl"));
  await worker.start();
});

afterAll(() => worker.end());

it("a turn goes on after kill -9 in the middle of its model call, and nobody has to ask again", async () => {
  const model = upstreamFor(inject("upstreamUrl"));
  await model.reply({ text: "never heard", hold: "first" }, { text: "Here I am again.", hold: "second" });
  const key = await worker.tenantKey();
  const agent = { kind: "model", model: `openai/${model.model}`, instructions: "" };
  await worker.call("PUT", "/v1/agents/assistant", key, agent);
  const { sessionId } = await worker.call("POST", "/v1/sessions", key, { agent: "assistant" });
  const messages = `/v1/sessions/${sessionId}/messages`;
  const { turnId } = await worker.call("POST", messages, key, { content: "Hello?", waitMs: 0 });
  await model.until({ requests: 1, open: 1 });

  await worker.kill();
  await model.until({ aborted: 1 });
  await worker.start();

  // What died may be what it died of: it waits, and others are answered at once.
  const other = await worker.tenantKey();
  await worker.call("PUT", "/v1/agents/assistant", other, { kind: "model", model: "offline", instructions: "" });
  const another = await worker.call("POST", "/v1/sessions", other, { agent: "assistant" });
  const said = await worker.call("POST", `/v1/sessions/${another.sessionId}/messages`, other, { content: "Hello?" });
  expect(said).toMatchObject({ status: "completed" });
  await model.release("second");

  // Nobody asks for the turn now: its overdue alarm finds it.
  await model.until({ requests: 2 }, 60_000);
  const turn = await worker.call("GET", `/v1/sessions/${sessionId}/turns/${turnId}?waitMs=10000`, key);
  expect(turn).toMatchObject({
    status: "completed",
    message: { content: "Hello?" },
    reply: { modelReply: { turns: [{ message: "Here I am again." }] } },
  });
  expect(await model.requests()).toHaveLength(2);
  expect((await worker.call("GET", messages, key)).items).toHaveLength(2);
});

it("a run that waits for a person is answered after kill -9, in a new process, and does nothing twice", async () => {
  const supervisor = upstreamFor(inject("upstreamUrl"));
  const billing = upstreamFor(inject("upstreamUrl"));
  const orders = upstreamFor(inject("upstreamUrl"));
  await orders.reply({ body: "order A-17 was paid twice" });
  await supervisor.reply(
    {
      toolCalls: [
        { name: "lookup_order", arguments: {} },
        { name: "ask_human", arguments: { question: "The invoice or the app?" } },
      ],
    },
    { toolCalls: [{ name: "route_to", arguments: { targetAgent: "billing", reasoning: "Money.", confidence: 0.9 } }] },
  );
  await billing.reply({ text: "You get your money back." });
  const key = await worker.tenantKey();
  await worker.call("PUT", "/v1/tools/lookup_order", key, {
    server: "shop",
    description: "Looks an order up",
    http: { url: orders.hookURL },
  });
  const team = {
    supervisor: {
      strategy: "llm-based",
      model: `openai/${supervisor.model}`,
      tools: ["ask_human", "shop/lookup_order"],
    },
    workers: [{ id: "billing", description: "invoices", model: `openai/${billing.model}` }],
  };
  const waiting = await worker.call("POST", "/v1/runs", key, { team, input: "It doesn't work." });
  expect(waiting).toMatchObject({ status: "waiting", asks: [{ question: "The invoice or the app?" }] });

  await worker.kill();
  await worker.start();

  await worker.call("POST", `/v1/asks/${waiting.asks[0]?.askId}/answer`, key, { response: "the invoice" });
  const done = await worker.call("GET", `/v1/runs/${waiting.runId}?waitMs=10000`, key);
  expect(done).toMatchObject({
    status: "completed",
    response: "You get your money back.",
    clarifications: [{ question: "The invoice or the app?", answer: "the invoice", from: "human" }],
  });
  expect(await supervisor.requests()).toHaveLength(2);
  expect(await orders.requests()).toHaveLength(1);
  expect(JSON.stringify(await billing.requests())).toContain("the invoice");
});
