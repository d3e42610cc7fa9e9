/**
 * Text in Unicode tag characters: nobody sees it, and models read it. A flag of a region has a few of them; a run that is longer than
 * any flag's is hidden on purpose, whatever it says.
 */
import { type Detector, Scanner } from "../detector.js";

/** So many in a row at least. The longest flag has six and one that ends it. */
const leastTags = 10;
/** U+E0020 to U+E007F, as UTF-16. */
const tagsInARow = /(?:\udb40[\udc20-\udc7f]){10,}/;

/** Whether a text holds text in tag characters. It is looked for in the text as it came: normalising takes what doesn't show. */
export const hidesTags = (raw: string): boolean => raw.includes("\udb40") && tagsInARow.test(raw);

export const tagsDetector: Detector = {
  reads: "raw",
  mayMatch: ({ raw }) => raw.includes("\udb40"),
  open: () => new TagsScanner(),
};

class TagsScanner extends Scanner {
  private at = 0;
  /** Where the run began that is under way. */
  private start: number | undefined;

  get hold(): number {
    return this.start ?? this.at;
  }

  feed(chunk: string): void {
    for (const character of chunk) {
      const code = character.codePointAt(0) ?? 0;
      if (code >= 0xe0020 && code <= 0xe007f) this.start ??= this.at;
      else this.finish();
      this.at += character.length;
    }
  }

  /** The run is over. */
  finish(): void {
    if (this.start !== undefined && this.at - this.start >= 2 * leastTags)
      this.found.push({ start: this.start, end: this.at });
    this.start = undefined;
  }
}
