/**
 * What was worked out of sentences lately, by their text. The same sentences come again: every guard of a session reads the same
 * message, a stream is judged once more as a whole, and what edits leave of a text is looked at again.
 *
 * They are words of many tenants' users, which may be erased: the collector of garbage takes them as it takes the texts that they
 * were cut from, and nobody here holds them longer.
 */

/** Sentences that are kept: a text of many more pays for each look. A sentence has a bounded length, see sentences.ts. */
const mostKnown = 1_000;

export class KnownSentences<T> {
  private kept = new WeakRef(new Map<string, T>());

  /** @param workOut what is to be known of a sentence: of its text alone */
  constructor(
    private readonly workOut: (sentence: string) => T,
    private readonly most = mostKnown,
  ) {}

  /** What is known of a sentence, worked out and kept where it is new. */
  of(sentence: string): T {
    const sentences = this.sentences();
    const known = sentences.get(sentence);
    if (known !== undefined) return known;
    // A part of a text holds the whole of it in memory, a copy doesn't.
    const copy = ` ${sentence}`.slice(1);
    const made = this.workOut(copy);
    if (sentences.size >= this.most) forgetOldest(sentences);
    sentences.set(copy, made);
    return made;
  }

  /** The same of a sentence that may go on: it isn't kept. */
  soFar(sentence: string): T {
    return this.kept.deref()?.get(sentence) ?? this.workOut(sentence);
  }

  private sentences(): Map<string, T> {
    const kept = this.kept.deref();
    if (kept !== undefined) return kept;
    const sentences = new Map<string, T>();
    this.kept = new WeakRef(sentences);
    return sentences;
  }
}

function forgetOldest(sentences: Map<string, unknown>): void {
  for (const oldest of sentences.keys()) {
    sentences.delete(oldest);
    return;
  }
}
