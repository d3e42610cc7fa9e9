/** The check that texts and JSON of others are read within bounds: that it finds every pattern and parser, and knows a bad one. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { builtPatterns } from "../../scripts/reading/built.js";
import { patternFaults, weakness } from "../../scripts/reading/check.js";
import { findPatterns } from "../../scripts/reading/find.js";
import { unboundedJson } from "../../scripts/reading/json.js";
import { foreignLookUps } from "../../scripts/reading/look-ups.js";
import { parseSource } from "../../scripts/reading/sources.js";

const find = (source: string) => findPatterns(parseSource("src/x.ts", source));
const faults = (source: string, known?: Parameters<typeof patternFaults>[2]) =>
  patternFaults({ ...find(source), built: [] }, { weakness }, known ?? []);

describe("the check of patterns", () => {
  it.each([
    ["what is cut off both ends", "text.replace(/^_+|_+$/g, '')"],
    ["what is cut off the end", "text.replace(/[.!]+$/, '')"],
    ["a heading", "const heading = /^#{1,3}\\s+(.+?)\\s*:?\\s*$/;"],
    ["a repetition of repetitions", "/(?:[-._]\\w{1,6})*%/.test(value)"],
  ])("refuses %s", (_what, source) => {
    expect(faults(source)).toEqual([expect.stringMatching(/^src\/x\.ts:1: it takes (polynomial|exponential) time/)]);
  });

  it("takes those that are linear, whatever stands around them", () => {
    expect(faults("// a quotient: 6 / 2\nconst slug = (a / b).match(/^[a-z]+$/) ?? '/(a+)+$/';")).toEqual([]);
  });

  it("refuses a place that builds a pattern which it can't see", () => {
    expect(faults("const one = new RegExp(words.join('|'));\nconst two = RegExp(word);")).toEqual([
      expect.stringMatching(/^src\/x\.ts:1: builds a pattern that nobody looks at/),
      expect.stringMatching(/^src\/x\.ts:2: builds a pattern that nobody looks at/),
    ]);
  });

  it("sees what the product's tables are built to, place by place", async () => {
    const built = await builtPatterns(async () => {
      const { KeyFinder } = await import("../../src/supervision/rules/secret/known-keys.js");
      new KeyFinder();
    });
    expect(built.length).toBeGreaterThan(50);
    expect(new Set(built.map(({ path }) => path))).toEqual(new Set(["src/supervision/rules/secret/known-keys.ts"]));
  });

  it("keeps to its exceptions: none about nothing, none that repeats without end where the bound is that it doesn't", () => {
    const source = "const run = /\\d{3,}x+$/;";
    const exception = { path: "src/x.ts", pattern: /\d{3,}x+$/, bound: "it is short" };
    expect(faults(source, [exception])).toEqual([]);
    expect(faults(source, [{ ...exception, finite: true }])).toEqual([
      expect.stringContaining("has to end within a bound"),
    ]);
    expect(faults("", [exception])).toEqual([expect.stringContaining("about nothing there")]);
  });
});

describe("the check of where JSON is parsed", () => {
  const parsed = (source: string, own = {}) => unboundedJson([parseSource("src/x.ts", source)], own);

  it.each(["JSON.parse(text)", "texts.map(JSON.parse)", "await c.req.json()", "await response.json()"])(
    "refuses %s, which has no limits",
    (source) => {
      expect(parsed(source)).toEqual([expect.stringContaining("src/x.ts:1: reads JSON without limits")]);
    },
  );

  it("takes readJson, answers that are JSON, and what is named as our own as long as there is any", () => {
    expect(parsed("readJson(text); c.json({ a: 1 }, 200)")).toEqual([]);
    expect(parsed("JSON.parse(row.body)", { "src/": "rows" })).toEqual([]);
    expect(parsed("1", { "src/": "rows" })).toEqual([expect.stringContaining("parses no JSON any more")]);
  });
});

describe("names that somebody else chose", () => {
  it("are looked up as an object's own; a known name, a list and what was asked of the object itself are none", () => {
    mkdirSync("node_modules/.cache", { recursive: true });
    const folder = mkdtempSync("node_modules/.cache/look-ups-");
    try {
      writeFileSync(`${folder}/tsconfig.json`, JSON.stringify({ compilerOptions: { strict: true, types: [] } }));
      const lines = [
        "export const read = (all: Record<string, number>, name: string) => all[name];",
        "export const asked = (all: Record<string, number>, name: string) => name in all;",
        "export function put(all: Record<string, number>, name: string): void { all[name] = 1; }",
        "export const known = (all: Record<string, number>, name: 'a' | 'b') => all[name];",
        "export const list = (all: number[], at: number) => all[at];",
        "export const own = (all: Record<string, number>, name: string) => Object.hasOwn(all, name) ? all[name] : 0;",
      ];
      writeFileSync(`${folder}/some.ts`, lines.join("\n"));
      const found = (own = {}) => foreignLookUps(`${folder}/tsconfig.json`, [folder], own);
      expect(found().map((line) => /some\.ts:(\d)/.exec(line)?.[1])).toEqual(["1", "2", "3"]);
      expect(found({ [`${folder}/`]: "ours" })).toEqual([]);
      expect(found({ [`${folder}/`]: "ours", "src/gone.ts": "ours" })).toEqual([
        expect.stringContaining("src/gone.ts"),
      ]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
