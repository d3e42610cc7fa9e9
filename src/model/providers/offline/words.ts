/** Words as the offline model compares them: lower case, without endings, without those that say nothing. */

const stopWords: ReadonlySet<string> = new Set(
  `a about above after again all also am an and any anything are as at be because been before being below between both but by
  can cannot could did do does doing don done down during each every everything few for from get give had has have
  having he her here hers him his how i if in into is it its just know let like ll many may me might more most much must my no
  nor not now of off on once one only or other our out over own please re s same shall she should so some something such t
  tell than that the their them then there these they thing this those through to too under until up us use using ve very
  want was we were what when where whether which while who whom whose why will with would yes you your yours
  happen happens happened mean means meant`.split(/\s+/),
);

/** The words of a text in order, lower-cased. An apostrophe ends a word: "don't" is "don" and "t". */
export function words(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** A rough common form of a word's inflections ("orders", "ordered", "ordering" → "order"); no real word is promised. */
export function stem(word: string): string {
  if (word.length <= 3 || /\d/.test(word)) return word;
  const base = word
    .replace(/(?:sses)$/, "ss")
    .replace(/ies$/, "y")
    .replace(/(?<=[^su])s$/, "")
    .replace(/(?<=.{3})(?:ing|ed|ly)$/, "");
  const undoubled = base.length < word.length ? base.replace(/([bdgmnprt])\1$/, "$1") : base;
  return undoubled.length > 3 ? undoubled.replace(/e$/, "").replace(/y$/, "i") : undoubled;
}

/** The words of a text that carry meaning, in order, repetitions left out. */
export function contentWords(text: string): string[] {
  return [...new Set(words(text))].filter((word) => !stopWords.has(word));
}

/** The stems of the words that carry meaning. */
export function stems(text: string): ReadonlySet<string> {
  return new Set(contentWords(text).map(stem));
}

/** How many of the one's stems the other has too. */
export function overlap(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  let count = 0;
  for (const word of one) if (other.has(word)) count++;
  return count;
}

/** The words of an identifier: `lookupOrder`, `lookup_order` and `lookup-order` are "lookup order". */
export function identifierWords(name: string): string {
  return name.replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, "$1 $2").replace(/[^\p{L}\p{N}]+/gu, " ");
}

/** The sentences of a text; lines end them too. */
export function sentences(text: string): string[] {
  return text
    .split(/\n+|(?<=[.!?…])\s+|(?<=[。！？])/u)
    .map((sentence) => sentence.replace(/^[\s#>*•-]+/u, "").trim())
    .filter((sentence) => /[\p{L}\p{N}]/u.test(sentence));
}

/** At most so many characters, cut between words where possible, with an ellipsis if something is missing. */
export function shorten(text: string, limit: number): string {
  const flat = text.replace(/\s+/g, " ").trim();
  if (flat.length <= limit) return flat;
  const cut = flat
    .slice(0, Math.max(1, limit - 1))
    .toWellFormed()
    .replace(/\uFFFD$/, "");
  const space = cut.lastIndexOf(" ");
  return `${(space > limit / 2 ? cut.slice(0, space) : cut).trimEnd()}…`;
}
