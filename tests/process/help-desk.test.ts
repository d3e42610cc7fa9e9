/** The example help desk, as `npm run demo` runs it: offline, and over a scripted upstream. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { LLMock } from "@copilotkit/aimock";
import { afterEach, describe, expect, it } from "vitest";
import { root } from "../docs/pages.js";
import { WorkerProcess } from "./worker.js";

const ending: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const end of ending.splice(0).reverse()) await end();
});

async function demo(upstreamUrl?: string): Promise<string> {
  const worker = new WorkerProcess(upstreamUrl);
  ending.push(() => worker.end());
  await worker.start();
  const env = { ...process.env, CONCLAVE_URL: worker.variables.URL, CONCLAVE_KEY: await worker.tenantKey() };
  // Not at once and for all: the scripted upstream answers from this very process.
  const talk = spawn(process.execPath, ["examples/help-desk/demo.mjs"], { cwd: root, env });
  let said = "";
  talk.stdout.on("data", (piece) => {
    said += String(piece);
  });
  const [code] = await once(talk, "close");
  expect(code, said).toBe(0);
  return said;
}

describe("the help desk", () => {
  it("offline: redacts, blocks, and has a supervising agent hold an answer until a person has edited it", async () => {
    const said = await demo();
    expect(said).toContain("as heard  [blocked] It reads like an attempt to change the help desk's instructions.");
    expect(said).toContain("It held a credential.");
    expect(said).toMatch(/response {2}help-desk-careful: review\./);
    expect(said).toContain("  response  the reviewer (admin): modify.\n");
    expect(said).toMatch(/review {4}May this response pass\?/);
    expect(said).toMatch(/reviewer {2}edit: (.*)\ndesk {6}\1\n/);
  });

  it("over a scripted upstream: what its model gives away isn't given out, and an answer is reviewed", async () => {
    const mock = new LLMock({ port: 0 }).loadFixtureFile(`${root}examples/help-desk/aimock.json`);
    await mock.start();
    ending.push(() => mock.stop());
    const said = await demo(mock.url);
    expect(said).toContain("Write to [email] for more.");
    expect(said).toContain("The answer was blocked. The answer would have shown the help desk's instructions.");
    expect(said).toMatch(/response {2}help-desk-careful: review\./);
    expect(said).toMatch(/reviewer {2}edit: (.*)\ndesk {6}\1\n/);
  });
});
