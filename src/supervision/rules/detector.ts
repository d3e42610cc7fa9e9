/**
 * What a match definition is turned into: a detector, which opens scanners. A scanner reads a text piece by piece and
 * gives the same findings however the text is cut, so a whole text is simply a text that comes in one piece.
 */

/** A place that a scanner found. Offsets are UTF-16 code units of the text the detector reads, `end` exclusive. */
export interface Finding {
  start: number;
  end: number;
  /** What `redact` puts there unless the rule names its own replacement, such as `[email]`. */
  mask?: string;
}

/** Which form of the text a detector reads: as it came, or normalised (see normalise.ts). */
export type Reading = "raw" | "normal";

/** One text in both forms, for the quick checks that spare a scan. */
export interface Subject {
  raw: string;
  normal: string;
  /** The normalised text in lower case. */
  lower: string;
}

export interface Detector {
  readonly reads: Reading;
  /** A quick check that may only err on the side of "yes": false means that a scan would find nothing. */
  mayMatch(subject: Subject): boolean;
  /** @param isWhole the text comes in one piece: the scanner may pass over what no match can have a part in */
  open(isWhole?: boolean): Scanner;
}

export abstract class Scanner {
  /** What was found and nobody has taken yet. */
  protected found: Finding[] = [];
  /** The text makes this detector work out of all proportion; the engine then blocks. */
  overloaded = false;

  /** The earliest offset at which a match may still be under way; everything before it is decided. */
  abstract get hold(): number;

  /** Reads `chunk`, which has just been appended to `window`. */
  abstract feed(chunk: string, window: TextWindow): void;

  /** The text is over: decides what was still open. */
  abstract finish(window: TextWindow): void;

  /** The findings decided since the last call. None that comes later starts before {@link hold}. */
  take(): Finding[] {
    const { found } = this;
    if (found.length > 0) this.found = [];
    return found;
  }
}

/** The last part of a text that grows at its end and is given up at its front. Offsets are absolute, from the text's start. */
export class TextWindow {
  private held = "";
  private start = 0;

  /** Offset of the first character still held. */
  get base(): number {
    return this.start;
  }

  /** Length of the whole text so far. */
  get end(): number {
    return this.start + this.held.length;
  }

  /** What is held: the text from {@link base} to {@link end}. */
  get text(): string {
    return this.held;
  }

  append(chunk: string): void {
    this.held += chunk;
  }

  slice(start: number, end: number): string {
    return this.held.slice(start - this.start, end - this.start);
  }

  /** Gives up what lies before `offset`, but for the context that word boundaries and line starts look back on. */
  trim(offset: number): void {
    const surplus = offset - leftContext - this.start;
    if (surplus < trimAtLeast) return;
    this.held = this.held.slice(surplus);
    this.start += surplus;
  }
}

/**
 * Code units kept to the left of the place still being looked at. What stands before a candidate is read already, so
 * looking back so far costs a stream nothing, and gives the same however the text is cut.
 */
export const leftContext = 64;
/** Trimming copies what is left, so it waits until it is worth it. */
const trimAtLeast = 256;
