// `npm run eval:routing -- --data <file>`: how well each strategy routes, over the API of a running Conclave.
// The file is a JSON list of {text, worker}, or {workers: [{id, description, skills}], items: [{text, worker}]}.
import { existsSync, readFileSync } from "node:fs";
import { parseArgs } from "node:util";

const { values: options } = parseArgs({
  options: {
    data: { type: "string", default: "examples/routing/data/help-desk.json" },
    /** Of the llm-based supervisor. */
    model: { type: "string", default: "default" },
    strategies: { type: "string", default: "llm-based,skill-based,rule-based,round-robin,load-balanced" },
    url: { type: "string", default: process.env.CONCLAVE_URL ?? `http://127.0.0.1:${process.env.PORT ?? "8787"}` },
    /** Runs at once. */
    parallel: { type: "string", default: "4" },
  },
});
const keyFile = ".wrangler/local-key.json";
const key = process.env.CONCLAVE_KEY ?? (existsSync(keyFile) ? JSON.parse(readFileSync(keyFile, "utf8")).key : "");
if (!key) fail("Start Conclave first (npm start), or set CONCLAVE_URL and CONCLAVE_KEY.");

const data = JSON.parse(readFileSync(options.data, "utf8"));
const items = Array.isArray(data) ? data : data.items;
if (!Array.isArray(items) || items.length === 0 || items.some(({ text, worker }) => !text || !worker)) {
  fail("The file has to hold a list of {text, worker}, or {workers, items}.");
}
const labels = [...new Set(items.map(({ worker }) => worker))];
const described = Array.isArray(data) || !data.workers ? labels.map((id) => ({ id })) : data.workers;
const workers = described.map(({ id, description, skills }) => ({
  id,
  description: description ?? id.replaceAll(/[_-]/g, " "),
  capabilities: { skills: skills ?? id.split(/[_-]/) },
  // Only the decision is looked at: the work itself costs nothing.
  model: "offline",
}));

console.log(`${items.length} items, ${workers.length} workers, model of the supervisor: ${options.model}\n`);
console.log("strategy        accuracy  needless questions  unroutable");
for (const strategy of options.strategies.split(",")) {
  const team = {
    supervisor: {
      strategy,
      model: options.model,
      tools: strategy === "llm-based" ? ["ask_human"] : [],
      maxIterations: 1,
      rules:
        strategy === "rule-based"
          ? workers.map(({ id, capabilities }) => ({ when: { contains: capabilities.skills }, to: id }))
          : [],
    },
    workers,
  };
  const seen = { right: 0, asked: 0, unroutable: 0 };
  const queue = [...items];
  await Promise.all(Array.from({ length: Number(options.parallel) }, () => work(queue, team, seen)));
  const percent = (count) => `${((100 * count) / items.length).toFixed(1)} %`;
  console.log(
    `${strategy.padEnd(16)}${percent(seen.right).padStart(8)}${percent(seen.asked).padStart(20)}${percent(seen.unroutable).padStart(12)}`,
  );
}

/** Every item says who is right: a question about it is needless, and is cancelled. */
async function work(queue, team, seen) {
  for (let item = queue.pop(); item !== undefined; item = queue.pop()) {
    let run = await call("POST", "/v1/runs", { team, input: item.text });
    if (run.status === "waiting") {
      seen.asked += 1;
      for (const ask of run.asks) await call("POST", `/v1/asks/${ask.askId}/cancel`);
      run = await call("GET", `/v1/runs/${run.runId}?waitMs=60000`);
    }
    const [decision] = run.decisions;
    if (decision === undefined) seen.unroutable += 1;
    else if ((decision.targetAgent ?? decision.targetAgents?.[0]) === item.worker) seen.right += 1;
  }
}

async function call(method, path, body) {
  const response = await fetch(options.url + path, {
    method,
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) fail(`${method} ${path}: ${response.status} ${text}`);
  return JSON.parse(text);
}

function fail(message) {
  console.error(message);
  process.exit(1);
}
