/**
 * Kills the Worker's process again and again, at random moments of a mixed load, and then looks whether anything was lost, doubled,
 * put out of order or left undone, and whether a turn failed that had done nothing wrong.
 *
 *     npm run kills -- --kills 200 --seed 7
 *
 * First it kills where the tool server has noted a charge and the Worker hasn't heard of it, as often as `--charges` says, for every face at
 * once. It prints its seed first, a line for each kill, and at the end every fault with the ids that it is about; the Worker's log is kept
 * in the file that it names. Ctrl-C ends the killing early, and looks then. It ends with 1 if there was a fault.
 */
import { openSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { WorkerProcess } from "../tests/process/worker.js";
import { randomFrom } from "../tests/support/random.js";
import { killAtTheCharge } from "./kills/at-the-charge.js";
import { Checks } from "./kills/checks.js";
import { Client, pause } from "./kills/client.js";
import { faces } from "./kills/faces.js";
import { Load, newRecord } from "./kills/load.js";
import { startUpstream } from "./kills/upstream.js";

const { values } = parseArgs({
  options: {
    kills: { type: "string", default: "200" },
    charges: { type: "string", default: "5" },
    seed: { type: "string", default: String(Date.now() % 100_000) },
  },
});
const kills = Number(values.kills);
const random = randomFrom(Number(values.seed));
const log = join(tmpdir(), `conclave-kills-${values.seed}.log`);
console.log(`seed ${values.seed}, ${kills} kills, the Worker's log is ${log}`);

const upstream = await startUpstream(randomFrom(Number(values.seed) + 1));
const worker = new WorkerProcess(upstream.url, {}, openSync(log, "a"));
let interrupted = false;
process.once("SIGINT", () => {
  interrupted = true;
});

try {
  process.exitCode = (await run()) === 0 ? 0 : 1;
} finally {
  await worker.end();
  upstream.stop();
}

/** @returns how many faults there were */
async function run(): Promise<number> {
  await worker.start();
  const client = new Client(worker, await worker.tenantKey());
  const record = newRecord();
  const load = new Load(client, record, randomFrom(Number(values.seed) + 2));
  await load.prepare(upstream.url);
  const faults: string[] = [];
  for (let charge = 1; charge <= Number(values.charges) && !interrupted; charge++) {
    const { places, next } = load.ofFaces;
    const found = await killAtTheCharge(client, places, { upstream, worker, first: next(faces.length) });
    faults.push(...found);
    console.log(`killed at the charge, ${charge} of ${values.charges}: ${faces.length} faces, ${found.length} faults`);
  }
  const running = load.run();
  const began = Date.now();
  let startMs = 0;
  let kill = 0;
  while (kill < kills && !interrupted) {
    kill += 1;
    const waitMs = Math.round(200 + random() ** 2 * 5_000);
    await pause(waitMs);
    await worker.kill();
    const killed = Date.now();
    await worker.start();
    startMs += Date.now() - killed;
    void worker.ring("* * * * *");
    const messages = record.conversations.reduce((sum, { sent }) => sum + sent.length, 0);
    const done = `${messages} messages, ${record.runs.length} runs, ${record.made.size} made, ${record.faces.length} by faces, ${upstream.calls.length} tool calls`;
    console.log(`kill ${kill} after ${waitMs} ms; ${done}`);
  }
  load.stop();
  await running;
  const seconds = Math.round((Date.now() - began) / 1_000);
  console.log(`${kill} kills in ${seconds} s; a start took ${Math.round(startMs / Math.max(1, kill))} ms`);
  const checks = new Checks(client, record, upstream, () => worker.ring("* * * * *"));
  await checks.all(load);
  faults.push(...checks.faults);
  for (const fault of faults) console.log(`FAULT ${fault}`);
  console.log(`${faults.length} faults after ${kill} kills (seed ${values.seed})`);
  return faults.length;
}
