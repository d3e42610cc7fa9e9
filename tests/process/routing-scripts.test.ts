/** What docs/routing.md has its reader run, against a Worker of its own with the offline model. */
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { runScript } from "./run-script.js";
import { WorkerProcess } from "./worker.js";

let worker: WorkerProcess;

beforeAll(async () => {
  worker = new WorkerProcess(inject("upstreamUrl"), { DEFAULT_MODEL: "offline" });
  await worker.start();
}, 60_000);

afterAll(() => worker.end());

const page = readFileSync("docs/routing.md", "utf8");

describe("the examples of routing", () => {
  it.each([
    ["customer-support", ["billing", "technical", "shipping"]],
    ["pty-agi", ["hr", "code", "legal"]],
    ["task-delegation", ["urgent", "normal", "background"]],
  ])(
    "%s routes, asks, and routes by the answer",
    async (name, workers) => {
      const { code, said } = await runScript("tsx", [`examples/routing/${name}.ts`], await worker.scriptEnv());
      expect(code, said).toBe(0);
      expect([...said.matchAll(/routed to: ([\w-]+)/g)].map(([, routed]) => routed)).toEqual(workers);
      expect(said.match(/ asks: /g)).toHaveLength(1);
      // Printed in the page as it is here.
      if (name === "customer-support") expect(page).toContain(said.trim());
    },
    60_000,
  );
});

describe("npm run eval:routing", () => {
  it("prints for each strategy how often it is right, asks needlessly, and can't route", async () => {
    const { code, said } = await runScript("node", ["scripts/eval-routing.mjs"], await worker.scriptEnv());
    expect(code, said).toBe(0);
    const lines = said.split("\n").filter((line) => line.includes("%"));
    expect(lines.map((line) => line.split(" ")[0])).toEqual([
      "llm-based",
      "skill-based",
      "rule-based",
      "round-robin",
      "load-balanced",
    ]);
    // Those that go by the text alone give what the page shows; the others go by their turn.
    for (const line of lines.slice(0, 3)) expect(page).toContain(line);
    for (const line of lines) expect(line).toMatch(/^\S+ +\d+\.\d %( +\d+\.\d %){2}$/);
  }, 120_000);
});
