/**
 * What was worked out of sentences lately, by their text. The same sentences come again: every guard of a session reads the same
 * message, a stream is judged once more as a whole, and what edits leave of a text is looked at again.
 */

/** Sentences that are kept: a text of many more pays for each look. A sentence has a bounded length, see sentences.ts. */
const mostKnown = 1_000;

export class KnownSentences<T> {
  private readonly known = new Map<string, T>();

  /** @param workOut what is to be known of a sentence: of its text alone */
  constructor(
    private readonly workOut: (sentence: string) => T,
    private readonly most = mostKnown,
  ) {}

  /** What is known of a sentence, worked out and kept where it is new. */
  of(sentence: string): T {
    const known = this.known.get(sentence);
    if (known !== undefined) return known;
    // A part of a text holds the whole of it in memory, a copy doesn't.
    const copy = ` ${sentence}`.slice(1);
    const made = this.workOut(copy);
    if (this.known.size >= this.most) this.forgetOldest();
    this.known.set(copy, made);
    return made;
  }

  /** The same of a sentence that may go on: it isn't kept. */
  soFar(sentence: string): T {
    return this.known.get(sentence) ?? this.workOut(sentence);
  }

  private forgetOldest(): void {
    for (const oldest of this.known.keys()) {
      this.known.delete(oldest);
      return;
    }
  }
}
