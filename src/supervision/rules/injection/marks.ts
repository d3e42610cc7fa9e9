/**
 * How a sentence is set: how often marks of structure stand in it (colons, brackets, quotes, words in capitals …) and whether it
 * repeats itself. A task with foreign text in it, a written dialogue and a forged role show here in any language.
 */

/** A kind of mark: the ASCII characters that are one, and the numbers of it in a run of sentences from which on one more feature is there. */
const markRows = [
  ["colon", ":", [1, 2, 3, 4, 6, 8]],
  ["bracket", "[]{}<>|", [1, 2, 4, 7, 10, 16]],
  ["line", "\n", [1, 2, 3, 4, 6, 8]],
  ["slash", "/\\", [1, 3]],
  /** `'` where a word begins. */
  ["quote", "", [1, 2, 3, 4, 6]],
  ["semicolon", ";", [1, 3]],
  ["parenthesis", "()", [1, 4]],
  ["question", "?", [2, 3, 4, 5, 7]],
  /** Words of three and more capital letters. */
  ["capitals", "", [1, 2, 4, 8]],
  /** One mark several times: ``` === ### ***. */
  ["fence", "", [1]],
] as const;
const placeOf = new Map(markRows.map(([mark], place) => [mark, place]));

/** For each ASCII character which kind it is; -1 if none. */
const kindOfUnit = new Int8Array(128).fill(-1);
for (const [place, [, units]] of markRows.entries()) for (const unit of units) kindOfUnit[unit.charCodeAt(0)] = place;
const [quotePlace, questionPlace] = [placeOf.get("quote") ?? 0, placeOf.get("question") ?? 0];
const [capitalsPlace, fencePlace] = [placeOf.get("capitals") ?? 0, placeOf.get("fence") ?? 0];

const isLetter = (unit: number): boolean => (unit >= 97 && unit <= 122) || (unit >= 65 && unit <= 90);
const isCapital = (unit: number): boolean => unit >= 65 && unit <= 90;
/** Characters that part a text when they stand several times: so often at least. */
const fenceLength = new Map([
  ...Array.from("`\"'#*", (mark) => [mark.charCodeAt(0), 3] as const),
  ...Array.from("-=", (mark) => [mark.charCodeAt(0), 4] as const),
]);

/** How often each kind of mark stands in a sentence, in the order of the features. */
export function countMarks(sentence: string): Uint8Array {
  const counts = new Uint8Array(markRows.length);
  let [same, capitals, before] = [0, 0, 0];
  for (let at = 0; at < sentence.length; at++) {
    const unit = sentence.charCodeAt(at);
    same = unit === before ? same + 1 : 1;
    if (isLetter(unit)) {
      capitals = isCapital(unit) && (capitals > 0 || !isLetter(before)) ? capitals + 1 : 0;
      if (capitals >= 3 && !isLetter(sentence.charCodeAt(at + 1))) add(counts, capitalsPlace);
    } else {
      capitals = 0;
      const kind = unit < 128 ? (kindOfUnit[unit] ?? -1) : unit === 0x61f ? questionPlace : -1;
      if (kind >= 0) add(counts, kind);
      if (unit === 39 && !isLetter(before) && sentence.charCodeAt(at + 1) > 32) add(counts, quotePlace);
      if (same > 2 && same === fenceLength.get(unit)) add(counts, fencePlace);
    }
    before = unit;
  }
  return counts;
}

function add(counts: Uint8Array, place: number): void {
  counts[place] = (counts[place] ?? 0) + 1;
}

/** Shares of different runs of four characters below which a sentence repeats itself, in scripts without spaces too. */
const repeatSteps = [0.65, 0.5, 0.35, 0.2] as const;
/** The least UTF-16 units of a sentence that can. */
const repeatLength = 30;
const slotCount = 4_096;

/** The share of runs of four characters of a folded sentence that are different; 1 of a short one. */
export function shareOfDifferent(text: string): number {
  if (text.length < repeatLength) return 1;
  const seen = new Int32Array(slotCount / 32);
  let [hash, different] = [0, 0];
  for (let at = 0; at < text.length; at++) {
    // A run is the last four characters: what lies before is shifted out.
    hash = (Math.imul(hash, 256) + Math.imul(text.charCodeAt(at), 0x9e5)) | 0;
    if (at < 3) continue;
    const slot = Math.imul(hash, 0x2c1b3c6d) >>> 20;
    const [word, bit] = [slot >>> 5, 1 << (slot & 31)];
    if (((seen[word] ?? 0) & bit) === 0) different += 1;
    seen[word] = (seen[word] ?? 0) | bit;
  }
  return different / (text.length - 3);
}

const steps = markRows.flatMap(([, , froms], place) => froms.map((from) => ({ place, from })));
export const markFeatureCount = steps.length + repeatSteps.length;

/** Which steps the marks of sentences together reach, and how much the one repeats itself that does most. */
export function markFeatures(
  sentences: readonly { readonly marks: Uint8Array; readonly different: number }[],
): number[] {
  const totals: number[] = markRows.map(() => 0);
  let least = 1;
  for (const { marks, different } of sentences) {
    least = Math.min(least, different);
    for (let place = 0; place < totals.length; place++) totals[place] = (totals[place] ?? 0) + (marks[place] ?? 0);
  }
  const features: number[] = [];
  for (let feature = 0; feature < steps.length; feature++) {
    const step = steps[feature];
    if (step !== undefined && (totals[step.place] ?? 0) >= step.from) features.push(feature);
  }
  for (const [index, share] of repeatSteps.entries()) if (least < share) features.push(steps.length + index);
  return features;
}
