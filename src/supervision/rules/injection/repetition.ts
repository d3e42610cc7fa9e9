/** The same word, sign or group of signs again and again: how long the longest such run in a sentence is. */

/** The longest group of characters that counts as one sign, in scripts without spaces and in `hahaha`. */
const longestGroup = 6;
const spaceUnit = 32;

/** The longest run of one word in a folded sentence, in words; 1 if none comes twice in a row. */
export function longestWordRun(text: string): number {
  let [longest, run, before, hash, length] = [1, 1, 0, 0, 0];
  for (let at = 0; at <= text.length; at++) {
    const unit = at === text.length ? spaceUnit : text.charCodeAt(at);
    if (unit !== spaceUnit) {
      // Commas and stops between the same words make no difference.
      if (unit > 0x2f && unit !== 0x3f && unit !== 0x3001) {
        hash = Math.imul(hash ^ unit, 0x01000193);
        length += 1;
      }
      continue;
    }
    if (length === 0) continue;
    run = hash === before ? run + 1 : 1;
    longest = Math.max(longest, run);
    [before, hash, length] = [hash, 0, 0];
  }
  return longest;
}

/** How often a group of up to six characters stands in a row at most: 4 of `hahahaha`. */
export function longestGroupRun(text: string): number {
  let longest = 1;
  for (let group = 1; group <= longestGroup; group++) {
    let same = 0;
    for (let at = group; at < text.length; at++) {
      same = text.charCodeAt(at) === text.charCodeAt(at - group) && text.charCodeAt(at) !== spaceUnit ? same + 1 : 0;
      longest = Math.max(longest, 1 + same / group);
    }
  }
  return Math.floor(longest);
}
