/** Trains the injection scorer on labelled texts; used by `train:injection` and by `eval:rules --leave-out`. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { analyseSentence, type SentenceFeatures } from "../../src/supervision/rules/injection/features.js";
import { allForms } from "../../src/supervision/rules/injection/forms.js";
import { explainInjection, runLimits, scoredSentences } from "../../src/supervision/rules/injection/guard.js";
import { bucketCount, eachNgram } from "../../src/supervision/rules/injection/ngrams.js";
import { denseFeatures, featureLayout } from "../../src/supervision/rules/injection/run-features.js";
import { InjectionScorer, type PackedWeights, packing } from "../../src/supervision/rules/injection/scorer.js";
import { sentenceEnd } from "../../src/supervision/rules/injection/sentences.js";
import { allSigns } from "../../src/supervision/rules/injection/signs.js";
import { Lexicon } from "../../src/supervision/rules/injection/terms.js";
import { type Sensitivity, sensitivities } from "../../src/supervision/rules/injection.js";
import { normalise } from "../../src/supervision/rules/normalise.js";
import { readJsonLines } from "../evaluation/json-lines.js";
import { readLabelledRows } from "../evaluation/labelled-rows.js";
import { type LabelledText, labelledTextSchema } from "../evaluation/rule-labels.js";
import { type Instance, train } from "./linear.js";
import { ownTexts } from "./own-texts.js";
import { firstNames, wrappedTexts } from "./wrapped-texts.js";

/** What each sensitivity may stop of harmless texts of sources that were not trained on. */
const falseAlarmShares = { low: 0.001, medium: 0.008, high: 0.04 } as const;

/** `cost`: of all mistakes in attacks; `harmless`: so much more those in harmless texts cost; the others scale the kinds of features. */
const trainingSettings = {
  cost: 60,
  harmless: 16,
  ngrams: 2.3,
  dense: 0.3,
  concepts: 0.15,
  marks: 1.2,
  prior: 1,
  epochs: 8,
  /** What one of our own texts counts, next to one of a source, which counts 1 / √(texts of the source × texts of its family). */
  ownWeight: 11,
  partsWeight: 0.7,
  variedWeight: 0.17,
  documentWeight: 2.5,
  eastWeight: 0.03,
  messageWeight: 0.33,
  /** What a wrapped text counts, next to one of our own. */
  wrappedWeight: 0.01,
  wrappedMessageWeight: 0.03,
} as const;
/** What forms are thought to say before training corrects it. */
const formPrior: Readonly<Partial<Record<(typeof allForms)[number], number>>> = {
  repeated: 1.5,
  spaced: 1.5,
  mixed: 1,
  binary: 1,
  leet: 0.5,
  encoded: 0.2,
  active: 1.2,
  turn: 0.4,
  hidden: 1.5,
};

/** The committed texts: those with sources, our own examples, and short ones as people and programs wrap them. */
export function readTexts(): LabelledText[] {
  const texts = readWritten().map(withNames);
  return [...texts, ...wrappedTexts(texts)];
}

/** Names of people are drawn at random, so that nobody's name is a sign. */
function withNames(text: LabelledText, at: number): LabelledText {
  if (!text.text.includes("{name}")) return text;
  let next = at * 7;
  return { ...text, text: text.text.replaceAll("{name}", () => firstNames[next++ % firstNames.length] ?? "") };
}

function readWritten(): LabelledText[] {
  const lines = readJsonLines(join(import.meta.dirname, "data/injection-train.jsonl.gz"));
  const parts = readFileSync(join(import.meta.dirname, "data/own-parts.txt"), "utf8");
  return [
    ...ownTexts(parts).map((own): LabelledText => ({ ...own, source: "parts", family: "own", split: "own" })),
    ...lines.map((line) => labelledTextSchema.parse(line)),
    ...readOwn("own"),
    ...readOwn("varied"),
    ...readOwn("document"),
    ...readOwn("east"),
    ...readOwn("message"),
  ];
}

const readOwn = (source: string): LabelledText[] =>
  readLabelledRows(join(import.meta.dirname, `data/${source}-examples.tsv`), source);

