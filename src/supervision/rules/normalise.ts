/**
 * Normalisation before matching, so that a word cannot be hidden by how it is written: full-width letters, ligatures,
 * invisible characters inside it, strokes and frames over its letters, digits of other scripts, odd spaces, dashes and quotes. It works code point by code point, so that it does not
 * depend on how a stream is cut, and keeps a map back to the original offsets.
 */

import { remembering } from "../../text/lazily.js";

/** Text that normalisation leaves as it is: printable ASCII with ordinary white space. */
const plain = /^[\t\n\r\x20-\x7e]*$/;
/** Characters that do not show: format characters (zero-width, soft hyphen, bidi, tags), fillers, selectors, controls. */
const invisible = /[\p{Cf}\p{Default_Ignorable_Code_Point}]|(?![\t\n\v\f\r\u0085])\p{Cc}/gu;
/** Marks that cross or frame what they stand over, and say nothing: strokes, keycaps, circles. */
const overlay = /[\u0334-\u0338\u20d2\u20d3\u20d8-\u20da\u20dd-\u20e0\u20e2-\u20e8\u20ea\u20eb]/g;
const digitPattern = /^\p{Nd}$/u;
const lineBreak = /[\u0085\u2028\u2029]/g;
const space = /[\v\f\u1680\u2800\p{Zs}]/gu;
const dash = /[\p{Pd}\u2212]/gu;
const singleQuote = /[\u2018-\u201b\u2032]/g;
const doubleQuote = /[\u201c-\u201f\u2033]/g;

function normaliseCodePoint(character: string): string {
  return character
    .normalize("NFKC")
    .replace(invisible, "")
    .replace(overlay, "")
    .replace(/[^\P{Nd}0-9]/gu, asciiDigit)
    .replace(lineBreak, "\n")
    .replace(space, " ")
    .replace(dash, "-")
    .replace(singleQuote, "'")
    .replace(doubleQuote, '"');
}

/** Digits of a script stand in a row from 0 to 9: how far it is to its 0 is what a digit is worth. */
function asciiDigit(digit: string): string {
  const code = digit.codePointAt(0) ?? 0;
  let worth = 0;
  while (worth < 9 && digitPattern.test(String.fromCodePoint(code - worth - 1))) worth++;
  return String(worth);
}

/** A segment of the text: either unchanged, unit for unit, or one original code point and what became of it. */
interface Segment {
  normalStart: number;
  normalLength: number;
  originalStart: number;
  originalLength: number;
  unchanged: boolean;
}

/** Normalises a text that comes in pieces. A piece never ends in half a surrogate pair. */
export class Normaliser {
  private segments: Segment[] = [];
  /** Normal forms of the code points met, since a text uses few different ones. */
  private readonly normalForm = remembering(normaliseCodePoint);
  private normalLength = 0;
  private originalLength = 0;

  /** Takes the next piece of the original text and returns the next piece of the normalised text. */
  push(piece: string): string {
    if (plain.test(piece)) {
      this.add(piece.length, piece.length, true);
      return piece;
    }
    let out = "";
    for (const character of piece) {
      const normal = this.normalForm(character);
      this.add(normal.length, character.length, normal === character);
      out += normal;
    }
    return out;
  }

  private add(normalLength: number, originalLength: number, unchanged: boolean): void {
    const last = this.segments.at(-1);
    const isAdjacent = last !== undefined && last.originalStart + last.originalLength === this.originalLength;
    if (normalLength === 0) {
      // A dropped character holds no offset of the normalised text. Keeping it would make long runs of them costly.
      this.originalLength += originalLength;
      return;
    }
    if (unchanged && last?.unchanged && isAdjacent) {
      last.normalLength += normalLength;
      last.originalLength += originalLength;
    } else {
      const [normalStart, originalStart] = [this.normalLength, this.originalLength];
      this.segments.push({ normalStart, normalLength, originalStart, originalLength, unchanged });
    }
    this.normalLength += normalLength;
    this.originalLength += originalLength;
  }

  /** The original offset at which the normalised character at `offset` starts; at the end, the original's length. */
  originalStart(offset: number): number {
    const segment = offset >= this.normalLength ? undefined : this.segmentOf(offset);
    if (segment === undefined) return this.originalLength;
    return segment.originalStart + (segment.unchanged ? offset - segment.normalStart : 0);
  }

  /** The original offset at which the normalised character before `offset` ends; `offset` is an exclusive end. */
  originalEnd(offset: number): number {
    const segment = this.segmentOf(offset - 1);
    if (segment === undefined) return 0;
    return segment.originalStart + (segment.unchanged ? offset - segment.normalStart : segment.originalLength);
  }

  /** The segment that holds a normalised offset. */
  private segmentOf(offset: number): Segment | undefined {
    let low = 0;
    let high = this.segments.length - 1;
    while (low <= high) {
      const middle = (low + high) >> 1;
      const segment = this.segments[middle];
      if (segment === undefined) return undefined;
      if (offset < segment.normalStart) high = middle - 1;
      else if (offset >= segment.normalStart + segment.normalLength) low = middle + 1;
      else return segment;
    }
    return undefined;
  }

  /** Forgets the map before a normalised offset that will not be asked for again. */
  trim(offset: number): void {
    const last = this.segments.length - 1;
    const middle = this.segments[last >> 1];
    // Only when half of it can go, so that trimming takes linear time in all.
    if (last < trimAtLeast || middle === undefined || middle.normalStart + middle.normalLength >= offset) return;
    this.segments = this.segments.filter((segment) => segment.normalStart + segment.normalLength >= offset);
  }
}

const trimAtLeast = 64;

/** The normalised form of a whole text. */
export function normalise(text: string): string {
  return plain.test(text) ? text : new Normaliser().push(text);
}
