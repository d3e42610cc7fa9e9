/** The hashed n-grams that the injection scorer counts: words, pairs of words, runs of characters. */
import type { FoldedText } from "./fold.js";

export const bucketCount = 32_768;

/** Calls `visit` with the bucket of each word, each pair of words, and each run of 3 to 5 characters of a word. */
export function eachNgram({ text }: FoldedText, visit: (bucket: number) => void): void {
  let previous = 0;
  for (let at = 0; at < text.length; ) {
    if (!isWordUnit(text.charCodeAt(at))) {
      at += 1;
      continue;
    }
    let end = at + 1;
    while (end < text.length && isWordUnit(text.charCodeAt(end))) end += 1;
    const word = hashOf(text, at, end, wordSeed);
    visit(bucketOf(word));
    if (previous !== 0) visit(bucketOf(Math.imul(previous, 31) ^ word));
    previous = word;
    eachRun(text, at, end, visit);
    at = end;
  }
}

function eachRun(text: string, from: number, to: number, visit: (bucket: number) => void): void {
  const isDense = text.charCodeAt(from) >= 0x2e80 || (text.charCodeAt(from) >= 0xe00 && text.charCodeAt(from) < 0xe80);
  for (let start = from; start < to; start++) {
    let hash = start === from ? runSeed ^ edgeSeed : runSeed;
    const last = Math.min(to, start + 5);
    for (let at = start; at < last; at++) {
      hash = Math.imul(hash ^ text.charCodeAt(at), hashPrime);
      const length = at - start + 1;
      if (length >= 3 || (isDense && length === 2)) visit(bucketOf(at + 1 === to ? hash ^ edgeSeed : hash));
    }
  }
}

const wordSeed = 0x811c9dc5;
const runSeed = 0x2f0b4a27;
const edgeSeed = 0x5bd1e995;
const hashPrime = 0x01000193;

function hashOf(text: string, from: number, to: number, seed: number): number {
  let hash = seed;
  for (let at = from; at < to; at++) hash = Math.imul(hash ^ text.charCodeAt(at), hashPrime);
  return hash;
}

function bucketOf(hash: number): number {
  let mixed = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  mixed ^= mixed >>> 13;
  return mixed & (bucketCount - 1);
}

/** Letters, digits and marks of any script; what is left of ASCII and general punctuation parts words. */
function isWordUnit(unit: number): boolean {
  if (unit < 128) return (unit >= 97 && unit <= 122) || (unit >= 48 && unit <= 57);
  return !((unit >= 0x2000 && unit < 0x2e80) || (unit >= 0x3000 && unit < 0x3005) || unit === 0x964 || unit < 0xc0);
}
