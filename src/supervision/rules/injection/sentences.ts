/**
 * Cuts a text that comes in pieces into sentences of bounded length. Where a sentence ends depends on the text alone and on one
 * character after it, so it is the same however the text was cut.
 */

/** UTF-16 units from which a sentence ends at the next white space, and at which it ends in any case. */
const sentenceLimits = { soft: 200, hard: 240 } as const;

/** The end of the sentence that starts at `start`, exclusive; undefined while the text may still go on in it. */
export function sentenceEnd(text: string, start: number): number | undefined {
  for (let at = start; at < text.length; at++) {
    const length = at - start + 1;
    const unit = text.charCodeAt(at);
    if (length >= sentenceLimits.hard) return isHighHalf(unit) ? at : at + 1;
    if (unit >= firstFullStop && fullStops.has(unit)) return at + 1;
    if (at + 1 >= text.length) return undefined;
    const next = text.charCodeAt(at + 1);
    if (
      isWhite(next) &&
      (stops.has(unit) ||
        length >= sentenceLimits.soft ||
        (unit === lineUnit && next === lineUnit && length >= paragraphLength))
    )
      return at + 2;
    if ((unit === 33 || unit === 63) && next > 0x2e80) return at + 1;
  }
  return undefined;
}

const lineUnit = 10;
/** The least length that an empty line ends: a shorter one may hide in the middle of an order. */
const paragraphLength = 20;
/** `.`, `!`, `?`, the Arabic question mark: an end before white space. */
const stops = new Set([46, 33, 63, 0x61f]);
/** Full stops of scripts that put no space after them, and the danda. */
const fullStops = new Set([0x3002, 0xff61, 0x964]);
const firstFullStop = Math.min(...fullStops);
const isWhite = (unit: number): boolean => unit === 32 || (unit >= 9 && unit <= 13);
const isHighHalf = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;
