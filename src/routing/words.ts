/** Likeness of texts by their words: enough to pick tools and to match skills, without a model. */

/** Lower-case words, with the commonest endings taken off so that "orders" is like "order". */
export function wordsOf(text: string): ReadonlySet<string> {
  const words = text
    .replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, "$1 $2")
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu);
  return new Set((words ?? []).filter((word) => word.length > 2 && !stopWords.has(word)).map(stem));
}

function stem(word: string): string {
  return word.length > 4 ? word.replace(/(?:ing|ed|es|s)$/, "") : word;
}

const stopWords = new Set(
  "and are but can did does for from has have her his how its not our she that the their them then there they this was what when where which who why will with you your".split(
    " ",
  ),
);

export function sharedWords(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let count = 0;
  for (const word of a) if (b.has(word)) count++;
  return count;
}

/** Whether all the words of a phrase stand in a text, whatever their case and endings. */
export function mentions(text: ReadonlySet<string>, phrase: string): boolean {
  const words = wordsOf(phrase);
  return words.size > 0 && sharedWords(words, text) === words.size;
}
