import type { RE2JS } from "re2js";
import { type Automaton, type Before, beforeAfter, endOfText, fresh, type State } from "./automaton.js";
import { type Finding, Scanner, type TextWindow } from "./detector.js";

/**
 * Looks at a candidate that an expression matched and gives what in it really counts. `text` is part of the judged text;
 * offsets are into it. May look one code point to either side of the candidate, no further.
 */
export type Refine = (text: string, start: number, end: number) => Finding[];

/** How a scanner treats what its expression matches. */
export interface Refinement {
  refine: Refine;
  /**
   * Where the search goes on when nothing in the candidate counts: after it, or one character on. The latter is for
   * candidates of bounded length that may hide a true one that starts later.
   */
  retry: "after" | "next";
  /** For an expression of which a rare character is a part: what lies between is passed over in a text that comes whole. */
  seek?: Seek;
}

/**
 * Where in a whole text a match may start, seen from `from`: none starts before `start`, and what is said holds for starts before
 * `until`, which is more than `from`. Undefined where none starts any more. Seeking through a text must take linear time in all.
 */
export type Seek = (text: string, from: number) => { readonly start: number; readonly until: number } | undefined;

/**
 * Reading the same characters again, because a match ended well before the place where that became clear, is bounded:
 * beyond this the text is one that makes the pattern run in quadratic time.
 */
const rereadFree = 10_000;
const rereadPerCharacter = 100;

/** Opens a scanner for a compiled expression. */
export function scannerOf(
  expression: RE2JS,
  automaton: Automaton | undefined,
  refinement?: Refinement,
  isWhole = false,
): Scanner {
  if (automaton === undefined) return new WholeTextScanner(expression, refinement);
  return new ExpressionScanner(automaton, refinement, isWhole ? refinement?.seek : undefined);
}

class ExpressionScanner extends Scanner {
  private state: State;
  /** Where the match under way at each place of the state has started. Never falls from one to the next. */
  private starts: number[] = [];
  private match: Finding | undefined;
  private cursor = 0;
  private reread = 0;
  /** Up to here {@link seek} has said where matches may start. */
  private soughtUntil = 0;

  constructor(
    private readonly automaton: Automaton,
    private readonly refinement: Refinement | undefined,
    private readonly seek: Seek | undefined,
  ) {
    super();
    this.state = automaton.initial("begin");
  }

  get hold(): number {
    return this.starts[0] ?? this.match?.start ?? this.cursor;
  }

  feed(chunk: string, window: TextWindow): void {
    // The chunk is read rather than the window's text: putting a long window together for each delta would be quadratic.
    let source = chunk;
    let base = window.end - chunk.length;
    const end = window.end;
    while (this.cursor < end && !this.overloaded) {
      if (this.cursor < base) {
        source = window.text;
        base = window.base;
      }
      if (this.starts.length === 0 && this.seek !== undefined && this.cursor >= this.soughtUntil)
        this.passOver(this.seek, window);
      this.passSteady(source, base, end);
      if (this.cursor >= end) break;
      const codePoint = source.codePointAt(this.cursor - base) ?? endOfText;
      this.read(codePoint);
      this.cursor += codePoint > 0xffff ? 2 : 1;
      if (this.match !== undefined && this.starts.length === 0) this.settle(this.match, window);
    }
  }

  /** Goes on where the next match may start. Nothing is under way, so that the state is the one of that place. */
  private passOver(seek: Seek, window: TextWindow): void {
    const next = seek(window.text, this.cursor - window.base);
    const start = next === undefined ? window.end : next.start + window.base;
    this.soughtUntil = next === undefined ? window.end : next.until + window.base;
    if (start <= this.cursor) return;
    this.cursor = start;
    this.state = this.automaton.initial(this.beforeCursor(window));
  }

  /** Passes over characters at which nothing starts, ends or matches: most of most texts, so the one loop that is written for speed. */
  private passSteady(source: string, base: number, end: number): void {
    let state = this.state;
    let cursor = this.cursor;
    for (; cursor < end; cursor++) {
      const step = state.ascii[source.charCodeAt(cursor - base)];
      if (step === undefined || !step.keepsStarts || step.matched !== fresh) break;
      state = step.next;
    }
    this.state = state;
    this.cursor = cursor;
  }

  finish(window: TextWindow): void {
    while (!this.overloaded) {
      this.read(endOfText);
      if (this.match === undefined) break;
      this.settle(this.match, window);
      this.feed("", window);
    }
    this.starts = [];
  }

  private read(codePoint: number): void {
    const { next, sources, keepsStarts, matched } = this.automaton.step(this.state, codePoint);
    const starts = this.starts;
    const matchStart = matched === fresh ? undefined : starts[matched];
    if (matchStart !== undefined) this.match = { start: matchStart, end: this.cursor };
    if (!keepsStarts) this.starts = carryOver(starts, sources, this.cursor);
    this.state = next;
  }

  /** No better match can come: takes it and goes on after it. */
  private settle(match: Finding, window: TextWindow): void {
    let resume = match.end;
    if (this.refinement === undefined) this.found.push(match);
    else {
      const { refine, retry } = this.refinement;
      const findings = refine(window.text, match.start - window.base, match.end - window.base);
      for (const { start, end, ...rest } of findings) {
        this.found.push({ start: start + window.base, end: end + window.base, ...rest });
      }
      if (retry === "next") resume = Math.max(match.start + 1, ...findings.map(({ end }) => end + window.base));
    }
    this.reread += this.cursor - resume;
    this.overloaded = this.reread > rereadFree + rereadPerCharacter * this.cursor;
    this.cursor = resume;
    this.match = undefined;
    this.starts = [];
    this.state = this.automaton.initial(this.beforeCursor(window));
  }

  private beforeCursor(window: TextWindow): Before {
    return beforeAfter(window.text.charCodeAt(this.cursor - 1 - window.base));
  }
}

/** The starts of the places after a step; what is new starts at `cursor`. */
function carryOver(starts: readonly number[], sources: readonly number[], cursor: number): number[] {
  return sources.map((source) => (source === fresh ? cursor : (starts[source] ?? cursor)));
}

/** The safe way out for an expression that cannot be followed step by step: it holds everything until the text is over. */
export class WholeTextScanner extends Scanner {
  constructor(
    private readonly expression: RE2JS,
    private readonly refinement?: Refinement,
  ) {
    super();
  }

  get hold(): number {
    return 0;
  }

  feed(): void {}

  finish(window: TextWindow): void {
    const text = window.text;
    for (const match of this.expression.matchAll(text)) {
      const [start, end] = [match.index ?? 0, (match.index ?? 0) + match[0].length];
      if (start === end) continue;
      this.found.push(...(this.refinement?.refine(text, start, end) ?? [{ start, end }]));
    }
  }
}
