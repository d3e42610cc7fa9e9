/** The client has what the API's document has: every operation, under the group of the docs, and every shape. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { buildSync } from "esbuild";
import { describe, expect, it } from "vitest";
import { clientFiles } from "../../scripts/client.js";
import { commonOptions } from "../../src/command-line/command.js";
import { commands } from "../../src/command-line/commands.js";
import { progressOf } from "../../src/command-line/place.js";
import { pageOf } from "../../src/command-line/run.js";
import { root } from "./pages.js";

it("is generated from the document as it is: `npm run client` writes it", async () => {
  for (const [path, text] of Object.entries(await clientFiles())) {
    const isSame = readFileSync(`${root}/${path}`, "utf8") === text;
    expect(isSame, `${path} isn't what the document says: run \`npm run client\``).toBe(true);
  }
});

describe("its size, minified and compressed", () => {
  const sizeOf = (contents: string): number => {
    const { outputFiles } = buildSync({
      stdin: { contents, resolveDir: `${root}/src/client`, loader: "ts" },
      ...{ bundle: true, minify: true, write: false, format: "esm", platform: "neutral" },
    });
    return gzipSync(outputFiles[0]?.contents ?? "", { level: 9 }).length;
  };

  it("is at most 12 KB with everything", () => {
    expect(sizeOf('export * from "./index.js";')).toBeLessThanOrEqual(12_288);
  });

  it("is below 5 KB for sessions alone", () => {
    expect(sizeOf('export { Connection, Sessions } from "./index.js";')).toBeLessThan(5_120);
  });
});

it("the page of the command line has every command, and none that isn't there", () => {
  const page = readFileSync(`${root}/docs/command-line.md`, "utf8");
  const rows = [...page.matchAll(/^\| `conclave (\w+)` \| (.+) \|$/gm)];
  expect(rows.map(([, name]) => name)).toEqual(commands.map(({ name }) => name));
  for (const [, name, text = ""] of rows) {
    const own = Object.keys(commands.find((one) => one.name === name)?.options ?? {});
    const named = [...text.matchAll(/--(\w+)/g)].map(([, option]) => option);
    expect(
      named.filter((option) => !own.includes(option ?? "")),
      `options of ${name}`,
    ).toEqual([]);
  }
});

it("the page of the configuration shows the script that goes from staging to production as it is", () => {
  const script = readFileSync(`${root}/examples/promote/promote.sh`, "utf8");
  expect(readFileSync(`${root}/docs/configuration.md`, "utf8")).toContain(script);
});

it("every command has a page that names what it takes and its options, with examples of both", () => {
  for (const command of commands) {
    const page = pageOf(command);
    const options = Object.keys({ ...command.options, ...commonOptions }).map((option) => `--${option}`);
    for (const part of [...command.takes, ...options]) expect(page).toContain(part);
    for (const example of Object.keys(command.examples)) {
      const [program, name, ...words] = example.split(" ");
      expect([program, name]).toEqual(["conclave", command.name]);
      expect(options).toEqual(expect.arrayContaining(words.filter((word) => word.startsWith("--"))));
      const needed = command.takes.filter((one) => one.startsWith("<")).length;
      expect(words.filter((word) => !word.startsWith("--")).length, example).toBeGreaterThanOrEqual(needed);
    }
  }
});

it("long work says at a terminal how far it is, on one line that goes; not to programs", () => {
  const shownTo = (isTTY: boolean, json: boolean): string => {
    const shown: string[] = [];
    const progress = progressOf({ json }, { isTTY, write: (text) => shown.push(String(text)) > 0 });
    progress("3 of 20");
    progress("");
    return shown.join("");
  };
  expect(shownTo(true, false)).toBe("\r\x1b[K3 of 20\r\x1b[K");
  expect(shownTo(true, true) + shownTo(false, false)).toBe("");
});

it("runs as one file that needs nothing beside Node, as the package bundles it", () => {
  const folder = mkdtempSync(join(tmpdir(), "conclave-bundle-"));
  const outfile = join(folder, "conclave.cjs");
  const entryPoints = [`${root}/src/command-line/main.ts`];
  buildSync({ entryPoints, outfile, bundle: true, minify: true, platform: "node", format: "cjs", target: "node20" });
  const { stdout, status } = spawnSync("node", [outfile, "help"], { cwd: folder, encoding: "utf8" });
  rmSync(folder, { recursive: true });
  expect(stdout).toContain("make the tenant what the folder says");
  expect(status).toBe(0);
});
