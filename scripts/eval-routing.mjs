// `npm run eval:routing -- --data <file>`: how well each strategy routes, over the API of a running Conclave.
// The file is a JSON list of {text, worker}, or {workers: [{id, description, skills}], items: [{text, worker}]}.
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { connect, findWorker } from "../examples/help-desk/client.mjs";

const strategies = ["llm-based", "skill-based", "rule-based", "round-robin", "load-balanced"];

try {
  await evaluate();
} catch (error) {
  console.error(`The evaluation stopped: ${error.message}`);
  process.exitCode = 1;
}

async function evaluate() {
  const { values: options } = parseArgs({
    options: {
      data: { type: "string", default: "examples/routing/data/help-desk.json" },
      /** Of the llm-based supervisor. */
      model: { type: "string", default: "default" },
      strategies: { type: "string", default: strategies.join(",") },
      url: { type: "string" },
      /** Runs at once. */
      parallel: { type: "string", default: "4" },
      /** Prints each item that went to the wrong worker. */
      wrong: { type: "boolean", default: false },
    },
  });
  const chosen = options.strategies.split(",").map((name) => name.trim());
  const strange = chosen.filter((name) => !strategies.includes(name));
  if (strange.length > 0)
    throw new Error(`there is no strategy ${strange.join(", ")}; there are: ${strategies.join(", ")}.`);
  const parallel = Number(options.parallel);
  if (!Number.isInteger(parallel) || parallel < 1 || parallel > 50)
    throw new Error("--parallel is a number from 1 to 50.");
  const { items, workers } = readData(options.data);
  const found = findWorker();
  const api = connect({ ...found, url: (options.url ?? found.url).replace(/\/$/, "") });

  console.log(`${items.length} items, ${workers.length} workers, model of the supervisor: ${options.model}\n`);
  console.log("strategy        accuracy  needless questions  unroutable");
  for (const strategy of chosen) {
    const team = teamOf(strategy, workers, options.model);
    if (team === undefined) {
      console.log(`${strategy.padEnd(16)}left out: no worker of the file has skills to make rules of`);
      continue;
    }
    const seen = { right: 0, asked: 0, unroutable: 0, wrong: [] };
    const queue = [...items];
    await Promise.all(Array.from({ length: parallel }, () => work(api, queue, team, seen)));
    const percent = (count, width) => `${((100 * count) / items.length).toFixed(1)} %`.padStart(width);
    console.log(strategy.padEnd(16) + percent(seen.right, 8) + percent(seen.asked, 20) + percent(seen.unroutable, 12));
    if (options.wrong) for (const line of seen.wrong.toSorted()) console.log(`  ${line}`);
  }
}

function readData(file) {
  const data = parse(file);
  const items = Array.isArray(data) ? data : data?.items;
  if (!Array.isArray(items) || items.length === 0) {
    throw new Error(`${file} holds no items. It has to be a list of {text, worker}, or {workers, items}.`);
  }
  const isText = (value) => typeof value === "string" && value.trim() !== "";
  const broken = items.findIndex((item) => !isText(item?.text) || !isText(item?.worker));
  if (broken >= 0) throw new Error(`${file}: item ${broken + 1} isn't {"text": "…", "worker": "…"}.`);

  const labels = [...new Set(items.map(({ worker }) => worker))];
  const described = data.workers ?? labels.map((id) => ({ id }));
  if (!Array.isArray(described) || described.some((worker) => !isText(worker?.id))) {
    throw new Error(`${file}: workers has to be a list of {id, description?, skills?}.`);
  }
  const unknown = labels.filter((label) => !described.some(({ id }) => id === label));
  if (unknown.length > 0) {
    const known = described.map(({ id }) => id).join(", ");
    throw new Error(`${file}: items name ${unknown.join(", ")}, and its workers are ${known}.`);
  }
  return { items, workers: described.map(workerOf) };
}

function parse(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    throw new Error(`${file} can't be read as JSON: ${error.message}`);
  }
}

function workerOf({ id, description, skills }) {
  return {
    id,
    description: description ?? id.replaceAll(/[_-]/g, " "),
    capabilities: { skills: skills ?? id.split(/[_-]/) },
    // Only the decision is looked at: the work itself costs nothing.
    model: "offline",
  };
}

function teamOf(strategy, workers, model) {
  const skilled = workers.filter(({ capabilities }) => capabilities.skills.length > 0);
  const ruled = strategy === "rule-based";
  if (ruled && skilled.length === 0) return undefined;
  return {
    supervisor: {
      strategy,
      model,
      tools: strategy === "llm-based" ? ["ask_human"] : [],
      maxIterations: 1,
      rules: ruled ? skilled.map(({ id, capabilities }) => ({ when: { contains: capabilities.skills }, to: id })) : [],
    },
    workers,
  };
}

/** Every item says who is right: a question about it is needless, and is cancelled. */
async function work(api, queue, team, seen) {
  for (let item = queue.pop(); item !== undefined; item = queue.pop()) {
    let run = await api.json("POST", "/v1/runs", { team, input: item.text });
    const asked = new Set();
    while (run.status === "running" || run.status === "waiting") {
      for (const { askId, kind, status } of run.asks) {
        if (status !== "open") continue;
        if (kind === "human") asked.add(askId);
        await api.json("POST", `/v1/asks/${askId}/cancel`);
      }
      run = await api.json("GET", `/v1/runs/${run.runId}?waitMs=60000`);
    }
    if (asked.size > 0) seen.asked += 1;
    const [decision] = run.decisions;
    const target = decision?.targetAgent ?? decision?.targetAgents?.[0];
    if (target === undefined) seen.unroutable += 1;
    else if (target === item.worker) seen.right += 1;
    if (target !== item.worker) seen.wrong.push(`${item.worker} → ${target ?? "nobody"}: ${item.text}`);
  }
}
