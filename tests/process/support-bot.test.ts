/** examples/support-bot against a Worker of its own: three workers, a memory for each customer, refunds reviewed by staff in Slack. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { afterAll, beforeAll, expect, it } from "vitest";
import { WorkerProcess } from "./worker.js";

let worker: WorkerProcess;

beforeAll(async () => {
  worker = new WorkerProcess();
  await worker.start();
});

afterAll(() => worker?.end());

it("answers two customers, one of them once staff has accepted it, and remembers each by themselves", async () => {
  const { key } = await worker.tenant();
  const env = { ...process.env, CONCLAVE_URL: worker.variables.URL, CONCLAVE_KEY: key };
  const bot = spawn("tsx", ["examples/support-bot/bot.ts"], { env, stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  bot.stdout.on("data", (chunk) => {
    said += chunk;
  });
  bot.stderr.on("data", (chunk) => {
    said += chunk;
  });
  // With all that it has said.
  const [status] = await once(bot, "close");
  expect(status, said).toBe(0);
  expect(said).toMatch(/^bot: .*two working days/m);
  expect(said).toMatch(/^to staff: .*May this response pass\?.*refund of your money/m);
  expect(said).toMatch(/^bot: .*refund of your money/m);
  expect(said).toContain("Answered by slack:EVE: accept");
  const { items } = await worker.call("GET", "/v1/memories", key);
  expect(items).toHaveLength(2);
});
