/** The checks of `npm test` that are settings of other tools: each fails on what it is there for. */
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterEach, describe, expect, it } from "vitest";

let project = "";
afterEach(() => rmSync(project, { recursive: true, force: true }));

/** What a tool says, under this repository's settings, of a project with these files. */
function run(command: string, args: readonly string[], files: Readonly<Record<string, string>>) {
  project = mkdtempSync(join(tmpdir(), "conclave-checks-"));
  for (const settings of ["biome.json", "knip.jsonc", "tsconfig.json", "tsconfig.domain.json", ".gitignore"]) {
    copyFileSync(settings, join(project, settings));
  }
  symlinkSync(resolve("node_modules"), join(project, "node_modules"));
  for (const [path, source] of Object.entries(files)) {
    mkdirSync(dirname(join(project, path)), { recursive: true });
    writeFileSync(join(project, path), source);
  }
  const { status, stdout, stderr } = spawnSync(resolve("node_modules/.bin", command), args, {
    cwd: project,
    encoding: "utf8",
  });
  return { failed: status !== 0, output: stdout + stderr };
}

const circle = {
  "src/a.ts": 'import type { B } from "./b.js";\n\nexport type A = { b?: B };\n',
  "src/b.ts": 'import type { A } from "./a.js";\n\nexport type B = { a?: A };\n',
};

describe("the lint", () => {
  const lint = (files: Readonly<Record<string, string>>) => run("biome", ["lint", "src"], files);

  it("refuses a circle between files, be it of types alone", () => {
    expect(lint(circle)).toMatchObject({ failed: true, output: expect.stringContaining("noImportCycles") });
    expect(lint({ ...circle, "src/b.ts": "export type B = { a?: string };\n" }).failed).toBe(false);
  });
});

describe("the check for what is unused", () => {
  const base = {
    "package.json": JSON.stringify({ name: "x", type: "module" }),
    "scripts/main.ts": 'import { used } from "../src/part.js";\n\nconsole.log(used);\n',
    "src/part.ts": "export const used = 1;\n",
  };
  const unused = (files: Readonly<Record<string, string>>) => run("knip", ["--no-progress"], { ...base, ...files });

  it("passes a project in which everything is used", () => {
    expect(unused({})).toMatchObject({ failed: false });
  });

  it("refuses an export that only its own file uses, a file and a dependency that nobody uses", () => {
    const { failed, output } = unused({
      "src/part.ts": "export const one = 1;\nexport const used = one;\n",
      "src/forgotten.ts": "export const x = 1;\n",
      "package.json": JSON.stringify({ name: "x", type: "module", dependencies: { zod: "4" } }),
    });
    expect(failed).toBe(true);
    expect(output).toMatch(/Unused files[\s\S]*src\/forgotten\.ts/);
    expect(output).toMatch(/Unused dependencies[\s\S]*zod/);
    expect(output).toMatch(/Unused exports[\s\S]*one .*src\/part\.ts/);
  });
});

describe("the types of the domain", () => {
  it("hold no platform", () => {
    const pure = [
      "conversation",
      "text",
      "tenancy",
      "agent",
      "asks",
      "model",
      "chat",
      "routing",
      "memory",
      "supervision",
    ];
    const files = pure.map((folder) => [
      `src/${folder}/x.ts`,
      'export const x = () => fetch("https://example.org");\n',
    ]);
    const { output } = run("tsc", ["--noEmit", "-p", "tsconfig.domain.json"], Object.fromEntries(files));
    for (const folder of pure) {
      expect(output).toMatch(new RegExp(`^src/${folder}/x\\.ts.*Cannot find name 'fetch'`, "m"));
    }
  });
});
