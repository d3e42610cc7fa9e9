/** What docs/roundtables.md has its reader run, against a Worker of its own. */
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { upstreamFor } from "../support/upstream-client.js";
import { runScript } from "./run-script.js";
import { WorkerProcess } from "./worker.js";

let worker: WorkerProcess;

beforeAll(async () => {
  worker = new WorkerProcess(inject("upstreamUrl"));
  await worker.start();
}, 60_000);

afterAll(() => worker.end());

describe("npm run eval:debate", () => {
  it("compares a panel with its best seat, and with as many samples of that seat's model as its tokens pay for", async () => {
    // One seat says C, which two of the fixture's questions want; two seats say B, which two others want.
    const models = await Promise.all(
      ["C", "B", "B"].map(async (letter) => {
        const model = upstreamFor(inject("upstreamUrl"));
        const position = { position: `Answer: ${letter}`, reasoning: "So it is.", confidence: 0.7 };
        const usage = { inputTokens: 90, outputTokens: 10 };
        await model.reply({ text: JSON.stringify(position), usage, repeat: true });
        return `openai/${model.model}`;
      }),
    );
    const args = ["scripts/eval-debate.mjs", "--models", models.join(","), "--rounds", "2", "--answers"];
    const { code, said } = await runScript("node", args, await worker.scriptEnv());
    expect(code, said).toBe(0);
    expect(said).toContain("6 questions; collaborative, 3 seats, at most 2 rounds");
    expect(said).toMatch(/^panel +33\.3 % \(9\.7–70\.0\) +600$/m);
    expect(said).toMatch(/^its seats, before they debate +33\.3 % \(9\.7–70\.0\)$/m);
    expect(said).toMatch(/^self-consistency \(6\.0 samples\) +33\.3 % \(9\.7–70\.0\) +600$/m);
    expect(said).toMatch(/^its best seat alone \(seat-1\) +33\.3 %/m);
    expect(said).toMatch(/^panel against self-consistency: 0\.0 points \(-\S+ to \+\S+\): no difference is shown$/m);
    expect(said).toContain("debating turned 0 wrong answers right, and 0 right ones wrong");
    expect(said).toContain("  C: panel B, samples C, alone C: A job runs every 40 minutes");
  }, 120_000);
});
