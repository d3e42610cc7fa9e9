/** The packages that `npm pack` makes: installed into an empty project without a network, the client compiles there and talks to a Worker; and what `npm create` makes. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import { readPages, root } from "../docs/pages.js";
import { WorkerProcess } from "./worker.js";

const project = mkdtempSync(join(tmpdir(), "conclave-project-"));
let worker: WorkerProcess;

beforeAll(async () => {
  worker = new WorkerProcess();
  await worker.start();
});

afterAll(async () => {
  rmSync(project, { recursive: true, force: true });
  await worker?.end();
});

function run(
  cwd: string,
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): string {
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd,
    encoding: "utf8",
    env: { ...process.env, ...env },
  });
  expect(status, `${command} ${args.join(" ")}\n${stdout}\n${stderr}`).toBe(0);
  return stdout;
}

const program = `
import { Conclave, ConclaveError, ReplyText, replyText, type Turn } from "conclave/client";

const conclave = new Conclave({ baseUrl: \`\${process.env.CONCLAVE_URL}\`, token: () => \`\${process.env.CONCLAVE_KEY}\` });
await conclave.request("PUT", "/v1/agents/assistant", { body: { kind: "model", model: "offline", instructions: "Help." } });
const { sessionId } = await conclave.sessions.create({ agent: "assistant", subject: "ada" });
const turn: Turn = await conclave.sessions.send(sessionId, { content: "Hello." });
console.log("sent:", turn.status, replyText(turn) !== "");
const reply = new ReplyText();
let shown = "";
for await (const event of conclave.sessions.stream(sessionId, { content: "And now?" })) shown = reply.after(event);
console.log("streamed:", shown !== "");
const ids: number[] = [];
for await (const { id } of conclave.sessions.events(sessionId, { untilIdle: true })) if (id !== undefined) ids.push(id);
console.log("events in order:", ids.length > 4 && ids.every((id, at) => id > (ids[at - 1] ?? 0)));
let debate = await conclave.roundtables.start({ topic: "Ship it?", mode: "collaborative", agentCount: 2, rounds: 1 });
while (debate.status !== "completed") {
  const contextResults = (debate.contextRequests ?? []).map(({ requestId }) => ({ requestId, result: "5 million" }));
  debate = await conclave.roundtables.continue(debate.sessionId, { contextResults });
}
console.log("debated:", debate.status, (await conclave.roundtables.export(debate.sessionId)).includes("Ship it?"));
const refused = await conclave.sessions.get("ses_none").catch((error: unknown) => error);
console.log("refused:", refused instanceof ConclaveError && refused.code);
`;

/** The code of docs/client.md in one piece, with what its reader has: a key, a place for text, something to look things up in. */
function pageProgram(): string {
  const page = readPages().find(({ path }) => path === "docs/client.md")?.text ?? "";
  const blocks = [...page.matchAll(/^```ts\n([\s\S]*?)^```/gm)].map(([, block = ""]) => block);
  expect(blocks.length).toBeGreaterThan(2);
  return [
    "const key = String(process.env.CONCLAVE_KEY);",
    "const show = (text: string): void => console.log(text);",
    'const lookUp = async (query: string): Promise<string> => "Nothing is known of " + query;',
    ...blocks,
  ]
    .join("\n")
    .replace('"https://conclave.example"', "String(process.env.CONCLAVE_URL)");
}

it("works in an empty project", async () => {
  const [packed] = z
    .array(z.object({ filename: z.string(), files: z.array(z.object({ path: z.string() })) }))
    .parse(
      JSON.parse(run(join(root, "src/client"), "npm", ["pack", "--json", "--silent", "--pack-destination", project])),
    );
  const paths = packed?.files.map(({ path }) => path) ?? [];
  expect(paths).toContain("dist/client/index.d.ts");
  // The client and the command line: nothing of the Worker goes along.
  expect(paths.filter((path) => !path.startsWith("dist/client/")).sort()).toEqual([
    ...["README.md", "dist/conclave.cjs", "package.json"],
  ]);

  writeFileSync(join(project, "package.json"), '{"name":"empty","private":true,"type":"module"}');
  run(project, "npm", ["install", "--offline", "--no-audit", "--no-fund", "--silent", `./${packed?.filename}`]);
  const lock = readFileSync(join(project, "package-lock.json"), "utf8");
  expect(
    Object.keys(z.object({ packages: z.record(z.string(), z.unknown()) }).parse(JSON.parse(lock)).packages),
  ).toEqual(["", "node_modules/conclave"]);

  writeFileSync(join(project, "program.ts"), `export {};${program}`);
  writeFileSync(join(project, "page.ts"), pageProgram());
  const compilerOptions = {
    strict: true,
    exactOptionalPropertyTypes: true,
    module: "nodenext",
    target: "es2022",
    outDir: "built",
    lib: ["es2023", "dom"],
    types: ["node"],
    typeRoots: [join(root, "node_modules/@types")],
  };
  writeFileSync(
    join(project, "tsconfig.json"),
    JSON.stringify({ compilerOptions, include: ["program.ts", "page.ts"] }),
  );
  run(project, "tsc", ["-p", "."]);
  const env = await worker.scriptEnv();
  expect(run(project, "node", ["built/program.js"], env)).toBe(
    [
      "sent: completed true",
      "streamed: true",
      "events in order: true",
      "debated: completed true",
      "refused: not_found",
      "",
    ].join("\n"),
  );
  const page = run(project, "node", ["built/page.js"], env);
  expect(page).toMatch(/^completed /);
  expect(page).toContain("# ");
});

it("`npm create conclave` makes a folder that holds a supervised conversation, with nothing but its tarball", async () => {
  run(join(root, "src/create-conclave"), "npm", ["pack", "--silent", "--pack-destination", project]);
  const tarball = join(project, "create-conclave-0.1.0.tgz");
  const env = await worker.scriptEnv();
  run(project, "npm", ["exec", "--offline", "--yes", `--package=${tarball}`, "--", "create-conclave", "Shop"], env);
  const tested = run(project, "npm", ["test", "--prefix", "Shop"], env);
  expect(tested).toContain('According to "returns": Goods can be sent back within 30 days');
  expect(tested).toMatch(/fail 0$/m);

  const again = spawnSync(
    "npm",
    ["exec", "--offline", "--yes", `--package=${tarball}`, "--", "create-conclave", "Shop"],
    {
      cwd: project,
      encoding: "utf8",
    },
  );
  expect(again).toMatchObject({ status: 1, stderr: expect.stringContaining("Shop is there, and not empty") });
  expect(existsSync(join(project, "Shop/.gitignore"))).toBe(true);
});
