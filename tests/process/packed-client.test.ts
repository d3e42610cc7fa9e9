/** The packages that `npm pack` makes: installed into an empty project without a network, the client compiles there and talks to a Worker; and what `npm create` makes. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import { readPages, root } from "../docs/pages.js";
import { toured } from "../support/client-tour.js";
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

/** What goes through everywhere, and a debate, with the package's own types. */
const program = `${readFileSync(join(root, "tests/support/client-tour.ts"), "utf8").replace("../../src/client/index.js", "conclave/client")}
const options = { baseUrl: \`\${process.env.CONCLAVE_URL}\`, token: () => \`\${process.env.CONCLAVE_KEY}\` };
const conclave = new Conclave(options);
await conclave.request("PUT", "/v1/agents/assistant", { body: { kind: "model", model: "offline", instructions: "Help." } });
for (const line of await tour(options, "assistant")) console.log(line);
let debate = await conclave.roundtables.start({ topic: "Ship it?", mode: "collaborative", agentCount: 2, rounds: 1 });
while (debate.status !== "completed") {
  const contextResults = (debate.contextRequests ?? []).map(({ requestId }) => ({ requestId, result: "5 million" }));
  debate = await conclave.roundtables.continue(debate.sessionId, { contextResults });
}
console.log("debated:", debate.status, (await conclave.roundtables.export(debate.sessionId)).includes("Ship it?"));
`;

/** The Node of these tests, and of those that the path has one of each version from 20 on. */
function nodes(): string[] {
  const places = (process.env.PATH ?? "").split(delimiter).map((place) => join(place, "node"));
  const versions = new Map<string, string>();
  for (const node of [process.execPath, ...places].filter((path) => existsSync(path))) {
    const [, major = ""] = /^v(\d+)/.exec(run(project, node, ["--version"])) ?? [];
    if (Number(major) >= 20 && !versions.has(major)) versions.set(major, node);
  }
  return [...versions.values()];
}

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

  writeFileSync(join(project, "program.ts"), program);
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
  for (const node of nodes()) {
    expect(run(project, node, ["built/program.js"], env), node).toBe(
      [...toured, "debated: completed true", ""].join("\n"),
    );
    const command = join(project, "node_modules/conclave/dist/conclave.cjs");
    expect(run(project, node, [command, "usage", "--json"], env), node).toContain('"turns"');
  }
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
  // The test leaves the tenant as the folder says.
  expect(run(join(project, "Shop"), "npm", ["run", "--silent", "diff"], env)).toBe("");

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
