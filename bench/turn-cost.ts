/**
 * What processor time a supervised turn takes: of all of workerd, which is the Worker, its objects, D1 and the HTTP between them, so
 * it is more than is billed. Rows and calls are counted by `tests/stores/turn-costs.test.ts`.
 */
import { readdirSync, readFileSync } from "node:fs";
import { startUpstream } from "../tests/support/scripted-upstream.js";
import { upstreamFor } from "../tests/support/upstream-client.js";
import { BenchWorker } from "./worker.js";

const warmUps = 50;
const turns = 300;
/** Of the kernel's clock, which counts in hundredths of a second. */
const tickMs = 10;

const upstream = await startUpstream();
const model = upstreamFor(upstream.url, "cost-model");
const worker = new BenchWorker(model.baseURL);
try {
  await model.reply({ text: "It is on its way.", repeat: true });
  await worker.start();
  const key = await worker.tenantKey();
  const rules = [{ match: { type: "personalData" }, action: "redact", reason: "personal" }];
  await worker.call("PUT", "/v1/supervisors/privacy", key, {
    kind: "rules",
    hooks: ["request", "response"],
    config: { rules },
  });
  const agent = {
    kind: "model",
    model: `openai/${model.model}`,
    instructions: "Be helpful.",
    supervisors: ["privacy"],
  };
  await worker.call("PUT", "/v1/agents/assistant", key, agent);
  const { sessionId } = await worker.call("POST", "/v1/sessions", key, { agent: "assistant" });
  const say = async (times: number): Promise<void> => {
    for (let turn = 0; turn < times; turn++) {
      const { status } = await worker.call("POST", `/v1/sessions/${String(sessionId)}/messages`, key, {
        content: "Where is my parcel?",
      });
      if (status !== "completed") throw new Error(`the turn ended as ${String(status)}`);
    }
  };
  await say(warmUps);
  const before = processorMs();
  await say(turns);
  console.log(`BENCH ${JSON.stringify({ turns, processorMsPerTurn: (processorMs() - before) / turns })}`);
} finally {
  worker.stop();
  await upstream.stop();
}
process.exit(0);

/** What the workerd processes that this one started have taken so far, in milliseconds. */
function processorMs(): number {
  const all = readdirSync("/proc").flatMap((name) => (/^\d+$/.test(name) ? readStat(name) : []));
  const mine = new Set([process.pid]);
  // Parents have smaller numbers than their children, but where numbers begin anew.
  for (let before = 0; before < mine.size; ) {
    before = mine.size;
    for (const { pid, parent } of all) if (mine.has(parent)) mine.add(pid);
  }
  return all
    .filter(({ pid, name }) => mine.has(pid) && name === "workerd")
    .reduce((sum, { ticks }) => sum + ticks * tickMs, 0);
}

function readStat(pid: string): { pid: number; parent: number; name: string; ticks: number }[] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    const name = text.slice(text.indexOf("(") + 1, text.lastIndexOf(")"));
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return [{ pid: Number(pid), parent: Number(fields[1]), name, ticks: Number(fields[11]) + Number(fields[12]) }];
  } catch {
    return [];
  }
}
