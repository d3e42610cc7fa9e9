/** Texts cut into what people read: words of a name, sentences, a text made short. */

/** The words of an identifier: `lookupOrder`, `lookup_order` and `lookup-order` are "lookup order". */
export function identifierWords(name: string): string {
  return name
    .replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, "$1 $2")
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
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
