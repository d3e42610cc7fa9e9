/** What the injection scorer sees of a run of sentences, but for hashed n-grams, and where each feature stands in the vector. */
import { orderFeatureCount } from "./concept-order.js";
import { conceptPairCount, maskOf, type SentenceFeatures } from "./features.js";
import { allForms } from "./forms.js";
import { markFeatureCount, markFeatures } from "./marks.js";
import { allSigns, signGroups } from "./signs.js";
import { allConcepts } from "./terms.js";

/** Sizes in UTF-16 units from which on a text counts as that long. */
const lengthSteps = [25, 50, 100, 200, 400, 600] as const;
/** So many concepts in one sentence, and so many sentences with a sign. */
const crowdSteps = [2, 3, 4, 5, 6, 7, 8] as const;
const crowdedFrom = crowdSteps.map((from) => (from * (from - 1)) / 2);
const signedSteps = [2, 3, 4, 5, 6] as const;
/** The place of the group of each sign. */
const groupOfSign = allSigns.map(({ group }) => signGroups.indexOf(group));
/** Pairs whose concepts say something in different sentences too: those of signs, and what is one's own. */
const pairMasks: readonly number[] = [
  ...allSigns.flatMap(({ of: [first, second, ...more] }) =>
    first !== undefined && second !== undefined && more.length === 0 ? [maskOf([first, second])] : [],
  ),
  ...(["secret", "share", "personal", "prompt", "request", "reveal", "send", "aside"] as const).map((concept) =>
    maskOf(["mine", concept]),
  ),
];

/** How a sentence is that holds a sign: a question, a request, short. */
const mannerCount = 3;
const shortLength = 90;
const questionBit = 1 << allForms.indexOf("question");
const requestBit = 1 << allConcepts.indexOf("request");

/** Where each kind of feature begins in the vector; `ngrams` is where the hashed ones do. */
export const featureLayout = (() => {
  let end = 0;
  /** Where so many features begin, after those before them. */
  const next = (count: number): number => {
    end += count;
    return end - count;
  };
  return {
    signs: next(allSigns.length),
    concepts: next(allConcepts.length),
    pairs: next(pairMasks.length),
    groups: next(signGroups.length),
    manners: next(signGroups.length * mannerCount),
    counts: next(4),
    forms: next(allForms.length),
    lengths: next(lengthSteps.length),
    together: next(conceptPairCount),
    order: next(orderFeatureCount),
    crowded: next(crowdSteps.length),
    signed: next(signedSteps.length),
    marks: next(markFeatureCount),
    bias: next(1),
    ngrams: next(0),
  };
})();

/** The features of a run of sentences, but for n-grams: those that are there, each once, with the value 1. */
export function denseFeatures(sentences: readonly SentenceFeatures[]): number[] {
  const signs = eachOnce(sentences, (sentence) => sentence.signs);
  let [concepts, forms, length, most, signed] = [0, 0, 0, 0, 0];
  for (const sentence of sentences) {
    most = Math.max(most, sentence.together.length);
    if (sentence.signs.length > 0) signed += 1;
    concepts |= sentence.concepts;
    forms |= sentence.forms;
    length += sentence.length;
  }
  const features: number[] = [featureLayout.bias];
  for (const pair of eachOnce(sentences, (sentence) => sentence.together)) features.push(featureLayout.together + pair);
  for (const place of eachOnce(sentences, (sentence) => sentence.order)) features.push(featureLayout.order + place);
  // n concepts are n (n - 1) / 2 pairs.
  addSteps(features, featureLayout.crowded, crowdedFrom, most);
  addSteps(features, featureLayout.signed, signedSteps, signed);
  for (const mark of markFeatures(sentences)) features.push(featureLayout.marks + mark);
  const groups = new Set<number>();
  for (const sign of signs) {
    features.push(featureLayout.signs + sign);
    const group = groupOfSign[sign];
    if (group !== undefined) groups.add(group);
  }
  for (const group of groups) features.push(featureLayout.groups + group);
  if (signs.length > 0) for (const manner of mannersOf(sentences)) features.push(featureLayout.manners + manner);
  addBits(features, featureLayout.concepts, concepts);
  if (concepts !== 0) {
    for (let index = 0; index < pairMasks.length; index++) {
      const mask = pairMasks[index] ?? -1;
      if ((mask & concepts) === mask) features.push(featureLayout.pairs + index);
    }
  }
  for (let count = 2; count <= 5; count++) if (groups.size >= count) features.push(featureLayout.counts + count - 2);
  addBits(features, featureLayout.forms, forms);
  addSteps(features, featureLayout.lengths, lengthSteps, length);
  return features;
}

/** Numbers of all sentences, each once, in the order in which they come. Most runs have them in one sentence at most. */
function eachOnce(
  sentences: readonly SentenceFeatures[],
  of: (sentence: SentenceFeatures) => readonly number[],
): readonly number[] {
  let first: readonly number[] = [];
  let all: Set<number> | undefined;
  for (const sentence of sentences) {
    const numbers = of(sentence);
    if (numbers.length === 0 || numbers === first) continue;
    if (first.length === 0) first = numbers;
    else {
      all ??= new Set(first);
      for (const number of numbers) all.add(number);
    }
  }
  return all === undefined ? first : [...all];
}

/** The features of the steps that a number reaches; steps go up. */
function addSteps(features: number[], first: number, steps: readonly number[], reached: number): void {
  for (let index = 0; index < steps.length && reached >= (steps[index] ?? 0); index++) features.push(first + index);
}

/** The features of the bits that are set, the lowest first. */
function addBits(features: number[], first: number, bits: number): void {
  for (let rest = bits; rest !== 0; rest &= rest - 1) features.push(first + 31 - Math.clz32(rest & -rest));
}

function mannersOf(sentences: readonly SentenceFeatures[]): Set<number> {
  const manners = new Set<number>();
  for (const { signs, forms, concepts, length } of sentences) {
    for (const sign of signs) {
      const group = (groupOfSign[sign] ?? 0) * mannerCount;
      if (forms & questionBit) manners.add(group);
      if (concepts & requestBit) manners.add(group + 1);
      if (length <= shortLength) manners.add(group + 2);
    }
  }
  return manners;
}
