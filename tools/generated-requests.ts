// Sends requests that are made from the OpenAPI document, valid, mutated and hostile, as everybody who may call and may not, and
// holds every answer against the document: `npm run requests -- --count 20000 --seed 7`. It starts a Worker of its own, unless
// CONCLAVE_URL and ADMIN_SECRET name one. The same seed makes the same requests, as far as answers are the same.
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { defined } from "../src/conversation/defined.js";
import { documentSchema, operationsOf } from "../src/http/document/model.js";
import { WorkerProcess } from "../tests/process/worker.js";
import { DocumentCheck } from "../tests/support/document-check.js";
import { randomFrom } from "../tests/support/random.js";
import { type Generated, generate } from "./requests/request.js";
import { Chance, Values } from "./requests/values.js";
import { learnName, makeWorld, type World } from "./requests/world.js";

const { values: options } = parseArgs({
  options: {
    count: { type: "string", default: "20000" },
    seed: { type: "string", default: `${Date.now() % 1_000_000}` },
    lanes: { type: "string", default: "4" },
    /** Where faults are written, one JSON object a line. */
    out: { type: "string" },
  },
});
const count = Number(options.count);
const seed = Number(options.seed);
const slowMs = 5_000;
/** Tenants are made anew so often: requests delete keys, too. */
const requestsPerWorld = 500;

interface Fault {
  readonly number: number;
  readonly what: string;
  readonly request: Generated;
  readonly answer: string;
}

const started = await startWorker();
const { origin, adminSecret } = started;
try {
  const text = await (await fetch(`${origin}/openapi.json`)).text();
  const document = documentSchema.parse(JSON.parse(text));
  const check = new DocumentCheck(text);
  const chance = new Chance(randomFrom(seed));
  const faults: Fault[] = [];
  const times: number[] = [];
  const statuses = new Map<number, number>();
  console.log(`seed ${seed}: ${count} requests to ${origin}`);

  for (let done = 0; done < count; done += requestsPerWorld) {
    const world = await makeWorld(origin, adminSecret);
    const { pool } = world;
    const sources = {
      places: operationsOf(document),
      chance,
      pool,
      values: new Values(document.components.schemas, chance, pool),
    };
    const batch = Math.min(requestsPerWorld, count - done);
    let next = 0;
    const lane = async (): Promise<void> => {
      while (next < batch) {
        const number = done + next++;
        const request = generate(sources);
        const { status, elapsedMs, fault, answer } = await send(request, world, check);
        times.push(elapsedMs);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        for (const what of fault) faults.push({ number, what, request, answer: answer.slice(0, 1_000) });
        for (const what of fault)
          console.error(
            `${number} ${request.method} ${request.path.slice(0, 120)} as ${request.caller}: ${what.slice(0, 300)}`,
          );
      }
    };
    await Promise.all(Array.from({ length: Number(options.lanes) }, lane));
    console.log(`${done + batch} sent, ${faults.length} faults`);
  }

  times.sort((a, b) => a - b);
  const at = (share: number): string => `${Math.round(times[Math.floor(times.length * share)] ?? 0)} ms`;
  const byStatus = [...statuses].sort(([a], [b]) => a - b).map(([status, n]) => `${status}: ${n}`);
  console.log(`seed ${seed}: ${times.length} requests; ${byStatus.join(", ")}`);
  console.log(`half within ${at(0.5)}, 99 % within ${at(0.99)}, the slowest ${Math.round(times.at(-1) ?? 0)} ms`);
  if (options.out !== undefined)
    writeFileSync(options.out, faults.map((fault) => `${JSON.stringify(fault)}\n`).join(""));
  console.log(faults.length === 0 ? "No fault." : `${faults.length} faults.`);
  process.exitCode = faults.length === 0 ? 0 : 1;
} finally {
  await started.end();
}

async function startWorker(): Promise<{ origin: string; adminSecret: string; end: () => Promise<void> }> {
  const { CONCLAVE_URL, ADMIN_SECRET } = process.env;
  if (CONCLAVE_URL !== undefined && ADMIN_SECRET !== undefined) {
    return { origin: CONCLAVE_URL, adminSecret: ADMIN_SECRET, end: async () => {} };
  }
  const worker = new WorkerProcess();
  await worker.start();
  const { URL: origin, ADMIN_SECRET: adminSecret } = worker.variables;
  return { origin, adminSecret, end: () => worker.end() };
}

/** Sends one request, reads its answer (of a stream, its beginning) and says what is wrong with it. */
async function send(
  request: Generated,
  { credentials, pool }: World,
  check: DocumentCheck,
): Promise<{ status: number; elapsedMs: number; fault: string[]; answer: string }> {
  const { method, path, headers, body, caller } = request;
  const credential = credentials[caller];
  const since = performance.now();
  try {
    const response = await fetch(origin + path, {
      method,
      redirect: "manual",
      headers: { ...headers, ...(credential === undefined ? {} : { authorization: `Bearer ${credential}` }) },
      ...defined({ body }),
      signal: AbortSignal.timeout(60_000),
    });
    const type = (response.headers.get("content-type") ?? "").split(";")[0]?.trim() ?? "";
    const isStream = type === "text/event-stream";
    if (isStream) await response.body?.cancel();
    const text = isStream ? "" : await response.text();
    const elapsedMs = performance.now() - since;
    const fault: string[] = [];
    if (response.status >= 500) fault.push(`status ${response.status}`);
    if (elapsedMs > slowMs) fault.push(`it took ${Math.round(elapsedMs)} ms`);
    try {
      const json: unknown = type.endsWith("json") ? JSON.parse(text) : undefined;
      if (response.ok) pool.learn(json);
      if (response.ok) learnName(pool, method, path);
      check.check({ method, path: new URL(origin + path).pathname, status: response.status, type, body: json });
    } catch (error) {
      fault.push(error instanceof Error ? error.message : String(error));
    }
    return { status: response.status, elapsedMs, fault, answer: text };
  } catch (error) {
    const elapsedMs = performance.now() - since;
    return {
      status: 0,
      elapsedMs,
      fault: [`no answer: ${error instanceof Error ? error.message : error}`],
      answer: "",
    };
  }
}
