/** Callers of OpenAI's API who go before the answer, over real connections: nobody pays for a model that nobody listens to. */
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { upstreamFor } from "../support/upstream-client.js";
import { WorkerProcess } from "./worker.js";

let worker: WorkerProcess;
let key: string;

beforeAll(async () => {
  worker = new WorkerProcess(inject("upstreamUrl"));
  await worker.start();
  key = await worker.tenantKey();
}, 120_000);

afterAll(() => worker?.end());

// That of a whole answer can't be seen here: `wrangler dev` tells its Worker of a lost connection when a write to it fails, and nothing is
// written before a whole answer. tests/openai/chat.test.ts shows that the Worker heeds it.
it("a stateless stream that is dropped gives up its model call, though the model says nothing more", async () => {
  const model = upstreamFor(inject("upstreamUrl"));
  await worker.call("PUT", "/v1/agents/assistant", key, {
    kind: "model",
    model: `openai/${model.model}`,
    instructions: "Count.",
  });
  await model.reply({ chunks: ["One ", "two ", "three"], hold: { name: "never", afterChunks: 1 } });
  const dropped = new AbortController();
  const answer = await fetch(`${worker.variables.URL}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "assistant", messages: [{ role: "user", content: "Count." }], stream: true }),
    signal: dropped.signal,
  });
  await answer.body?.getReader().read();
  await model.until({ requests: 1 }, 10_000);
  dropped.abort();
  await expect(model.until({ aborted: 1 }, 30_000)).resolves.toMatchObject({ open: 0 });
}, 60_000);