const lexicon = new Lexicon();

/** The scores of a text under weights, as the guard takes them: of any of its runs of sentences, and of those with a sign. */
function scoresOf({ text }: LabelledText, scorer: InjectionScorer): TextScores {
  const { score, signed } = explainInjection(normalise(text), { sentences: scoredSentences(lexicon, scorer), scorer });
  return { any: score, signed };
}

interface TextScores {
  readonly any: number;
  readonly signed: number;
}

/** The score that a sensitivity goes by: from that of `high` on a text is in doubt, whether or not a sign stands in it. */
export const scoreAt = (sensitivity: Sensitivity, { any, signed }: TextScores): number =>
  sensitivity === "high" ? any : signed;

/** The least threshold above which at most a share of the scores lies. */
function thresholdFor(scores: readonly number[], share: number): number {
  const sorted = scores.toSorted((a, b) => b - a);
  return Math.ceil((sorted[Math.floor(scores.length * share)] ?? 0) * 1_000) / 1_000;
}

/** Trains weights for all features, n-grams last. */
export function trainScorer(texts: readonly LabelledText[]): Float64Array {
  const bySource = Map.groupBy(texts, ({ source }) => source);
  const ownWeights = new Map<string, number>([
    ["own", trainingSettings.ownWeight],
    ["parts", trainingSettings.partsWeight],
    ["varied", trainingSettings.variedWeight],
    ["document", trainingSettings.documentWeight],
    ["east", trainingSettings.eastWeight],
    ["message", trainingSettings.messageWeight],
  ]);
  const byFamily = Map.groupBy(texts, familyOf);
  const weightOf = (text: LabelledText) =>
    (isWrapped(text) ? wrappedWeightOf(text) : undefined) ??
    ownWeights.get(text.source) ??
    1 / Math.sqrt((bySource.get(text.source)?.length ?? 1) * (byFamily.get(familyOf(text))?.length ?? 1));
  const totals = [0, 0];
  for (const text of texts) if (!isWrapped(text)) totals[text.label] = (totals[text.label] ?? 0) + weightOf(text);
  const instances = texts.flatMap((text): Instance[] => {
    const runs = trainingRuns(text);
    const ofLabel = trainingSettings.cost * (text.label === 0 ? trainingSettings.harmless : 1);
    const cost = (ofLabel * weightOf(text)) / (totals[text.label] ?? 1) / runs.length;
    return runs.map((run) => ({ ...run, label: text.label === 1 ? 1 : -1, cost }));
  });
  const weights = train(instances, priorWeights(), trainingSettings.epochs);
  return weights.map((weight, place) => weight * scaleOf(place));
}

/** Wrapped texts come on top of what the others weigh. */
const wrappedWeightOf = ({ source }: LabelledText): number =>
  source === "message/wrapped" ? trainingSettings.wrappedMessageWeight : trainingSettings.wrappedWeight;
const isWrapped = ({ source }: LabelledText): boolean => source.endsWith("/wrapped");

/** What the features of a kind count in training. */
function scaleOf(place: number): number {
  if (place >= featureLayout.ngrams) return trainingSettings.ngrams;
  if (place === featureLayout.bias) return 1;
  if (place >= featureLayout.marks) return trainingSettings.marks;
  // One word of the lexicon says less than words that stand together.
  const isConcept = place >= featureLayout.concepts && place < featureLayout.pairs;
  return isConcept ? trainingSettings.concepts : trainingSettings.dense;
}

/** Texts of one template, in any language. */
const familyOf = ({ source, family }: LabelledText): string => `${source} ${family}`;

/** `cyberseceval` and `cyberseceval/indirect` are one source. */
export function rootOf({ source }: LabelledText): string {
  return source.split("/")[0] ?? source;
}

/** A text with its scores. */
export interface ScoredText extends TextScores {
  readonly text: LabelledText;
}

