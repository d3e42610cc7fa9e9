/** Finds runs of characters of one class and looks at each when it is complete: what needs no automaton, and is quicker without. */
import { type Detector, Scanner, type TextWindow } from "./detector.js";
import type { Refine } from "./expression-scanner.js";

/** A class of characters. What was asked once is known, since a text uses few different ones. */
export class CharacterClass {
  /** For each code unit: 0 unknown, 1 outside, 2 inside. */
  private readonly known = new Uint8Array(0x10000);

  /** `pattern` is for one character. */
  constructor(private readonly pattern: RegExp) {}

  has(codePoint: number): boolean {
    const known = codePoint < 0x10000 ? this.known[codePoint] : undefined;
    if (known === 2) return true;
    if (known === 1) return false;
    const has = this.pattern.test(String.fromCodePoint(codePoint));
    if (codePoint < 0x10000) this.known[codePoint] = has ? 2 : 1;
    return has;
  }
}

/** A detector for runs of at least so many code units; it reads the normalised text. */
export function runDetector(
  characters: CharacterClass,
  least: number,
  check: Detector["mayMatch"],
  refine: Refine,
): Detector {
  return { reads: "normal", mayMatch: check, open: () => new RunScanner(characters, least, refine) };
}

class RunScanner extends Scanner {
  private start: number | undefined;
  private cursor = 0;

  constructor(
    private readonly characters: CharacterClass,
    private readonly least: number,
    private readonly refine: Refine,
  ) {
    super();
  }

  get hold(): number {
    return this.start ?? this.cursor;
  }

  feed(chunk: string, window: TextWindow): void {
    const base = window.end - chunk.length;
    let at = this.cursor - base;
    while (at < chunk.length) {
      const codePoint = chunk.codePointAt(at) ?? 0;
      if (!this.characters.has(codePoint)) this.settle(base + at, window);
      else this.start ??= base + at;
      at += codePoint > 0xffff ? 2 : 1;
    }
    this.cursor = window.end;
  }

  finish(window: TextWindow): void {
    this.settle(window.end, window);
  }

  /** The run under way, if there is one, ends here. */
  private settle(end: number, window: TextWindow): void {
    const start = this.start;
    this.start = undefined;
    if (start === undefined || end - start < this.least) return;
    const base = window.base;
    for (const finding of this.refine(window.text, start - base, end - base)) {
      this.found.push({ ...finding, start: finding.start + base, end: finding.end + base });
    }
  }
}
