/** Numbers that look random and are the same for the same seed: what was drawn once is drawn again. */

/**
 * A digest of 32 bits (FNV-1a), stirred once more so that texts that differ in their last letter lie apart.
 * @example hash32("exp_1 ana") % 10_000 // the subject's bucket, the same for ever
 */
export function hash32(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** A source of numbers in [0, 1): mulberry32. */
export function seededRandom(seed: string): () => number {
  let state = hash32(seed);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** So many of the list, each at most once, in the list's order; all of a list that is no longer. */
export function sampleOf<T>(items: readonly T[], size: number, random: () => number): T[] {
  let wanted = Math.min(size, items.length);
  return items.filter((_item, at) => {
    const isTaken = random() * (items.length - at) < wanted;
    if (isTaken) wanted--;
    return isTaken;
  });
}