/** Scores each text with a scorer that was trained on the part `train` of all other sources. */
export function scoresOfUnseenSources(texts: readonly LabelledText[]): ScoredText[] {
  const training = readTexts().filter(({ split }) => split !== "dev");
  return [...Map.groupBy(texts, rootOf)].flatMap(([root, ofSource]) => {
    const scorer = new InjectionScorer(pack(trainScorer(training.filter((text) => rootOf(text) !== root))));
    return ofSource.map((text) => ({ text, ...scoresOf(text, scorer) }));
  });
}

/** The threshold of each sensitivity: harmless texts of sources that the scorer had not seen say where it lies. */
export function thresholdsFrom(scored: readonly ScoredText[]): Map<Sensitivity, number> {
  const harmless = scored.filter(({ text }) => text.label === 0);
  return new Map(
    sensitivities.map((name) => {
      const scores = harmless.map((text) => scoreAt(name, text));
      return [name, thresholdFor(scores, falseAlarmShares[name])];
    }),
  );
}

function priorWeights(): Float64Array {
  const prior = new Float64Array(featureLayout.ngrams + bucketCount);
  for (const [index, { weight }] of allSigns.entries())
    prior[featureLayout.signs + index] = weight * trainingSettings.prior;
  for (const [index, form] of allForms.entries())
    prior[featureLayout.forms + index] = (formPrior[form] ?? 0) * trainingSettings.prior;
  prior[featureLayout.bias] = -1;
  return prior;
}

type Run = Pick<Instance, "indices" | "values">;
const runsOfTexts = new WeakMap<LabelledText, Run[]>();

/** What is learnt from a text: all of it if it is short, else runs of sentences that half overlap. */
function trainingRuns(labelled: LabelledText): Run[] {
  const known = runsOfTexts.get(labelled);
  if (known !== undefined) return known;
  const text = normalise(labelled.text);
  const runs: Run[] = [];
  const run: SentenceFeatures[] = [];
  let [length, since] = [0, 0];
  for (let start = 0; start < text.length; ) {
    const end = sentenceEnd(text, start) ?? text.length;
    run.push(analyseSentence(text.slice(start, end), lexicon));
    length += end - start;
    since += end - start;
    while ((length > runLimits.units || run.length > runLimits.sentences) && run.length > 1)
      length -= run.shift()?.length ?? 0;
    if (end === text.length || (text.length > runLimits.units && since >= runLimits.units / 2)) {
      runs.push(vectorOf(run));
      since = 0;
    }
    start = end;
  }
  runsOfTexts.set(labelled, runs);
  return runs;
}

function vectorOf(run: readonly SentenceFeatures[]): Run {
  const dense = denseFeatures(run);
  const counts = new Map<number, number>();
  let total = 0;
  for (const { folded } of run) {
    eachNgram(folded, (bucket) => {
      counts.set(bucket, (counts.get(bucket) ?? 0) + 1);
      total += 1;
    });
  }
  const scale = trainingSettings.ngrams / Math.sqrt(Math.max(1, total));
  return {
    indices: Int32Array.from([...dense, ...Array.from(counts.keys(), (bucket) => bucket + featureLayout.ngrams)]),
    values: Float64Array.from([
      ...dense.map(scaleOf),
      ...Array.from(counts.values(), (count) => Math.sqrt(count) * scale),
    ]),
  };
}

/** Rounds weights to what is shipped: three digits for the dense ones, 57 steps for n-grams. */
export function pack(weights: Float64Array): PackedWeights {
  const dense = Array.from(weights.subarray(0, featureLayout.ngrams), (weight) => Math.round(weight * 1_000) / 1_000);
  const ngrams = weights.subarray(featureLayout.ngrams);
  // Clipping the few largest leaves finer steps for the rest.
  const largest = Array.from(ngrams, Math.abs).sort((a, b) => b - a)[Math.floor(bucketCount / 1_000)] ?? 1;
  const scale = Math.round((largest / packing.most) * 1e6) / 1e6;
  let text = "";
  for (const weight of ngrams) {
    const step = Math.max(-packing.most, Math.min(packing.most, Math.round(weight / scale)));
    text += String.fromCharCode(packing.zero + step);
  }
  return { dense, ngrams: text, scale };
}
