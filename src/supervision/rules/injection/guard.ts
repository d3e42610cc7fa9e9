/**
 * The injection guard as a scanner: it reads a text sentence by sentence, scores the last few together, and holds back a stream
 * from the first word of a sign until what follows has shown that it is harmless.
 */
import { Scanner, type TextWindow } from "../detector.js";
import { analyseSentence, firstCue, hasCueForm } from "./features.js";
import { KnownSentences } from "./known-sentences.js";
import type { InjectionScorer, ScoredSentence } from "./scorer.js";
import { sentenceEnd } from "./sentences.js";
import type { SignGroup } from "./signs.js";
import type { Lexicon } from "./terms.js";

/** What is scored together: sentences of so many UTF-16 units, so many at most. */
export const runLimits = { units: 800, sentences: 16 } as const;
/** So far below the threshold a stream is held back, because one more sentence may be enough. */
const watchMargin = 0.5;

interface RunSentence {
  readonly scored: ScoredSentence;
  readonly start: number;
  readonly end: number;
  /** What a finding covers of it; undefined if it has no sign. */
  readonly sign: { readonly start: number; readonly end: number } | undefined;
}

export interface GuardParts {
  readonly lexicon: Lexicon;
  readonly sentences: KnownSentences<ScoredSentence>;
  readonly scorer: InjectionScorer;
  readonly threshold: number;
  /** Whether a text is found only where a sign stands in it, whatever its wording scores. */
  readonly needsSign: boolean;
}

/** Sentences as a scorer sees them. */
export const scoredSentences = (lexicon: Lexicon, scorer: InjectionScorer): KnownSentences<ScoredSentence> =>
  new KnownSentences((sentence) => scorer.weigh(analyseSentence(sentence, lexicon)));

export class InjectionScanner extends Scanner {
  /** The text from the start of the sentence that is not over. */
  private pending = "";
  private pendingStart = 0;
  private run: RunSentence[] = [];
  /** What lies before was let go. */
  private letGo = 0;
  private held = 0;
  /** How much of {@link pending} was looked up, and where a cue began in it. */
  private lookedAt = 0;
  private cue: number | undefined;
  private watchFrom: number | undefined;

  /** @param isWhole nothing of the text is passed on before it is over */
  constructor(
    private readonly parts: GuardParts,
    private readonly isWhole = false,
  ) {
    super();
  }

  get hold(): number {
    return this.held;
  }

  feed(chunk: string, _window?: TextWindow): void {
    this.pending += chunk;
    let start = 0;
    for (let end = sentenceEnd(this.pending, 0); end !== undefined; end = sentenceEnd(this.pending, start)) {
      this.close(this.pending.slice(start, end), this.pendingStart + start);
      start = end;
    }
    if (start > 0) {
      this.pending = this.pending.slice(start);
      this.pendingStart += start;
      this.lookedAt = 0;
      this.cue = undefined;
    }
    if (!this.isWhole) this.moveHold(this.pendingStart + this.holdOfPending());
  }

  /** What was let go of is not held again. */
  private moveHold(place: number): void {
    this.held = Math.max(this.held, Math.min(place, this.watchFrom ?? place));
  }

  /** Where in the sentence that is not over a sign may be under way. It is looked up where words end; until then the last is held. */
  private holdOfPending(): number {
    const { pending } = this;
    let end = pending.length;
    while (end > 0 && isAsciiLetter(pending.charCodeAt(end - 1))) end -= 1;
    if (end === pending.length || pending.length < this.lookedAt) {
      this.lookedAt = pending.length;
      this.cue = pending === "" ? undefined : firstCue(pending, this.parts.lexicon);
    } else if (end > this.lookedAt) {
      this.lookedAt = end;
      this.cue = firstCue(pending.slice(0, end), this.parts.lexicon);
    }
    // Where no sign says which words it is, the last unit of the sentence is what is found: a space only if the text may end with it.
    const isOpen = pending.charCodeAt(pending.length - 1) > 32 || this.wouldBeFound();
    return Math.min(this.cue ?? end, end, isOpen ? Math.max(0, pending.length - 1) : pending.length);
  }

  /** Whether a text that ended here would be found. */
  private wouldBeFound(): boolean {
    if (this.pending === "") return false;
    const run = this.runWith(this.pending, this.pendingStart, this.parts.sentences.soFar(this.pending));
    return this.isFound(run);
  }

  private isFound(run: readonly RunSentence[]): boolean {
    const { threshold, needsSign } = this.parts;
    return (!needsSign || run.some(({ scored }) => scored.features.hasSign)) && this.scoreOf(run) > threshold;
  }

  finish(): void {
    if (this.pending !== "") this.close(this.pending, this.pendingStart);
    this.pendingStart += this.pending.length;
    this.pending = "";
    this.watchFrom = undefined;
    this.moveHold(this.pendingStart);
  }

  /** A sentence with those before it that are scored together with it. */
  private runWith(text: string, start: number, scored: ScoredSentence): RunSentence[] {
    const { features } = scored;
    const end = start + text.length;
    const form = hasCueForm(features.forms) ? { start: end - 1, end } : undefined;
    const span =
      features.span === undefined ? form : { start: start + features.span.start, end: start + features.span.end };
    const run = [...this.run, { start, end, scored, sign: span }];
    while (run.length > runLimits.sentences || end - (run[0]?.start ?? end) > Math.max(runLimits.units, text.length))
      run.shift();
    return run;
  }

  private scoreOf(run: readonly RunSentence[]): number {
    return this.parts.scorer.score(run.map(({ scored }) => scored));
  }

  /** A sentence is over: scores it with those before it. */
  private close(text: string, start: number): void {
    const end = start + text.length;
    this.run = this.runWith(text, start, this.parts.sentences.of(text));
    const signs = this.run.flatMap(({ sign }) => (sign !== undefined && sign.start >= this.letGo ? [sign] : []));
    const isFound = this.isFound(this.run);
    if (isFound) {
      // Where no sign says which words it is, it is the end of the sentence that made it clear.
      this.found.push(...(signs.length === 0 ? [{ start: end - 1, end }] : signs));
      this.run = [];
    }
    if (isFound || signs.length === 0 || this.scoreOf(this.run) <= this.parts.threshold - watchMargin) {
      this.letGo = end;
      this.watchFrom = undefined;
    } else this.watchFrom = signs[0]?.start;
  }
}

const isAsciiLetter = (unit: number): boolean => (unit >= 97 && unit <= 122) || (unit >= 65 && unit <= 90);

/** What a whole text scores at most: anywhere, and where a sign stands, with the groups of signs that weighed most there. */
export function explainInjection(
  text: string,
  { sentences, scorer }: Pick<GuardParts, "sentences" | "scorer">,
): { score: number; signed: number; groups: SignGroup[] } {
  const best = { score: Number.NEGATIVE_INFINITY, signed: Number.NEGATIVE_INFINITY, groups: [] as SignGroup[] };
  const run: (ScoredSentence & { readonly start: number })[] = [];
  for (let start = 0; start < text.length; ) {
    const end = sentenceEnd(text, start) ?? text.length;
    run.push({ start, ...sentences.of(text.slice(start, end)) });
    while (run.length > runLimits.sentences || end - (run[0]?.start ?? end) > Math.max(runLimits.units, end - start))
      run.shift();
    const score = scorer.score(run);
    best.score = Math.max(best.score, score);
    const hasSign = run.some(({ features }) => features.hasSign);
    if (hasSign && score > best.signed) {
      best.signed = score;
      best.groups = scorer.heaviestGroups(run);
    }
    start = end;
  }
  return best;
}
