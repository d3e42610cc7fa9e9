/**
 * The injection guard as a scanner: it reads a text sentence by sentence, scores the last few together, and holds back a stream
 * from the first word of a sign until what follows has shown that it is harmless.
 */
import type { Finding, Scanner, TextWindow } from "../detector.js";
import { analyseSentence, FORMS, firstTelling } from "./features.js";
import type { InjectionScorer, ScoredSentence } from "./scorer.js";
import { sentenceEnd } from "./sentences.js";
import type { SignGroup } from "./signs.js";
import type { Lexicon } from "./terms.js";

/** What is scored together: sentences of so many UTF-16 units, so many at most. */
export const RUN = { units: 800, sentences: 16 } as const;
/** So far below the threshold a stream is held back, because one more sentence may be enough. */
const WATCH = 0.5;

interface Heard extends ScoredSentence {
  readonly start: number;
  readonly end: number;
  /** What a finding covers of it; undefined if it has no sign. */
  readonly sign: { readonly start: number; readonly end: number } | undefined;
}

/** Forms that are a sign by themselves. */
const TELLING_FORMS = ["repeated", "spaced", "mixed", "binary"] as const;
const TELLING_MASK = TELLING_FORMS.reduce((mask, form) => mask | (1 << FORMS.indexOf(form)), 0);

export interface GuardParts {
  readonly lexicon: Lexicon;
  readonly scorer: InjectionScorer;
  readonly threshold: number;
}

export class InjectionScanner implements Scanner {
  readonly overloaded = false;
  private readonly parts: GuardParts;
  /** The text from the start of the sentence that is not over. */
  private pending = "";
  private pendingStart = 0;
  private run: Heard[] = [];
  private found: Finding[] = [];
  /** What lies before was let go. */
  private letGo = 0;
  private partialHold = 0;
  private watchFrom: number | undefined;

  constructor(parts: GuardParts) {
    this.parts = parts;
  }

  get hold(): number {
    return Math.min(this.partialHold, this.watchFrom ?? this.partialHold);
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
    }
    const telling = this.pending === "" ? 0 : firstTelling(this.pending, this.parts.lexicon);
    // The last two units wait for what comes after them, which decides where a sentence ends.
    const end = this.pendingStart + Math.max(0, this.pending.length - 2);
    this.partialHold = telling === undefined ? end : Math.min(end, this.pendingStart + telling);
  }

  finish(): void {
    if (this.pending !== "") this.close(this.pending, this.pendingStart);
    this.pendingStart += this.pending.length;
    this.pending = "";
    this.partialHold = this.pendingStart;
    this.watchFrom = undefined;
  }

  take(): Finding[] {
    const { found } = this;
    if (found.length > 0) this.found = [];
    return found;
  }

  /** A sentence is over: scores it with those before it. */
  private close(text: string, start: number): void {
    const features = analyseSentence(text, this.parts.lexicon);
    const end = start + text.length;
    const tellingForm = (features.forms & TELLING_MASK) !== 0 ? { start: Math.max(start, end - 2), end } : undefined;
    const span =
      features.span === undefined
        ? tellingForm
        : { start: start + features.span.start, end: start + features.span.end };
    this.run.push({ start, end, features, ngrams: undefined, sign: span });
    while (this.run.length > RUN.sentences || end - (this.run[0]?.start ?? end) > Math.max(RUN.units, text.length))
      this.run.shift();
    const signs = this.run.flatMap(({ sign }) => (sign !== undefined && sign.start >= this.letGo ? [sign] : []));
    const score = signs.length === 0 ? Number.NEGATIVE_INFINITY : this.parts.scorer.score(this.run);
    if (score > this.parts.threshold) {
      for (const sign of signs) this.found.push(sign);
      this.run = [];
    }
    if (score > this.parts.threshold || score <= this.parts.threshold - WATCH) {
      this.letGo = end;
      this.watchFrom = undefined;
    } else this.watchFrom = signs[0]?.start;
  }
}

/** What a whole text scores at most, and the groups of signs that weighed most there. */
export function explainInjection(
  text: string,
  { lexicon, scorer }: Omit<GuardParts, "threshold">,
): { score: number; groups: SignGroup[] } {
  let best = { score: Number.NEGATIVE_INFINITY, groups: [] as SignGroup[] };
  const run: Heard[] = [];
  for (let start = 0; start < text.length; ) {
    const end = sentenceEnd(text, start) ?? text.length;
    const features = analyseSentence(text.slice(start, end), lexicon);
    const isTelling = features.span !== undefined || (features.forms & TELLING_MASK) !== 0;
    run.push({ start, end, features, ngrams: undefined, sign: isTelling ? { start, end } : undefined });
    while (run.length > RUN.sentences || end - (run[0]?.start ?? end) > Math.max(RUN.units, end - start)) run.shift();
    if (run.some(({ sign }) => sign !== undefined)) {
      const score = scorer.score(run);
      if (score > best.score) best = { score, groups: scorer.heaviestGroups(run) };
    }
    start = end;
  }
  return best;
}
