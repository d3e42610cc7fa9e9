import { RE2JS } from "re2js";
import { describe, expect, it } from "vitest";
import { Automaton } from "../../../src/supervision/rules/automaton.js";
import { type Finding, TextWindow } from "../../../src/supervision/rules/detector.js";
import { scannerOf, WholeTextScanner } from "../../../src/supervision/rules/expression-scanner.js";
import { emailCandidate, seekEmail } from "../../../src/supervision/rules/personal/email.js";
import { seeded } from "./support.js";

function scan(expression: RE2JS, pieces: readonly string[]): Finding[] {
  const scanner = scannerOf(expression, Automaton.of(expression));
  const window = new TextWindow();
  for (const piece of pieces) {
    window.append(piece);
    scanner.feed(piece, window);
    window.trim(scanner.hold);
  }
  scanner.finish(window);
  return scanner.take();
}

/** In one piece, passing over what has no `@`. */
function scanWhole(expression: RE2JS, text: string): Finding[] {
  const refinement = {
    refine: (_text: string, start: number, end: number) => [{ start, end }],
    retry: "after" as const,
    seek: seekEmail,
  };
  const scanner = scannerOf(expression, Automaton.of(expression), refinement, true);
  const window = new TextWindow();
  window.append(text);
  scanner.feed(text, window);
  scanner.finish(window);
  return scanner.take();
}

function search(expression: RE2JS, text: string): Finding[] {
  return Array.from(expression.matchAll(text), (match) => {
    return { start: match.index ?? 0, end: (match.index ?? 0) + match[0].length };
  });
}

/** Random expressions over a small alphabet that match no empty text. */
function randomExpression(random: () => number, depth: number): string {
  const pick = <T>(options: readonly T[]): T | undefined => options[Math.floor(random() * options.length)];
  if (depth === 0) return pick(["a", "b", "c", "[ab]", "[^a]", ".", "\\w", "\\s", "é", "😀"]) ?? "a";
  const part = () => randomExpression(random, depth - 1);
  const kinds = [
    () => `${part()}${part()}`,
    () => `${part()}${part()}${part()}`,
    () => `(?:${part()}|${part()})`,
    () => `(${part()})+${pick(["", "?"])}`,
    () => `${part()}(?:${part()})*${pick(["", "?"])}`,
    () => `(?:${part()}){1,3}`,
    () => `\\b${part()}`,
    () => `${part()}\\b`,
    () => `(?m:^${part()})`,
    () => `(?i:${part()})(?:${part()})?`,
    () => `${part()}$`,
  ];
  return pick(kinds)?.() ?? part();
}

describe("following an expression step by step", () => {
  it("finds in a whole text, where it passes over what can't be part of a match, what re2js finds", () => {
    const random = seeded(11);
    const expression = RE2JS.compile(emailCandidate);
    const parts = ["a", "b.", ".com", "@", "@", " ", "\n", ",", "é", "😀", "x@y.de", "-", "\u3000"];
    for (let round = 0; round < 3_000; round++) {
      const text = Array.from({ length: 16 }, () => parts[Math.floor(random() * parts.length)]).join("");
      expect(scanWhole(expression, text), JSON.stringify(text)).toEqual(search(expression, text));
    }
  });

  it("reads of a whole text only what stands around what every match has", () => {
    const expression = RE2JS.compile(emailCandidate);
    const automaton = Automaton.of(expression);
    if (automaton === undefined) throw new Error("the expression can't be followed");
    let steps = 0;
    const counted = Object.assign(Object.create(automaton), {
      step: (...read: Parameters<Automaton["step"]>) => {
        steps += 1;
        return automaton.step(...read);
      },
    });
    const text = `${"There are many words here. ".repeat(200)}ada@example.com${" And more of them.".repeat(200)}`;
    const refine = (_text: string, start: number, end: number) => [{ start, end }];
    const scanner = scannerOf(expression, counted, { refine, retry: "after", seek: seekEmail }, true);
    const window = new TextWindow();
    window.append(text);
    scanner.feed(text, window);
    scanner.finish(window);
    expect(scanner.take().map(({ start, end }) => text.slice(start, end))).toEqual(["ada@example.com"]);
    expect(steps).toBeLessThan(40);
  });

  it("finds what re2js finds, in a text of one piece and of many", () => {
    const random = seeded(7);
    for (let round = 0; round < 1_500; round++) {
      const source = randomExpression(random, 1 + (round % 3));
      const expression = RE2JS.compile(source);
      const letters = ["a", "b", "c", "A", " ", "\n", "é", "😀"];
      const text = Array.from({ length: 24 }, () => letters[Math.floor(random() * letters.length)]).join("");
      const expected = search(expression, text);
      expect(scan(expression, [text]), `${source} on ${JSON.stringify(text)}`).toEqual(expected);
      expect(scan(expression, Array.from(text)), `${source} on ${JSON.stringify(text)}`).toEqual(expected);
    }
  });

  it("counts a match of no characters as none", () => {
    const expression = RE2JS.compile("a*");
    expect(scan(expression, ["baab"])).toEqual([{ start: 1, end: 3 }]);
    expect(scan(RE2JS.compile("^$|\\b"), ["some text"])).toEqual([]);
  });

  it("holds from where the earliest match under way has started, and no longer than needed", () => {
    const expression = RE2JS.compile("ab*c");
    const scanner = scannerOf(expression, Automaton.of(expression));
    const window = new TextWindow();
    const holds = Array.from("xabbbdxabbc!", (piece) => {
      window.append(piece);
      scanner.feed(piece, window);
      return scanner.hold;
    });
    expect(holds).toEqual([1, 1, 1, 1, 1, 6, 7, 7, 7, 7, 7, 12]);
  });

  it("keeps a bound on reading again, and says so when a text goes beyond it", () => {
    const expression = RE2JS.compile("a(?:[a-z]*!)?");
    const scanner = scannerOf(expression, Automaton.of(expression));
    const window = new TextWindow();
    const text = `${"a".repeat(3_000)}.`;
    window.append(text);
    scanner.feed(text, window);
    expect(scanner.overloaded).toBe(true);
  });

  it("holds everything until the end for a program it does not know", () => {
    const scanner = scannerOf(RE2JS.compile("b+"), undefined);
    expect(scanner).toBeInstanceOf(WholeTextScanner);
    const window = new TextWindow();
    window.append("abbc");
    scanner.feed("abbc", window);
    expect(scanner.hold).toBe(0);
    scanner.finish(window);
    expect(scanner.take()).toEqual([{ start: 1, end: 3 }]);
  });
});
