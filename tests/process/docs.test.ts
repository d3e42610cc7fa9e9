/** The commands of the documentation, run as they are printed, each page in one shell, against a Worker of their own. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import starter from "../../scripts/starter.json" with { type: "json" };
import { readPages, root } from "../docs/pages.js";
import { answersIn, differences, shownIn } from "../docs/shown-answers.js";
import { WorkerProcess } from "./worker.js";

const names = [
  "limits",
  "supervision",
  "evidence",
  "sessions",
  "security",
  "memory",
  "routing",
  "roundtables",
  "models",
  "errors",
  "tools",
  "mcp",
  "openai",
  "ui-chat",
  "webhooks",
  "channels",
];
const texts = new Map(readPages().map(({ path, text }) => [path, text]));
const jobs = [...texts.keys()].filter((path) => path.startsWith("docs/jobs/"));
const pages = ["README.md", ...jobs, ...names.map((name) => `docs/${name}.md`)];

/** What later commands of a page name, where the answers to earlier ones show it. */
const shown = {
  SESSION: '"sessionId":"(ses_[a-z0-9]+)"',
  TURN: '"turnId":"(trn_[a-z0-9]+)"',
  MESSAGE: '"messageId":"(msg_[a-z0-9]+)","role":"assistant"',
  PART: '"turnId":"(msg_[a-z0-9.]+)"',
  HASH: '"hash":"([a-f0-9]+)"',
  ASK: '"askId":"(ask_[a-z0-9_]+)"',
  EVAL: '"evalId":"(evl_[a-z0-9_-]+)"',
  DECISION: '"decisionId":"(dec_[a-z0-9_]+)"',
  TABLE: '"sessionId":"(rt_[a-z0-9]+)"',
  REQUEST: '"requestId":"(ask_[a-z0-9_]+)"',
  RUN: '"runId":"(run_[a-z0-9]+)"',
  WEBHOOK_SECRET: '"secret":"(whsec_[^"]+)"',
  VAULT: '"vaultId":"(vlt_[a-z0-9]+)"',
  MEMORY: '"memoryId":"(mem_[a-z0-9]+)"',
  RESPONSE: '"id":"(resp_[a-z0-9_]+)"',
  TENANT: '"tenantId":"(ten_[a-z0-9]+)"',
} as const;

/** What an answer of a page has to hold, beyond that it is none that fails. */
const answers = new Map([
  ["docs/tools.md", "Order 4711 of ana is on its way."],
  ["docs/webhooks.md", '"status":"delivered"'],
  ["docs/security.md", '"name":"polite","version":1,"because":"always"'],
]);

/** JSON behind commands that isn't their answer: a body, an endpoint's answer, an example of another message. By how it begins. */
const noAnswers = ['{ "action": "modify"', '{ "settings": {', '{"items": [\n  {"version": 1'];

/** Stands before what each block of a page has printed. */
const mark = "--- block ";

/** Any command that fails ends the page. `take` sets a variable to what was shown last. */
const shell = `
set -euo pipefail; shopt -s inherit_errexit
said=$(mktemp); trap 'cat "$said"; rm -f "$said"; kill $(jobs -p) 2>/dev/null || true' EXIT
curl() { command curl --fail-with-body "$@" && echo; }
take() {
  local found; found=$({ grep -oE "$2" "$said" || true; } | tail -n 1 | sed -E "s/$2/\\1/")
  [ -z "$found" ] || printf -v "$1" %s "$found"
}
`;

/** What `npm start` stores; its tools call the shop that runs within it. */
const stored = JSON.stringify(starter);
const shopProgram = `import { openShop } from "./scripts/shop.mjs"; console.log(await openShop(0)); setInterval(() => {}, 60_000);`;

const storedSchema = z.record(z.string(), z.record(z.string(), z.unknown()));

let worker: WorkerProcess;
let shop: ChildProcess;
let resourcesOfStart: Readonly<Record<string, Readonly<Record<string, unknown>>>>;

