// `npm run bench` here: what a turn costs next to what it can't do without, side by side in one run. The cases take turns, so that
// whatever disturbs the machine disturbs all of them alike; what counts are the ratios. `--json` prints the numbers alone.
import { Agent, request } from "node:http";
import { cpus, loadavg } from "node:os";
import { fileURLToPath } from "node:url";
import { build, freePorts, prepare, startBundle, startProcess } from "./bundle.mjs";
import { profile } from "./inspector.mjs";

const rounds = Number(process.env.ROUNDS ?? 200);
const warmUps = Math.min(30, rounds);
const connections = 50;
/** Between two answers, one after the other: what an answer leaves to be done is done by then, and the next doesn't pay for it. */
const pauseMs = Number(process.env.PAUSE ?? 30);
/** Each message is another one, as people's are. */
let asked = 10_000;
const secondsAtOnce = Number(process.env.SECONDS ?? 6);
const secondsOfSlice = 2;
const restMs = 1_000;
const agent = new Agent({ keepAlive: true, maxSockets: 200 });
const here = (name) => fileURLToPath(new URL(name, import.meta.url));

const model = await startProcess([here("model.mjs")]);
const modelUrl = `http://127.0.0.1:${model.port}/v1`;
const [portkeyPort] = await freePorts(1);
const portkey = await startProcess(
  [here("node_modules/@portkey-ai/gateway/build/start-server.js"), "--headless", `--port=${portkeyPort}`],
  { port: portkeyPort, env: { TRUSTED_CUSTOM_HOSTS: "127.0.0.1,localhost" } },
);
const outdir = build({ minify: true });
// Times are taken without an inspector: with one, each line of the log costs what a step of a turn does.
const worker = await startBundle(outdir, modelUrl);
const inspected = await startBundle(outdir, modelUrl, { inspector: true });
try {
  const session = await prepare(worker);
  const cases = await casesOf(worker, session);
  const [one, many] = [await oneByOne(cases), await manyAtOnce(cases, session)];
  const cpu = await cpuPerTurn(await casesOf(inspected, await prepare(inspected)));
  const results = { one, many, cpu };
  if (process.argv.includes("--json")) console.log(JSON.stringify(results));
  else console.log(render(results));
} finally {
  await worker.stop();
  await inspected.stop();
  portkey.stop();
  model.stop();
}
process.exit(0);

async function casesOf({ origin, key }, session) {
  const own = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const say = (sessionId, more = {}) => ({
    method: "POST",
    url: `${origin}/v1/sessions/${sessionId}/messages`,
    headers: { ...own, ...more },
    body: () => JSON.stringify({ content: `Where is my parcel ${++asked}, and when does the rest of it arrive?` }),
    expect: "parcel left",
  });
  const streamed = { accept: "text/event-stream" };
  const [none, ten] = [await session("none"), await session("ten")];
  const chat = (stream) =>
    JSON.stringify({ model: "bench", stream, messages: [{ role: "user", content: "Where is my parcel?" }] });
  const guard = (rule) => ({ "default.regexMatch": { rule, not: true }, deny: true });
  const config = JSON.stringify({
    provider: "openai",
    custom_host: modelUrl,
    input_guardrails: [guard("project kestrel"), guard("CASE-\\d{4}")],
    output_guardrails: [guard("project kestrel"), guard("CASE-\\d{4}")],
  });
  const gateway = (stream) => ({
    method: "POST",
    url: `http://127.0.0.1:${portkey.port}/v1/chat/completions`,
    headers: { "content-type": "application/json", authorization: "Bearer bench", "x-portkey-config": config },
    body: chat(stream),
    expect: "parcel left",
  });
  return {
    health: { method: "GET", url: `${origin}/health`, headers: {} },
    session: { method: "GET", url: `${origin}/v1/sessions/${ten}`, headers: own },
    bare: { ...gateway(true), url: `${modelUrl}/chat/completions` },
    none: say(none),
    noneStreamed: say(none, streamed),
    ten: say(ten),
    tenStreamed: say(ten, streamed),
    run: {
      ...{ method: "POST", url: `${origin}/v1/runs`, headers: own, expect: "parcel left" },
      body: () => JSON.stringify({ team: "helpers", input: `Where is my parcel ${++asked}?` }),
    },
    portkey: gateway(false),
    portkeyStreamed: gateway(true),
  };
}

/** @returns milliseconds to the first byte of the answer's text and to its last */
function send({ method, url, headers, body, expect }) {
  return new Promise((resolve, reject) => {
    const started = performance.now();
    let first;
    const sent = request(url, { method, headers, agent }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (chunk) => {
        text += chunk;
        if (first === undefined && (expect === undefined || text.includes("Your parcel")))
          first = performance.now() - started;
      });
      response.on("end", () => {
        const last = performance.now() - started;
        const isRight = response.statusCode < 300 && (expect === undefined || first !== undefined);
        if (isRight) resolve({ first: first ?? last, last });
        else reject(new Error(`${method} ${url}: ${response.statusCode} ${text.slice(0, 500)}`));
      });
    });
    sent.on("error", reject);
    sent.end(typeof body === "function" ? body() : body);
  });
}

