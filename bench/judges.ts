/**
 * What several supervising agents cost a caller: three that only judge, next to one. They are asked at the same time, so that three
 * take about as long as one; that all three are open before the first is answered is counted at the upstream, not concluded from times.
 */
import { performance } from "node:perf_hooks";
import { startUpstream } from "../tests/support/scripted-upstream.js";
import { upstreamFor } from "../tests/support/upstream-client.js";
import { BenchWorker, spread } from "./worker.js";

/** What a fast real model takes, in milliseconds. */
const thinkingMs = 300;
const rounds = 12;

const upstream = await startUpstream();
const [judge, agent] = [upstreamFor(upstream.url, "judge"), upstreamFor(upstream.url, "agent")];
const worker = new BenchWorker(agent.baseURL);
try {
  await judge.reply({ toolCalls: [{ name: "allow_message", arguments: {} }], delayMs: thinkingMs, repeat: true });
  await agent.reply({ text: "Hello.", repeat: true });
  await worker.start();
  const key = await worker.tenantKey();
  for (const name of ["one", "two", "three"]) {
    await worker.call("PUT", `/v1/supervisors/${name}`, key, {
      kind: "agent",
      hooks: ["request"],
      permissions: "read_only",
      config: { model: `openai/${judge.model}`, instructions: "Block what is rude." },
    });
  }
  const single = await sessionWith(key, "single", ["one"]);
  const triple = await sessionWith(key, "triple", ["one", "two", "three"]);
  const taken: Record<"single" | "triple", number[]> = { single: [], triple: [] };
  for (let round = 0; round < rounds; round++) {
    taken.single.push(await timed(key, single));
    taken.triple.push(await timed(key, triple));
  }
  const { mostOpen } = await judge.state();
  if (mostOpen !== 3) throw new Error(`${mostOpen} judges were open at once, not 3`);
  console.log(
    `BENCH ${JSON.stringify({ single: spread(taken.single), triple: spread(taken.triple), mostOpen, thinkingMs, rounds })}`,
  );
} finally {
  worker.stop();
  await upstream.stop();
}
process.exit(0);

async function sessionWith(key: string, name: string, supervisors: readonly string[]): Promise<string> {
  const definition = { kind: "model", model: `openai/${agent.model}`, instructions: "Be helpful.", supervisors };
  await worker.call("PUT", `/v1/agents/${name}`, key, definition);
  return String((await worker.call("POST", "/v1/sessions", key, { agent: name })).sessionId);
}

async function timed(key: string, session: string): Promise<number> {
  const started = performance.now();
  const turn = await worker.call("POST", `/v1/sessions/${session}/messages`, key, { content: "Good morning." });
  if (turn.status !== "completed") throw new Error(`the turn ended as ${String(turn.status)}`);
  return performance.now() - started;
}
