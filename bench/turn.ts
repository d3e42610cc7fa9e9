/**
 * What supervision costs a caller: a message through the Worker, with ten rules supervisors and with none, next to the bare call of
 * the same model over the same HTTP. The model is the scripted upstream, which answers at once; a real one takes seconds.
 */
import { performance } from "node:perf_hooks";
import { startUpstream } from "../tests/support/scripted-upstream.js";
import { upstreamFor } from "../tests/support/upstream-client.js";
import { BenchWorker, spread } from "./worker.js";
import { manyRules, reply } from "./workload.js";

const warmUps = 30;
const rounds = 200;
const replyText = reply(500);

const upstream = await startUpstream();
const model = upstreamFor(upstream.url, "bench-model");
const worker = new BenchWorker(model.baseURL);
try {
  // In one piece: the upstream takes a millisecond for each.
  await model.reply({ text: replyText, chunks: [replyText], repeat: true });
  await worker.start();
  const say = await sessionsOf(await worker.tenantKey());
  console.log(`BENCH ${JSON.stringify(await measure(say))}`);
} finally {
  worker.stop();
  await upstream.stop();
}
process.exit(0);

/** The cases take turns, so that whatever disturbs the machine disturbs all of them alike. */
async function measure(say: (session: "none" | "ten", content: string) => Promise<void>) {
  const taken: Record<"bare" | "none" | "ten", number[]> = { bare: [], none: [], ten: [] };
  for (let round = 0; round < warmUps + rounds; round++) {
    const content = `Message ${round}: where is my parcel, and when does the rest of it arrive?`;
    const cases = { bare: () => callBare(content), none: () => say("none", content), ten: () => say("ten", content) };
    for (const name of ["bare", "none", "ten"] as const) {
      const started = performance.now();
      await cases[name]();
      if (round >= warmUps) taken[name].push(performance.now() - started);
    }
  }
  return { bare: spread(taken.bare), none: spread(taken.none), ten: spread(taken.ten), rounds };
}

async function callBare(content: string): Promise<void> {
  const response = await fetch(`${model.baseURL}/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: "Bearer bench" },
    // Streamed, as the Worker calls it.
    body: JSON.stringify({ model: model.model, messages: [{ role: "user", content }], stream: true }),
  });
  if (!(await response.text()).includes(replyText)) throw new Error("the upstream said something else");
}

async function sessionsOf(key: string) {
  const configs = manyRules(10);
  for (const [index, config] of configs.entries()) {
    await worker.call("PUT", `/v1/supervisors/rules-${index}`, key, {
      kind: "rules",
      hooks: ["request", "response"],
      config,
    });
  }
  const begin = async (agent: string, supervisors: readonly string[]): Promise<string> => {
    const definition = { kind: "model", model: `openai/${model.model}`, instructions: "Be helpful.", supervisors };
    await worker.call("PUT", `/v1/agents/${agent}`, key, definition);
    return String((await worker.call("POST", "/v1/sessions", key, { agent })).sessionId);
  };
  const sessions = {
    none: await begin("unsupervised", []),
    ten: await begin(
      "supervised",
      configs.map((_, index) => `rules-${index}`),
    ),
  };
  return async (session: "none" | "ten", content: string): Promise<void> => {
    const turn = await worker.call("POST", `/v1/sessions/${sessions[session]}/messages`, key, { content });
    if (turn.status !== "completed") throw new Error(`the turn ended as ${String(turn.status)}`);
  };
}
