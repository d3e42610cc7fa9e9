/** What a statement is read as: words, figures, what denies, and where a clause ends. */
import type { Entry } from "./lexicon.js";

export interface Token {
  readonly kind: "word" | "figure" | "denies_after" | "denies_before" | "replaces" | "break";
  readonly key: string;
  readonly word: string;
  readonly entry?: Entry | undefined;
  readonly isName?: boolean;
}

/** Where another clause begins, to which what was denied before doesn't belong. */
export const adversative: ReadonlySet<string> = new Set(
  "but aber sondern mais pero sino ma però mas maar lecz ale 但 而".split(" "),
);
export function figure(key: string, word: string): Token {
  return { kind: "figure", key, word };
}