async function oneByOne(cases) {
  const taken = Object.fromEntries(Object.keys(cases).map((name) => [name, { first: [], last: [] }]));
  for (let round = 0; round < warmUps + rounds; round++) {
    for (const [name, one] of Object.entries(cases)) {
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
      const { first, last } = await send(one);
      if (round < warmUps) continue;
      taken[name].first.push(first);
      taken[name].last.push(last);
    }
  }
  return Object.fromEntries(
    Object.entries(taken).map(([name, { first, last }]) => [name, { first: median(first), last: median(last) }]),
  );
}

/** Answers a second at fifty connections; a session of its own for each. The cases take turns here, too. */
async function manyAtOnce(cases, session) {
  const ids = { none: [], ten: [] };
  for (let at = 0; at < connections; at++) for (const name of ["none", "ten"]) ids[name].push(await session(name));
  const of = (name, at) => {
    const kind = name.startsWith("none") ? "none" : name.startsWith("ten") ? "ten" : undefined;
    return kind === undefined
      ? cases[name]
      : { ...cases[name], url: cases[name].url.replace(/ses_\w+/, ids[kind][at]) };
  };
  const taken = Object.fromEntries(Object.keys(cases).map((name) => [name, { done: 0, ms: 0 }]));
  for (const name of Object.keys(cases))
    for (let at = 0; at < connections; at += 10)
      await Promise.all(Array.from({ length: 10 }, (_, by) => send(of(name, at + by))));
  for (let slice = 0; slice * secondsOfSlice < secondsAtOnce; slice++) {
    for (const name of Object.keys(cases)) {
      // What the answers before left to be done is done by then, and isn't taken for this case's.
      await new Promise((resolve) => setTimeout(resolve, restMs));
      const [from, end] = [performance.now(), performance.now() + secondsOfSlice * 1_000];
      const client = async (at) => {
        for (; performance.now() < end; taken[name].done++) await send(of(name, at));
      };
      await Promise.all(Array.from({ length: connections }, (_, at) => client(at)));
      taken[name].ms += performance.now() - from;
    }
  }
  return Object.fromEntries(Object.entries(taken).map(([name, { done, ms }]) => [name, (done / ms) * 1_000]));
}

/** Milliseconds that the Worker's isolates are busy for one answer, by the profile of a run of them. */
async function cpuPerTurn(cases) {
  const busy = {};
  for (const name of ["health", "session", "none", "ten", "tenStreamed", "run"]) {
    const nodes = await profile(inspected.inspectorPort, async () => {
      for (let round = 0; round < 60; round++) await send(cases[name]);
    });
    busy[name] = nodes.busyMs / 60;
  }
  return busy;
}

function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

function render({ one, many, cpu }) {
  const names = {
    health: "`GET /health`",
    session: "`GET` of a session",
    bare: "the bare model call, streamed",
    none: "a turn without supervisors",
    noneStreamed: "the same, streamed",
    ten: "a turn with ten rules supervisors",
    tenStreamed: "the same, streamed",
    run: "a routed run",
    portkey: "Portkey's gateway with two guards",
    portkeyStreamed: "the same, streamed",
  };
  const ms = (value) => `${value.toFixed(1)} ms`;
  const rows = Object.entries(names).map(([key, name]) => {
    const { first, last } = one[key];
    const ratio = (last / one.session.last).toFixed(2);
    const busy = cpu[key] === undefined ? "" : ms(cpu[key]);
    return `| ${name} | ${ms(first)} | ${ms(last)} | ${ratio} × | ${many[key].toFixed(0)} / s | ${busy} |`;
  });
  const of = (a, b) => `${(a / b).toFixed(2)} ×`;
  return `Taken on ${new Date().toISOString().slice(0, 16)}Z, ${cpus().length} cores, load ${loadavg()
    .map((n) => n.toFixed(1))
    .join(" ")}, Node ${process.versions.node}; median of ${rounds}, ${connections} connections for ${secondsAtOnce} s.

| | first byte | last byte | next to \`GET\` of a session | at ${connections} connections | busy |
|---|---|---|---|---|---|
${rows.join("\n")}

| ratio | is | is to be |
|---|---|---|
| a turn with ten rules, to \`GET\` of a session | ${of(one.ten.last, one.session.last)} | ≤ 3 |
| its throughput at ${connections} connections | ${of(many.ten, many.session)} | ≥ 0.33 |
| first streamed byte, to \`GET\` of a session | ${of(one.tenStreamed.first, one.session.last)} | ≤ 2.5 |
| last streamed byte, to Portkey's | ${of(one.tenStreamed.last, one.portkeyStreamed.last)} | < 1 |
| JSON, to Portkey's | ${of(one.ten.last, one.portkey.last)} | ≤ 4 |
`;
}
