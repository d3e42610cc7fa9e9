/**
 * What routing costs a caller: a run of a team through the Worker, next to the model calls that it makes, called bare over the
 * same HTTP. And five tools in one round, next to the slowest of them. Models and tools are the scripted upstream.
 */
import { performance } from "node:perf_hooks";
import { startUpstream } from "../tests/support/scripted-upstream.js";
import { type ScriptedReply, type UpstreamModel, upstreamFor } from "../tests/support/upstream-client.js";
import { BenchWorker, spread } from "./worker.js";

const warmUps = 15;
const rounds = 60;
/** What a fast real model takes, and how often that is measured. */
const thinkingMs = 300;
const slowRounds = 8;
const toolRounds = 8;
const delaysMs = [150, 200, 250, 300, 500];

const upstream = await startUpstream();
const model = (name: string): UpstreamModel => upstreamFor(upstream.url, name);
const routed: ScriptedReply = {
  toolCalls: [{ name: "route_to", arguments: { targetAgent: "a", reasoning: "It fits.", confidence: 0.9 } }],
};
const worker = new BenchWorker(model("any").baseURL);
try {
  await worker.start();
  const key = await worker.tenantKey();
  const hook = model("tool");
  await hook.reply({ body: "It was sent.", repeat: true });
  await storeTool(key, "lookup", hook);
  const instant = await turns(key, "instant", 0, warmUps, rounds);
  const thinking = await turns(key, "thinking", thinkingMs, 1, slowRounds);
  console.log(
    `BENCH ${JSON.stringify({ instant, thinking, thinkingMs, slowRounds, ...(await fiveTools(key)), rounds })}`,
  );
} finally {
  worker.stop();
  await upstream.stop();
}
process.exit(0);

/** A run without tools makes two model calls, one with a tool three. */
async function turns(key: string, name: string, delayMs: number, warmUp: number, count: number) {
  const [worked, routes, looksUp] = [`${name}-worker`, `${name}-routes`, `${name}-looks-up`];
  await model(worked).reply({ text: "Done.", delayMs, repeat: true });
  await model(routes).reply({ ...routed, delayMs, repeat: true });
  const lookUp: ScriptedReply = { toolCalls: [{ name: "lookup", arguments: {} }], delayMs };
  const once = [lookUp, { ...routed, delayMs }];
  await model(looksUp).reply(...Array.from({ length: warmUp + count }, () => once).flat());
  await storeTeam(key, `${name}-plain`, routes, worked, []);
  await storeTeam(key, `${name}-tool`, looksUp, worked, ["shop/lookup"]);

  const cases = {
    bareTwo: () => bare(routes, worked),
    plain: () => run(key, `${name}-plain`),
    bareThree: () => bare(routes, routes, worked),
    oneTool: () => run(key, `${name}-tool`),
  };
  const names = ["bareTwo", "plain", "bareThree", "oneTool"] as const;
  const taken: Record<keyof typeof cases, number[]> = { bareTwo: [], plain: [], bareThree: [], oneTool: [] };
  // The cases take turns, so that whatever disturbs the machine disturbs all of them alike.
  for (let round = 0; round < warmUp + count; round++) {
    for (const each of names) {
      const started = performance.now();
      await cases[each]();
      if (round >= warmUp) taken[each].push(performance.now() - started);
    }
  }
  return {
    bareTwo: spread(taken.bareTwo),
    plain: spread(taken.plain),
    bareThree: spread(taken.bareThree),
    oneTool: spread(taken.oneTool),
  };
}

/** From the end of the round's model call to the beginning of the next, by the upstream's clock, over its slowest tool. */
async function fiveTools(key: string) {
  const hooks = delaysMs.map((_, index) => model(`tool-${index}`));
  for (const [index, hook] of hooks.entries()) {
    await hook.reply({ body: "found", delayMs: delaysMs[index] ?? 0, repeat: true });
    await storeTool(key, `tool${index}`, hook);
  }
  const names = delaysMs.map((_, index) => `tool${index}`);
  const all: ScriptedReply = { toolCalls: names.map((name) => ({ name, arguments: {} })) };
  const supervisor = model("five");
  await model("five-worker").reply({ text: "Done.", repeat: true });
  await supervisor.reply(...Array.from({ length: toolRounds }, () => [all, routed]).flat());
  await storeTeam(
    key,
    "five",
    "five",
    "five-worker",
    names.map((name) => `shop/${name}`),
  );
  const ratios: number[] = [];
  for (let round = 0; round < toolRounds; round++) {
    await run(key, "five");
    const [before, after] = (await supervisor.requests()).slice(-2);
    const took = await Promise.all(
      hooks.map(async (hook) => {
        const request = (await hook.requests()).at(-1);
        return (request?.endedAt ?? 0) - (request?.startedAt ?? 0);
      }),
    );
    ratios.push(((after?.startedAt ?? 0) - (before?.endedAt ?? 0)) / Math.max(...took));
  }
  const fiveTools = { ...spread(ratios), most: Math.max(...ratios) };
  if (fiveTools.median > 1.2) throw new Error(`five tools at once take ${fiveTools.median} times the slowest`);
  return { fiveTools, toolRounds, delaysMs };
}

async function bare(...models: readonly string[]): Promise<void> {
  for (const name of models) {
    const response = await fetch(`${model(name).baseURL}/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: "Bearer bench" },
      body: JSON.stringify({ model: name, messages: [{ role: "user", content: "Where is my parcel?" }] }),
    });
    if (!(await response.text()).includes("choices")) throw new Error("the upstream said something else");
  }
}

async function run(key: string, team: string): Promise<void> {
  const ended = await worker.call("POST", "/v1/runs", key, { team, input: "Where is my parcel?" });
  if (ended.status !== "completed") throw new Error(`the run ended as ${JSON.stringify(ended)}`);
}

async function storeTeam(
  key: string,
  name: string,
  supervisor: string,
  worked: string,
  tools: readonly string[],
): Promise<void> {
  await worker.call("PUT", `/v1/teams/${name}`, key, {
    supervisor: { strategy: "llm-based", model: `openai/${supervisor}`, tools },
    workers: ["a", "b"].map((id) => ({ id, description: `Knows about ${id}`, model: `openai/${worked}` })),
  });
}

async function storeTool(key: string, name: string, hook: UpstreamModel): Promise<void> {
  const body = { server: "shop", description: `Looks up ${name}`, http: { method: "GET", url: hook.hookURL } };
  await worker.call("PUT", `/v1/tools/${name}`, key, body);
}
