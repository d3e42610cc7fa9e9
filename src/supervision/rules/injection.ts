/** The match `injection`: signs and a small linear scorer add up to one score; `sensitivity` says from which score on it counts. */
import { lazily } from "../../text/lazily.js";
import type { Detector } from "./detector.js";
import { DataOrdersScanner, dataConcepts, dataThreshold, lookForOrders } from "./injection/data-orders.js";
import { lookedUpConcepts, termsOfData } from "./injection/data-signs.js";
import { explainInjection, type GuardParts, InjectionScanner, scoredSentences } from "./injection/guard.js";
import { InjectionScorer } from "./injection/scorer.js";
import type { SignGroup } from "./injection/signs.js";
import { hidesTags } from "./injection/tags.js";
import { Lexicon } from "./injection/terms.js";
import { scoreThresholds, trainedWeights } from "./injection/weights.js";
import { normalise } from "./normalise.js";

/** Of a thousand harmless messages, `low` stops about 0.5, `medium` about 7, `high` about 28: measured in docs/supervision.md. */
export const sensitivities = ["low", "medium", "high"] as const;
export type Sensitivity = (typeof sensitivities)[number];

/** Made when a rule first needs them: about a tenth of a second and some 8 MB, once for each instance. */
const partsOf = lazily((): Omit<GuardParts, "threshold" | "needsSign"> => {
  const [lexicon, scorer] = [new Lexicon(), new InjectionScorer(trainedWeights)];
  return { lexicon, scorer, sentences: scoredSentences(lexicon, scorer) };
});

/** The detector for prompt injections: a score from the threshold on, where a sign stands. Wording alone is never enough. */
export function injectionDetector(sensitivity: Sensitivity): Detector {
  return scoring(scoreThresholds[sensitivity], true);
}

/** Finds what may be an injection: a score from the threshold of `high` on, with or without a sign. */
export function doubtDetector(): Detector {
  return scoring(scoreThresholds.high, false);
}

function scoring(threshold: number, needsSign: boolean): Detector {
  return {
    reads: "normal",
    mayMatch: () => true,
    open: (isWhole) => new InjectionScanner({ ...partsOf(), threshold, needsSign }, isWhole),
  };
}

/** What a text scores, and what counts: for operators. It quotes nothing of the text. */
export interface ExplainedScore {
  /** The highest score of sentences in a row. */
  readonly score: number;
  /** The highest of those with a sign, which is found above `threshold`. */
  readonly signed: number;
  readonly threshold: number;
  /** From here on a text that isn't found is in doubt. */
  readonly doubtFrom: number;
  /** The groups of signs that weigh most. */
  readonly groups: SignGroup[];
}

export function explainedScore(text: string, sensitivity: Sensitivity = "medium"): ExplainedScore {
  const thresholds = { threshold: scoreThresholds[sensitivity], doubtFrom: scoreThresholds.high };
  return { ...explainInjection(normalise(text), partsOf()), ...thresholds };
}

const conceptsInData = lazily(() => dataConcepts(new Lexicon(termsOfData(), lookedUpConcepts)));

/** The detector for orders in a text that should only inform. Their signs are precise, so there is no sensitivity to set. */
export const ordersInDataDetector: Detector = {
  reads: "normal",
  mayMatch: () => true,
  open: () => new DataOrdersScanner(conceptsInData()),
};

/** The reason where text is written in characters that nobody sees. */
export const inTags = "text in tag characters, which don't show";

/** What the signs of a text that should only inform add up to, from where on that counts, and which they are. It quotes nothing of the text. */
export function explainedOrders(text: string): { score: number; threshold: number; signs: string[] } {
  if (hidesTags(text)) return { score: dataThreshold, threshold: dataThreshold, signs: [inTags] };
  const { score, signs } = lookForOrders(normalise(text), conceptsInData());
  return { score, threshold: dataThreshold, signs: signs.map(({ of }) => of.join(" + ")) };
}
