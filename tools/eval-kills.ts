/**
 * Row 4 of the paper on evidence: an agent over as many items as a dataset holds, and the Worker killed again and again meanwhile. Each
 * result has to be there once, right, and with no more calls of the model than a slice that died makes again. It ends with 1 otherwise.
 *
 *     tsx tools/eval-kills.ts --items 10000 --kills 20 --seed 7
 */
import { once } from "node:events";
import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { parseArgs } from "node:util";
import { z } from "zod";
import { freePort, WorkerProcess } from "../tests/process/worker.js";
import { randomFrom } from "../tests/support/random.js";
import { pause } from "./kills/client.js";

const { values } = parseArgs({
  options: {
    items: { type: "string", default: "10000" },
    kills: { type: "string", default: "20" },
    parallel: { type: "string", default: "8" },
    seed: { type: "string", default: String(Date.now() % 100_000) },
  },
});
const [items, kills, parallel] = [Number(values.items), Number(values.kills), Number(values.parallel)];
/** Calls of a slice, for each of `parallel`: what one kill may have made again. */
const sliceSize = 25;
const random = randomFrom(Number(values.seed));

const evalSchema = z.looseObject({
  status: z.string(),
  progress: z.object({ done: z.int(), failed: z.int(), wanted: z.int() }),
});
const resultsSchema = z.object({
  items: z.array(z.object({ itemId: z.string(), correct: z.boolean().optional(), result: z.looseObject({}) })),
  nextCursor: z.string().nullable(),
});

let modelCalls = 0;
const model = createServer(async (request, response) => {
  const { stream = false } = z.looseObject({ stream: z.boolean().optional() }).parse(JSON.parse(await text(request)));
  modelCalls++;
  const usage = { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 };
  const message = { role: "assistant", content: "Yes." };
  const about = { id: "chat_1", created: 1, model: "m", usage };
  if (!stream) {
    response.setHeader("content-type", "application/json");
    const choices = [{ index: 0, message, finish_reason: "stop" }];
    response.end(JSON.stringify({ ...about, object: "chat.completion", choices }));
    return;
  }
  response.setHeader("content-type", "text/event-stream");
  const choices = [{ index: 0, delta: message, finish_reason: "stop" }];
  response.end(`data: ${JSON.stringify({ ...about, object: "chat.completion.chunk", choices })}\n\ndata: [DONE]\n\n`);
});
model.listen(0, "127.0.0.1");
await once(model, "listening");
const address = model.address();
const worker = new WorkerProcess(`http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`);
const port = String(await freePort());

async function call(method: string, path: string, key: string, body?: string): Promise<unknown> {
  const type = body?.startsWith("{") && body.includes("\n") ? "application/jsonl" : "application/json";
  const response = await fetch(worker.variables.URL + path, {
    method,
    headers: { connection: "close", authorization: `Bearer ${key}`, "content-type": type },
    ...(body === undefined ? {} : { body }),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return response.json();
}

try {
  process.exitCode = (await run()) ? 0 : 1;
} finally {
  await worker.end();
  model.close();
}

async function run(): Promise<boolean> {
  await worker.start(port);
  const key = await worker.tenantKey();
  const agent = { kind: "model", model: "openai/m", instructions: "Help." };
  await call("PUT", "/v1/agents/assistant", key, JSON.stringify(agent));
  await call("PUT", "/v1/datasets/texts", key, "{}");
  const lines = Array.from({ length: items }, (_none, at) =>
    JSON.stringify({ input: `Text ${at}`, expected: { contains: ["yes"] } }),
  );
  await call("POST", "/v1/datasets/texts/items", key, lines.join("\n"));
  const candidates = [{ name: "now", agent: "assistant" }];
  const started = await call(
    "POST",
    "/v1/evals",
    key,
    JSON.stringify({ dataset: "texts", candidates, parallel, maxTokens: 1e9 }),
  );
  const { evalId } = z.looseObject({ evalId: z.string() }).parse(started);
  const state = async () => evalSchema.parse(await call("GET", `/v1/evals/${evalId}`, key));
  const began = Date.now();
  let killed = 0;
  for (let now = await state(); now.status === "running"; now = await state()) {
    // Later kills wait, so that all of them come while it runs.
    const isDue = now.progress.done >= (items * killed) / (kills + 1);
    if (killed < kills && isDue) {
      await pause(random() * 250);
      await worker.kill();
      killed++;
      await worker.start(port);
    } else await pause(50);
  }
  const seconds = Math.round((Date.now() - began) / 1_000);
  const counts = new Map<string, number>();
  let wrong = 0;
  for (let cursor: string | null = ""; cursor !== null; ) {
    const query = cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`;
    const page = resultsSchema.parse(await call("GET", `/v1/evals/${evalId}/items?limit=200${query}`, key));
    for (const { itemId, correct } of page.items) {
      counts.set(itemId, (counts.get(itemId) ?? 0) + 1);
      if (correct !== true) wrong++;
    }
    cursor = page.nextCursor;
  }
  const { status, progress } = await state();
  const doubled = [...counts.values()].filter((count) => count > 1).length;
  const most = items + killed * sliceSize * parallel;
  console.log(`seed ${values.seed}: ${status}, ${killed} kills in ${seconds} s`);
  console.log(
    `${counts.size} of ${items} items have a result, ${doubled} more than one; ${wrong} wrong, ${progress.failed} failed`,
  );
  console.log(`${modelCalls} calls of the model, of at most ${most}`);
  return (
    status === "completed" && counts.size === items && doubled + wrong === 0 && killed === kills && modelCalls <= most
  );
}
