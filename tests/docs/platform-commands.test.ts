/**
 * Commands of the pages that change a platform: no test runs them there, so each is held against the program that takes it. What they do is
 * tried in tests/process/deploy.test.ts, against a stand-in of the platform.
 */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { readOptions } from "../../scripts/deploy/options.js";
import { environmentsOf } from "../../scripts/deploy/target.js";
import { readPages, root } from "./pages.js";

const environments = environmentsOf(readFileSync(`${root}wrangler.toml`, "utf8"));
const wrangler = readFileSync(`${root}node_modules/wrangler/wrangler-dist/cli.js`, "utf8");
const programs = new Map([
  ["rotate", "scripts/rotate.ts"],
  ["release", "scripts/release.ts"],
  ["prices", "tools/prices.ts"],
]);

/** As they stand in blocks and in prose, without what is said about them. */
function commandsThatBegin(beginning: string): string[] {
  const commands = readPages()
    .filter(({ path }) => path === "README.md" || path.startsWith("docs/"))
    .flatMap(({ text }) => [...text.matchAll(new RegExp(`${beginning}([^\`\\n#]*)`, "g"))])
    .map(([, args = ""]) => args.split(/ \(|[;,)]/)[0]?.trim() ?? "");
  return [...new Set(commands)].filter((args) => args !== "").sort();
}

/** What only has commands below it is none. */
function isCommandOfWrangler(command: string): boolean {
  const [, definition = ""] = wrangler.split(`command: "wrangler ${command}",`);
  return definition !== "" && !/^\s*definition: \w*Namespace\b/.test(definition);
}

const wordsOf = (args: string): string[] => args.split(/\s+/);
const flagsOf = (args: string): string[] => [...args.matchAll(/--([a-z-]+)/g)].map(([, flag = ""]) => flag);

it("finds what wrangler doesn't know", () => {
  expect(["d1 export", "d1 exports", "d1", "tails"].filter(isCommandOfWrangler)).toEqual(["d1 export"]);
});

describe("a command of the pages is one that its program takes", () => {
  it.each(commandsThatBegin("npm run deploy -- "))("npm run deploy -- %s", (args) => {
    expect(environments).toContain(readOptions(wordsOf(args), environments).environment);
  });

  it.each(commandsThatBegin("npm run databases -- "))("npm run databases -- %s", (args) => {
    const [command = "", ...rest] = wordsOf(args);
    expect(["add", "list", "move"]).toContain(command);
    // Which database is of `move` alone.
    if (command === "move") rest.splice(rest.indexOf("--to"), 2);
    if (!args.includes("<")) expect(environments).toContain(readOptions(rest, environments).environment);
  });

  it.each(
    [...programs].flatMap(([script, file]) =>
      commandsThatBegin(`npm run ${script} -- `).map((args) => [script, args, file] as const),
    ),
  )("npm run %s -- %s", (_, args, file) => {
    const program = readFileSync(root + file, "utf8");
    expect(flagsOf(args).filter((flag) => !new RegExp(`\\b${flag}"?: (text|flag|\\{ type)`).test(program))).toEqual([]);
  });

  it.each(commandsThatBegin("npx wrangler "))("npx wrangler %s", (args) => {
    const words = wordsOf(args);
    const known = [3, 2, 1].map((length) => words.slice(0, length).join(" ")).find(isCommandOfWrangler);
    expect(known).toBeDefined();
    expect(flagsOf(args).filter((flag) => !wrangler.includes(`"${flag}"`) && !wrangler.includes(`${flag}: {`))).toEqual(
      [],
    );
  });
});
