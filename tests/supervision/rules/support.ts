import { rulesConfigSchema } from "../../../src/supervision/rules/config.js";
import { type Finding, type Scanner, TextWindow } from "../../../src/supervision/rules/detector.js";
import { type CompiledRules, compileRules } from "../../../src/supervision/rules/engine.js";
import type { RuleMatch } from "../../../src/supervision/rules/rule-config.js";
import type { Action } from "../../../src/supervision/verdict.js";

export type Match = RuleMatch;

/** Rules made of a configuration that the schema accepts. */
export function rulesOf(...rules: unknown[]): CompiledRules {
  return compileRules(rulesConfigSchema.parse({ rules }));
}

/** One rule that redacts what a match finds. */
export function redacting(match: Match): CompiledRules {
  return rulesOf({ match, action: "redact", reason: "found" });
}

/** What a match finds in a text: the original text of each finding. */
export function finds(match: Match, text: string): string[] {
  return redacting(match)
    .judge(text)
    .edits.map(({ start, end }) => text.slice(start, end));
}

/** What came of streaming a text in pieces. */
export interface Streamed {
  /** What was released after each push, in the order of the pushes. */
  steps: string[];
  released: string;
  action: Action;
  reasons: string[];
}

export function stream(rules: CompiledRules, pieces: readonly string[]): Streamed {
  const open = rules.openStream();
  const steps: string[] = [];
  for (const piece of pieces) steps.push(open.push(piece).release);
  const last = open.end();
  steps.push(last.release);
  return { steps, released: steps.join(""), action: last.action, reasons: last.reasons };
}

/** A reproducible source of numbers in [0, 1): mulberry32. */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/**
 * The ways in which a text is cut for the streaming tests: each unit alone, every one cut, two cuts at every distance up to
 * some, and many at random. Texts of the tests are short; of the pairs of cuts that are far apart, chance picks some.
 */
export function* splits(text: string): Generator<string[]> {
  yield [text];
  yield text.split("");
  for (let first = 0; first <= text.length; first++) {
    yield [text.slice(0, first), text.slice(first)];
    for (let second = first; second <= Math.min(text.length, first + 6); second++) {
      yield [text.slice(0, first), text.slice(first, second), text.slice(second)];
    }
  }
  const random = seeded(text.length);
  for (let round = 0; round < 100; round++) {
    const [one, other] = [Math.floor(random() * text.length), Math.floor(random() * text.length)];
    const [first, second] = [Math.min(one, other), Math.max(one, other)];
    yield [text.slice(0, first), text.slice(first, second), text.slice(second)];
    const pieces: string[] = [];
    for (let at = 0; at < text.length; ) {
      const length = 1 + Math.floor(random() * random() * 12);
      pieces.push(text.slice(at, at + length));
      at += length;
    }
    yield pieces;
  }
}

/** What a scanner finds in a whole text. */
export function scan(scanner: Scanner, text: string): Finding[] {
  const window = new TextWindow();
  window.append(text);
  scanner.feed(text, window);
  scanner.finish(window);
  return scanner.take();
}
