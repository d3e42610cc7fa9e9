/** The commands of the documentation, run as they are printed, one page after the other, against a Worker of their own. */
import { spawnSync } from "node:child_process";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readPages } from "../docs/pages.js";
import { WorkerProcess } from "./worker.js";

const pages = ["docs/supervision.md", "docs/sessions.md", "docs/security.md"];

/** Ids that later commands of a page name, as the answers to earlier ones gave them. */
const ids = {
  SESSION: /"sessionId":"(ses_\w+)"/g,
  TURN: /"turnId":"(trn_\w+)"/g,
  MESSAGE: /"messageId":"(msg_\w+)","role":"assistant"/g,
  PART: /"turnId":"(msg_[\w.]+)"/g,
  HASH: /"hash":"(\w+)"/g,
  ASK: /"askId":"(ask_\w+)"/g,
  TENANT: /"tenantId":"(ten_\w+)"/g,
} as const;

let worker: WorkerProcess;

beforeAll(async () => {
  worker = new WorkerProcess();
  await worker.start();
}, 60_000);

afterAll(() => worker.end());

describe("the commands of", () => {
  it.each(pages)(
    "%s succeed as they are printed",
    async (path) => {
      const key = await worker.tenantKey();
      await worker.call("PUT", "/v1/agents/assistant", key, { kind: "model", model: "offline", instructions: "Help." });
      const { sessionId } = await worker.call("POST", "/v1/sessions", key, { agent: "assistant" });
      const known: Record<string, string> = { ...worker.variables, KEY: key, SESSION: sessionId };
      const blocks = commandsOf(path);
      expect(blocks.length).toBeGreaterThan(0);
      for (const block of blocks) {
        const program = `curl() { command curl --fail-with-body "$@"; echo; }\n${block}`;
        const env = { ...process.env, ...known };
        const { status, stdout, stderr } = spawnSync("bash", ["--norc", "-euc", program], { encoding: "utf8", env });
        expect(status, `${block}\n${stdout}\n${stderr}`).toBe(0);
        for (const [name, pattern] of Object.entries(ids)) {
          const last = [...stdout.matchAll(pattern)].at(-1)?.[1];
          if (last !== undefined) known[name] = last;
        }
      }
    },
    60_000,
  );
});

/** Without the lines that say where the Worker is and what its key is. */
function commandsOf(path: string): string[] {
  const text = readPages().find((page) => page.path === path)?.text ?? "";
  return [...text.matchAll(/^```sh\n([\s\S]*?)^```/gm)]
    .map(([, block = ""]) => block.replaceAll(/^(URL|KEY)=.*\n/gm, ""))
    .filter((block) => block.trim() !== "");
}
