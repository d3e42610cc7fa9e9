/**
 * Techniques that show in how a text is made rather than in its words: forged dialogues, orders that are put together from pieces,
 * repetition, secrets that are hinted at. Each is a few coarse features, alone and beside the concepts that it is used with.
 */
import type { FoldedText } from "./fold.js";
import { foldText } from "./fold.js";
import { piecesOf } from "./joined-pieces.js";
import { longestGroupRun, longestWordRun } from "./repetition.js";
import { type Lexicon, maskOf } from "./terms.js";
import { endsInLabel, labelsOf, turnsOf } from "./written-turns.js";

/** What of one sentence says something of these techniques. */
export interface TechniqueMarks {
  readonly labels: readonly number[];
  readonly endsOpen: boolean;
  /** Quoted pieces, those that a name is given, and pluses between pieces. */
  readonly quoted: number;
  readonly assigned: number;
  readonly added: number;
  /** A bit for each concept that is there only once pieces are joined or the sentence is turned round. */
  readonly hidden: number;
  /** The longest run of one word, and of one group of characters. */
  readonly wordRun: number;
  readonly groupRun: number;
}

/** What is kept, and what orders are about. */
const guardedBits = maskOf(["secret", "share", "personal", "prompt", "orders", "aside", "reveal"]);
const puzzleBits = maskOf(["disguise", "parts"]);
const turnedBit = maskOf(["disguise"]);
const partsBit = maskOf(["parts"]);
const hintBits = maskOf(["allusion", "guess"]);
/** A word that is found in a text turned round has so many characters at least. */
const shortestTurned = 5;
/** Only where fewer runs of four characters are different is repetition looked for; of a shorter sentence that says nothing. */
const mayRepeat = { different: 0.85, length: 30 } as const;

/** @param concepts those of the sentence as it stands @param different the share of its runs of characters that are different */
export function techniqueMarks(
  sentence: string,
  folded: FoldedText,
  concepts: number,
  different: number,
  lexicon: Lexicon,
): TechniqueMarks {
  const { quoted, assigned, added, joined } = piecesOf(sentence, (concepts & puzzleBits) !== 0);
  let hidden = 0;
  if (joined !== undefined) for (const { concept } of lexicon.find(foldText(joined))) hidden |= 1 << concept;
  if ((concepts & turnedBit) !== 0) {
    const turned = { ...folded, text: Array.from(folded.text).reverse().join("") };
    for (const { concept, start, end } of lexicon.find(turned))
      if (end - start >= shortestTurned) hidden |= 1 << concept;
  }
  const repeats = different < mayRepeat.different || folded.text.length < mayRepeat.length;
  const labels = labelsOf(sentence);
  return {
    ...{ quoted, assigned, added, labels },
    endsOpen: labels.length > 0 && endsInLabel(sentence),
    hidden: hidden & ~concepts & guardedBits,
    wordRun: repeats ? longestWordRun(folded.text) : 1,
    groupRun: repeats ? longestGroupRun(folded.text) : 1,
  };
}

/** What is counted in a run of sentences, with the counts from which on one more feature is there. */
const techniqueSteps = {
  again: [1, 2, 3, 5, 8],
  alternating: [1, 2, 4, 6],
  quoted: [2, 3, 4, 6],
  assigned: [1, 2, 3],
  added: [1, 2],
  wordRun: [3, 4, 6, 10, 20],
  groupRun: [4, 6, 10, 20],
  sameSentence: [1, 2, 4],
  endsOpen: [1],
  askedLast: [1],
  hidden: [1],
} as const;
const allCounts = [
  ...(["again", "alternating", "quoted", "assigned", "added", "wordRun", "groupRun", "sameSentence"] as const),
  ...(["endsOpen", "askedLast", "hidden"] as const),
] satisfies readonly (keyof typeof techniqueSteps)[];
const steps = allCounts.flatMap((count, place) => techniqueSteps[count].map((from) => ({ place, from })));

/** What a technique is used with: one more feature where one of these concepts is there. */
const contexts: readonly number[] = (
  [
    ["secret", "share"],
    ["personal"],
    ["prompt", "orders", "prior"],
    ["reveal", "request"],
    ["aside", "noLimits", "harm", "obey"],
    ["disguise", "parts"],
    ["mine"],
    ["machine", "noRefusal"],
  ] as const
).map(maskOf);
const techniqueCount = 5;

export const techniqueFeatureCount = steps.length + techniqueCount * (contexts.length + 1);

interface Seen {
  readonly technique: TechniqueMarks;
  readonly concepts: number;
  readonly forms: number;
  readonly folded: FoldedText;
}

/** The features of a run of sentences. @param questionBit of a sentence's forms */
export function techniqueFeatures(sentences: readonly Seen[], questionBit: number): number[] {
  const labels: number[] = [];
  const texts = new Set<string>();
  let [quoted, assigned, added, wordRun, groupRun, hidden, concepts] = [0, 0, 0, 1, 1, 0, 0];
  for (const { technique, concepts: own, folded } of sentences) {
    for (const label of technique.labels) labels.push(label);
    quoted += technique.quoted;
    assigned += technique.assigned;
    added += technique.added;
    wordRun = Math.max(wordRun, technique.wordRun);
    groupRun = Math.max(groupRun, technique.groupRun);
    hidden |= technique.hidden;
    concepts |= own;
    texts.add(folded.text);
  }
  const { again, alternating } = turnsOf(labels);
  const sameSentence = sentences.length - texts.size;
  const last = sentences.at(-1);
  const isDialogue = alternating >= 1 || again >= 2;
  const endsOpen = again > 0 && last?.technique.endsOpen === true ? 1 : 0;
  const askedLast = isDialogue && last !== undefined && (last.forms & questionBit) !== 0 ? 1 : 0;
  const counts = [
    ...[again, alternating, quoted, assigned, added, wordRun, groupRun, sameSentence],
    ...[endsOpen, askedLast, hidden === 0 ? 0 : 1],
  ];
  const features: number[] = [];
  for (let index = 0; index < steps.length; index++) {
    const step = steps[index];
    if (step !== undefined && (counts[step.place] ?? 0) >= step.from) features.push(index);
  }
  const used = [
    isDialogue,
    (quoted >= 2 && assigned + added > 0) || (concepts & partsBit) !== 0,
    wordRun >= 4 || groupRun >= 6 || sameSentence >= 2,
    (concepts & hintBits) !== 0,
    hidden !== 0,
  ];
  for (let technique = 0; technique < used.length; technique++) {
    if (used[technique] !== true) continue;
    const start = steps.length + technique * (contexts.length + 1);
    features.push(start);
    for (let index = 0; index < contexts.length; index++)
      if ((concepts & (contexts[index] ?? 0)) !== 0) features.push(start + 1 + index);
  }
  return features;
}
