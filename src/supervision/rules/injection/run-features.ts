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
const signedSteps = [2, 3, 4, 5, 6] as const;
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
  const signs = 0;
  const concepts = signs + allSigns.length;
  const pairs = concepts + allConcepts.length;
  const groups = pairs + pairMasks.length;
  const manners = groups + signGroups.length;
  const counts = manners + signGroups.length * mannerCount;
  const forms = counts + 4;
  const lengths = forms + allForms.length;
  const together = lengths + lengthSteps.length;
  const order = together + conceptPairCount;
  const crowded = order + orderFeatureCount;
  const signed = crowded + crowdSteps.length;
  const marks = signed + signedSteps.length;
  const bias = marks + markFeatureCount;
  return {
    ...{ signs, concepts, pairs, groups, manners, counts, forms, lengths, together, order, crowded, signed, marks },
    ...{ bias, ngrams: bias + 1 },
  };
})();

/** The features of a run of sentences, but for n-grams: those that are there, each with the value 1. */
export function denseFeatures(sentences: readonly SentenceFeatures[]): number[] {
  const signs = new Set<number>();
  const together = new Set<number>();
  const order = new Set<number>();
  let [concepts, forms, length, most, signed] = [0, 0, 0, 0, 0];
  for (const sentence of sentences) {
    for (const sign of sentence.signs) signs.add(sign);
    for (const pair of sentence.together) together.add(pair);
    for (const place of sentence.order) order.add(place);
    most = Math.max(most, sentence.together.length);
    if (sentence.signs.length > 0) signed += 1;
    concepts |= sentence.concepts;
    forms |= sentence.forms;
    length += sentence.length;
  }
  const features = [featureLayout.bias, ...Array.from(together, (pair) => featureLayout.together + pair)];
  for (const place of order) features.push(featureLayout.order + place);
  // n concepts are n (n - 1) / 2 pairs.
  for (const [index, from] of crowdSteps.entries())
    if (most >= (from * (from - 1)) / 2) features.push(featureLayout.crowded + index);
  for (const [index, from] of signedSteps.entries()) if (signed >= from) features.push(featureLayout.signed + index);
  for (const mark of markFeatures(sentences)) features.push(featureLayout.marks + mark);
  const groups = new Set<number>();
  for (const sign of signs) {
    features.push(featureLayout.signs + sign);
    const group = allSigns[sign]?.group;
    if (group !== undefined) groups.add(signGroups.indexOf(group));
  }
  for (const group of groups) features.push(featureLayout.groups + group);
  for (const manner of mannersOf(sentences)) features.push(featureLayout.manners + manner);
  for (let bit = 0; bit < allConcepts.length; bit++)
    if (concepts & (1 << bit)) features.push(featureLayout.concepts + bit);
  if (concepts !== 0) {
    for (let index = 0; index < pairMasks.length; index++) {
      const mask = pairMasks[index] ?? -1;
      if ((mask & concepts) === mask) features.push(featureLayout.pairs + index);
    }
  }
  for (let count = 2; count <= 5; count++) if (groups.size >= count) features.push(featureLayout.counts + count - 2);
  for (let bit = 0; bit < allForms.length; bit++) if (forms & (1 << bit)) features.push(featureLayout.forms + bit);
  for (const [index, from] of lengthSteps.entries()) if (length >= from) features.push(featureLayout.lengths + index);
  return features;
}

function mannersOf(sentences: readonly SentenceFeatures[]): Set<number> {
  const manners = new Set<number>();
  for (const { signs, forms, concepts, length } of sentences) {
    for (const sign of signs) {
      const group = signGroups.indexOf(allSigns[sign]?.group ?? "set-aside") * mannerCount;
      if (forms & questionBit) manners.add(group);
      if (concepts & requestBit) manners.add(group + 1);
      if (length <= shortLength) manners.add(group + 2);
    }
  }
  return manners;
}
