/** The example of a roundtable and the evaluation of debates, against a Worker of their own and a scripted upstream. */
import { readFileSync } from "node:fs";
import { LLMock } from "@copilotkit/aimock";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { root } from "../docs/pages.js";
import { runScript } from "./run-script.js";
import { WorkerProcess } from "./worker.js";

const mock = new LLMock({ port: 0 });
let worker: WorkerProcess;

beforeAll(async () => {
  // Models that always say the same, whatever the question; before the lines of the example, which fit any model.
  for (const letter of ["B", "C"]) {
    const position = { position: `Answer: ${letter}`, reasoning: "So it is.", confidence: 0.7 };
    mock.on({ model: `letter-${letter}` }, { content: JSON.stringify(position) });
  }
  const take = { name: "take_position", arguments: { position: "August.", reasoning: "By law.", confidence: 0.7 } };
  const ask = {
    name: "request_context",
    arguments: { query: "When does the act take effect?", reason: "It decides." },
  };
  mock.on({ userMessage: /collaborative discussion[\s\S]*round 1 of 2/ }, { toolCalls: [ask, take] });
  mock.on({ userMessage: /collaborative discussion[\s\S]*round 2 of 2/ }, { toolCalls: [take] });
  mock.loadFixtureFile(`${root}examples/roundtable/aimock.json`);
  await mock.start();
  worker = new WorkerProcess(mock.url, { DEFAULT_MODEL: "openai/scripted" });
  await worker.start();
});

afterAll(async () => {
  await worker.end();
  await mock.stop();
});

describe("the design review", () => {
  const review = async (more: Record<string, string> = {}) => {
    const { code, said } = await runScript("node", ["examples/roundtable/review.mjs"], {
      ...(await worker.scriptEnv()),
      ...more,
    });
    expect(code, said).toBe(0);
    return said;
  };

  it("answers what both of red ask out of its documents, and exports a debate that somebody can read who wasn't there", async () => {
    const said = await review();
    expect(said).toContain(
      "  agent-1, agent-3 asked: What does the payment provider offer for repeating a refund safely?",
    );
    expect(said).toMatch(/ {2}answered from .*provider\.md/);
    expect(said).toContain("ended by rounds after round 2");
    // Who held what, who moved and why, what was asked and answered, what it came to.
    expect(said).toContain("### Agent 2: YES, confidence 0.60");
    expect(said).toMatch(/Agent 2 moved from YES to NO, towards Agent [13].*, naming Agent 1, with new evidence/);
    expect(said).toContain("### C1: What does the payment provider offer for repeating a refund safely?");
    expect(said).toMatch(/- used by Agent 1 \(round 2\), .*Agent 4 \(round 2\)/);
    expect(said).toContain("> The design isn't ready");
    expect(said).toContain("**Minority report**");
    expect(said).toContain("## What stays open");
  });

  it("runs offline, where each seat quotes what was brought", async () => {
    const said = await review({ ROUNDTABLE_MODEL: "offline" });
    expect(said).toContain("round 1: needs_context, 4 positions");
    expect(said).toMatch(/> According to "C1": .*refund/);
    expect(said).toContain("Rests on: C1.");
  });
});

describe("the context request pattern", () => {
  it("is in the page as it runs", async () => {
    const code = readFileSync("examples/roundtable/pattern.mjs", "utf8").trim();
    expect(readFileSync("docs/roundtables.md", "utf8")).toContain(code);
    const ended = await runScript("node", ["examples/roundtable/pattern.mjs"], await worker.scriptEnv());
    expect(ended.code, ended.said).toBe(0);
    expect(ended.said).toBe("completed accepted\nAgent 1: August.\nAgent 2: August.\nAgent 3: August.\n");
  });
});

describe("npm run eval:debate", () => {
  it("compares a panel with its best seat, and with as many samples of that seat's model as its tokens pay for", async () => {
    const models = ["C", "B", "B"].map((letter) => `openai/letter-${letter}`).join(",");
    const args = ["tools/eval-debate.mjs", "--models", models, "--rounds", "2", "--limit", "3", "--answers"];
    const { code, said } = await runScript("node", args, await worker.scriptEnv());
    expect(code, said).toBe(0);
    expect(said).toContain("3 questions; collaborative, 3 seats, at most 2 rounds");
    // One of its questions wants B, one C; two seats of three say B.
    expect(said).toMatch(/^panel +33\.3 % \(6\.1–79\.2\) +\d{3,}$/m);
    expect(said).toMatch(/^its seats, before they debate +33\.3 % \(6\.1–79\.2\)$/m);
    expect(said).toMatch(/^self-consistency \((?!1\.0)\d+\.\d samples\) +33\.3 % \(6\.1–79\.2\) +\d{3,}$/m);
    expect(said).toMatch(/^its best seat alone \(seat-1\) +33\.3 %/m);
    expect(said).toMatch(/^panel against self-consistency: 0\.0 points \(-\S+ to \+\S+\): no difference is shown$/m);
    expect(said).toContain("debating turned 0 wrong answers right, and 0 right ones wrong");
    expect(said).toContain("  C: panel B, samples C, alone C: A job runs every 40 minutes");
  });
});
