// `npm run eval:routing -- --data <file>`: how well each strategy routes, over the API of a running Conclave.
// The file is a JSON list of {text, worker}, or {workers: [{id, description, skills, examples}], items: [{text, worker}]}. An item
// without a worker ("worker": null) is for nobody: how well confidence tells those apart is measured. {"question": true} in an item
// says that a question about it is in place. `--team <name>` measures a stored team as it is, `--confusion` prints who gets whose.
import { parseArgs } from "node:util";
import { connectTo, each, interval, readJson, runEvaluation, wholeNumber } from "./evaluation/over-the-api.mjs";

const strategies = ["llm-based", "example-based", "skill-based", "rule-based", "round-robin", "load-balanced"];

await runEvaluation(evaluate);

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
      /** A stored team, in place of the strategies. */
      team: { type: "string" },
      /** Prints, for each worker, where its items went. */
      confusion: { type: "boolean", default: false },
    },
  });
  const chosen = options.strategies.split(",").map((name) => name.trim());
  const strange = chosen.filter((name) => !strategies.includes(name));
  if (strange.length > 0)
    throw new Error(`there is no strategy ${strange.join(", ")}; there are: ${strategies.join(", ")}.`);
  const parallel = wholeNumber("--parallel", options.parallel, 1, 50);
  const { items, workers } = readData(options.data);
  const api = connectTo(options.url);

  const described = options.team === undefined ? `model of the supervisor: ${options.model}` : `team: ${options.team}`;
  console.log(`${items.length} items, ${workers.length} workers, ${described}\n`);
  const width = Math.max(16, (options.team ?? "").length + 2);
  console.log(`${"strategy".padEnd(width)}accuracy (interval)    AUROC  needless questions  unroutable  failed`);
  for (const name of options.team === undefined ? chosen : [options.team]) {
    const team = options.team ?? teamOf(name, workers, options.model);
    if (team === undefined) {
      console.log(`${name.padEnd(width)}left out: no worker of the file has what it goes by (skills, examples)`);
      continue;
    }
    const seen = {
      right: 0,
      asked: 0,
      unroutable: 0,
      wrong: [],
      failures: new Map(),
      sure: [],
      foreign: [],
      targets: new Map(),
    };
    await each(items, parallel, (item) => work(api, item, team, seen));
    print(name.padEnd(width), items, seen, options);
  }
}

function print(name, items, seen, options) {
  const owned = items.filter(({ worker }) => worker !== null).length;
  const percent = (count, of, width) => `${of === 0 ? "–" : `${((100 * count) / of).toFixed(1)} %`}`.padStart(width);
  const failed = [...seen.failures.values()].reduce((sum, count) => sum + count, 0);
  const [low, high] = interval(seen.right, owned);
  const range = owned === 0 ? "" : ` (${(100 * low).toFixed(1)}–${(100 * high).toFixed(1)})`;
  const area = auroc(seen.sure, seen.foreign);
  console.log(
    name +
      `${percent(seen.right, owned, 8)}${range}`.padEnd(22) +
      (area === undefined ? "–" : area.toFixed(3)).padStart(7) +
      percent(seen.asked, items.length, 20) +
      percent(seen.unroutable, items.length, 12) +
      percent(failed, items.length, 8),
  );
  // A wrong model name or a provider that is down is no routing: it is said, once for each cause.
  for (const [why, count] of seen.failures) console.log(`  ${count} × ${why}`);
  if (options.wrong) for (const line of seen.wrong.toSorted()) console.log(`  ${line}`);
  if (!options.confusion) return;
  for (const [worker, targets] of [...seen.targets].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const went = [...targets].toSorted(([, a], [, b]) => b - a).map(([target, count]) => `${target} ${count}`);
    console.log(`  ${worker}: ${went.join(", ")}`);
  }
}

/** How often the confidence in an item of some worker is above that in one for nobody; ties count half. */
function auroc(own, foreign) {
  if (own.length === 0 || foreign.length === 0) return undefined;
  const all = [...own.map((at) => [at, 1]), ...foreign.map((at) => [at, 0])].toSorted(([a], [b]) => a - b);
  let above = 0;
  for (let from = 0; from < all.length; ) {
    let to = from;
    while (to < all.length && all[to][0] === all[from][0]) to += 1;
    above += all.slice(from, to).filter(([, isOwn]) => isOwn === 1).length * ((from + to + 1) / 2);
    from = to;
  }
  return (above - (own.length * (own.length + 1)) / 2) / (own.length * foreign.length);
}

function readData(file) {
  const data = readJson(file);
  const items = Array.isArray(data) ? data : data?.items;
  if (!Array.isArray(items) || items.length === 0) {
    throw new Error(`${file} holds no items. It has to be a list of {text, worker}, or {workers, items}.`);
  }
  const isText = (value) => typeof value === "string" && value.trim() !== "";
  const broken = items.findIndex((item) => !isText(item?.text) || !(isText(item?.worker) || item?.worker === null));
  if (broken >= 0) throw new Error(`${file}: item ${broken + 1} isn't {"text": "…", "worker": "…"}.`);

  const labels = [...new Set(items.flatMap(({ worker }) => worker ?? []))];
  const described = data.workers ?? labels.map((id) => ({ id }));
  if (!Array.isArray(described) || described.some((worker) => !isText(worker?.id))) {
    throw new Error(`${file}: workers has to be a list of {id, description?, skills?, examples?}.`);
  }
  const unknown = labels.filter((label) => !described.some(({ id }) => id === label));
  if (unknown.length > 0) {
    const known = described.map(({ id }) => id).join(", ");
    throw new Error(`${file}: items name ${unknown.join(", ")}, and its workers are ${known}.`);
  }
  return { items, workers: described.map(workerOf) };
}

function workerOf({ id, description, skills, examples }) {
  return {
    id,
    description: description ?? id.replaceAll(/[_-]/g, " "),
    capabilities: { skills: skills ?? id.split(/[_-]/), ...(examples === undefined ? {} : { examples }) },
    // Only the decision is looked at: the work itself costs nothing.
    model: "offline",
  };
}

function teamOf(strategy, workers, model) {
  const skilled = workers.filter(({ capabilities }) => capabilities.skills.length > 0);
  const ruled = strategy === "rule-based";
  if (strategy === "example-based" && workers.every(({ capabilities }) => capabilities.examples === undefined))
    return undefined;
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

/** A question about an item is cancelled; it is needless unless the item says that it isn't. */
async function work(api, item, team, seen) {
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
  if (asked.size > 0 && item.question !== true) seen.asked += 1;
  const [decision] = run.decisions;
  const target = decision?.targetAgent ?? decision?.targetAgents?.[0];
  const confidence = decision?.confidence ?? 0;
  (item.worker === null ? seen.foreign : seen.sure).push(confidence);
  const modelFailure = /the supervisor's model failed: [^.]*/.exec(decision?.fallback ?? run.error?.detail ?? "")?.[0];
  if (modelFailure !== undefined) seen.failures.set(modelFailure, (seen.failures.get(modelFailure) ?? 0) + 1);
  else if (target === undefined) seen.unroutable += 1;
  else if (target === item.worker) seen.right += 1;
  const owner = item.worker ?? "nobody";
  const targets = seen.targets.get(owner) ?? new Map();
  seen.targets.set(owner, targets.set(target ?? "nobody", (targets.get(target ?? "nobody") ?? 0) + 1));
  if (target !== item.worker && item.worker !== null) seen.wrong.push(`${owner} → ${target ?? "nobody"}: ${item.text}`);
}
