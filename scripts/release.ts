// `npm run release -- 0.2.0 --callers "nothing"`: gives what is committed a number: a row of the table of releases, a heading in
// CHANGELOG.md, a commit and a tag with its notes. Nothing is pushed.
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { notesOf, withRelease } from "./deploy/changelog.js";
import { compareVersions, nextRelease, readCodeFacts, readReleases, releasesFile } from "./deploy/releases.js";
import { readTarget } from "./deploy/target.js";

/** What says the version, besides CHANGELOG.md. The lock says it twice. */
const versionFiles = ["package.json", "package-lock.json", "src/client/package.json", "src/conversation/version.ts"];

try {
  const { version, callers, readableFrom } = readArguments();
  const target = await readTarget("production");
  const releases = readReleases();
  demandReleasable(version, target.version, releases.at(-1)?.version);
  const date = new Date().toISOString().slice(0, 10);
  const release = nextRelease(await readCodeFacts(target), releases, { version, date, callers, readableFrom });
  const changelog = withRelease(readFileSync("CHANGELOG.md", "utf8"), version, date);
  writeFileSync("CHANGELOG.md", changelog);
  writeFileSync(releasesFile, `${JSON.stringify([...releases, release], undefined, 2)}\n`);
  for (const file of versionFiles) writeVersion(file, target.version, version);
  run("tsx", "scripts/tables.ts");
  run("biome", "format", "--write", releasesFile);
  run("git", "commit", "--quiet", "--all", "--message", `Release ${version}`);
  run(
    "git",
    "tag",
    "--annotate",
    `v${version}`,
    "--cleanup=verbatim",
    "--message",
    `Conclave ${version}\n\n${notesOf(changelog, version)}`,
  );
  console.log(`Made the commit and the tag v${version}: ${release.steps.length} new steps of objects, read by ${release.readableFrom} and newer.
Its gate is one run on a real account (docs/deployment.md). Then: git push --follow-tags
The notes: git tag --list --format='%(contents:body)' v${version}`);
} catch (error) {
  console.error(`Not released: ${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
}

function readArguments(): { version: string; callers: string; readableFrom: string | undefined } {
  const text = { type: "string" } as const;
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { callers: text, "readable-from": text },
  });
  const [version = ""] = positionals;
  const readableFrom = values["readable-from"];
  const isNumber = (given: string): boolean => /^\d+\.\d+\.\d+$/.test(given);
  if (isNumber(version) && values.callers && isNumber(readableFrom ?? version))
    return { version, callers: values.callers, readableFrom };
  throw new TypeError('give a number and what callers have to do: npm run release -- 0.2.0 --callers "nothing"');
}

function demandReleasable(version: string, current: string, last: string | undefined): void {
  const before = last ?? current;
  if (compareVersions(version, before) <= 0) throw new TypeError(`${version} is not newer than ${before}.`);
  if (run("git", "status", "--porcelain") !== "") throw new TypeError("there are changes that aren't committed.");
  if (run("git", "tag", "--list", `v${version}`) !== "") throw new TypeError(`the tag v${version} is there already.`);
}

function writeVersion(file: string, from: string, to: string): void {
  const [head = "", ...rest] = readFileSync(file, "utf8").split(`"${from}"`);
  const times = file === "package-lock.json" ? 2 : 1;
  if (rest.length < times) throw new TypeError(`${file} doesn't say the version ${from}.`);
  const tail = rest.map((text, at) => `"${at < times ? to : from}"${text}`).join("");
  writeFileSync(file, head + tail);
}

function run(command: string, ...args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: "utf8" });
  if (status !== 0) throw new TypeError(`${command} ${args[0]} failed: ${stderr || stdout}`);
  return stdout.trim();
}
