/** What docs/routing.md has its reader run, against a Worker of its own with the offline model. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { runScript } from "./run-script.js";
import { WorkerProcess } from "./worker.js";

let worker: WorkerProcess;

beforeAll(async () => {
  worker = new WorkerProcess(inject("upstreamUrl"), { DEFAULT_MODEL: "offline" });
  await worker.start();
});

afterAll(() => worker.end());

const page = readFileSync("docs/routing.md", "utf8");

describe("the examples of routing", () => {
  it.each([
    ["customer-support", ["billing", "technical", "shipping"]],
    ["pty-agi", ["hr", "code", "legal"]],
    ["task-delegation", ["urgent", "normal", "background"]],
  ])("%s routes, asks, and routes by the answer", async (name, workers) => {
    const { code, said } = await runScript("tsx", [`examples/routing/${name}.ts`], await worker.scriptEnv());
    expect(code, said).toBe(0);
    expect([...said.matchAll(/routed to: ([\w-]+)/g)].map(([, routed]) => routed)).toEqual(workers);
    expect(said.match(/ asks: /g)).toHaveLength(1);
    // Printed in the page as it is here.
    if (name === "customer-support") expect(page).toContain(said.trim());
  });
});

describe("npm run eval:routing", () => {
  it("prints for each strategy how often it is right, asks needlessly, and can't route", async () => {
    const { code, said } = await runScript("node", ["tools/eval-routing.mjs"], await worker.scriptEnv());
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
    for (const line of lines) expect(line).toMatch(/^\S+ +\d+\.\d % \(\d+\.\d–\d+\.\d\) +–( +\d+\.\d %){3}$/);
  });

  it("tells items that are for nobody by the confidence, and shows who got whose", async () => {
    const folder = mkdtempSync(join(tmpdir(), "conclave-eval-"));
    const file = join(folder, "examples.json");
    const workers = [
      { id: "billing", examples: ["I was charged twice", "Where is my invoice?", "refund my payment"] },
      { id: "technical", examples: ["the app crashes at login", "I can't sign in", "error when I save"] },
    ];
    const items = [
      { text: "my invoice was charged twice", worker: "billing" },
      { text: "the login crashes, I can't sign in", worker: "technical" },
      { text: "sing me a song of whales", worker: null },
    ];
    writeFileSync(file, JSON.stringify({ workers, items }));
    const args = ["tools/eval-routing.mjs", "--data", file, "--strategies", "example-based", "--confusion"];
    const { code, said } = await runScript("node", args, await worker.scriptEnv());
    rmSync(folder, { recursive: true });
    expect(code, said).toBe(0);
    expect(said).toMatch(/^example-based +100\.0 % \(\S+\) +1\.000/m);
    expect(said).toMatch(/^ {2}billing: billing 1$/m);
    expect(said).toMatch(/^ {2}nobody: \w+ 1$/m);
  });
});