beforeAll(async () => {
  worker = new WorkerProcess();
  shop = spawn("node", ["--input-type=module", "-e", shopProgram], { cwd: root, stdio: ["ignore", "pipe", "inherit"] });
  const [[address]] = await Promise.all([once(shop.stdout ?? shop, "data"), worker.start()]);
  resourcesOfStart = storedSchema.parse(JSON.parse(stored.replaceAll("http://127.0.0.1:8786", String(address).trim())));
});

afterAll(async () => {
  shop.kill();
  await worker.end();
});

/** Most of a page's time is spent waiting. */
describe.concurrent("the commands of", () => {
  it.each(pages)("%s succeed as they are printed, or are refused where the page shows that", async (path) => {
    const { key, tenantId } = await worker.tenant();
    for (const [kind, resources] of Object.entries(resourcesOfStart)) {
      for (const [name, body] of Object.entries(resources)) {
        await worker.call("PUT", `/v1/${kind}/${name}`, key, body);
      }
    }
    const { sessionId } = await worker.call("POST", "/v1/sessions", key, { agent: "assistant" });
    const blocks = blocksOf(path);
    const program = programOf(blocks);
    expect(program).toContain("curl");
    const env = { ...process.env, ...worker.variables, KEY: key, SESSION: sessionId, TENANT: tenantId };
    const { status, stdout, stderr } = await run(shell + program, env);
    expect(status, `${program}\n${stdout}\n${stderr}`).toBe(0);
    expect(stdout).toContain(answers.get(path) ?? "");
    const printed = stdout.split(mark).slice(1);
    for (const [at, { shown: answer }] of blocks.entries()) {
      if (answer === "" || noAnswers.some((beginning) => answer.startsWith(beginning))) continue;
      const found = answersIn(printed[at] ?? "");
      for (const one of shownIn(answer)) {
        const [nearest] = found.map((other) => differences(one, other)).sort((a, b) => a.length - b.length);
        expect(nearest, answer).toEqual([]);
      }
    }
  });
});

it.each(noAnswers)("JSON that is no answer stands behind the commands of a page: %s", (beginning) => {
  expect(pages.flatMap(blocksOf).filter(({ shown: json }) => json.startsWith(beginning))).toHaveLength(1);
});

async function run(program: string, env: NodeJS.ProcessEnv) {
  const child = spawn("bash", ["--norc", "-c", program], { env });
  const all = async (stream: NodeJS.ReadableStream) => {
    let said = "";
    for await (const part of stream.setEncoding("utf8")) said += part;
    return said;
  };
  const [[status], stdout, stderr] = await Promise.all([once(child, "close"), all(child.stdout), all(child.stderr)]);
  return { status: Number(status), stdout, stderr };
}

interface Block {
  readonly commands: string;
  /** The JSON that the page shows behind them; empty where it shows none. */
  readonly shown: string;
}

/** A page's commands, but for those that `npm start` stands for. */
function blocksOf(path: string): Block[] {
  const text = texts.get(path) ?? "";
  const blocks = text.matchAll(/^```sh\n([\s\S]*?)^```(?:(?:(?!^```)[\s\S])*?^```json\n([\s\S]*?)^```)?/gm);
  return [...blocks].flatMap(([, commands = "", shown = ""]) =>
    /^np[mx] /m.test(commands) ? [] : [{ commands, shown }],
  );
}

/** The commands as one program. A line such as `SESSION=ses_…` stands for what was shown before; other blanks are filled from outside. */
function programOf(blocks: readonly Block[]): string {
  const programs = blocks.map(({ commands, shown: answer }) => {
    const refused = /"code": "/.test(answer);
    const parts = commands.split(/^(?:URL=http.*|[A-Z_]+=.*….*)\n/m).map((part) => {
      if (part.trim() === "") return "";
      const run = `{ :\n${part}} >"$said"`;
      const taken = Object.entries(shown).map(([name, pattern]) => `take ${name} '${pattern}'`);
      return [refused ? `if ${run}; then exit 1; fi` : run, 'cat "$said"; echo', ...taken].join("\n");
    });
    return [`echo '${mark}'`, ...parts].join("\n");
  });
  return programs.join("\n");
}
