/** How much a text has to do with another, by their words: cheap, deterministic, and honest about being no more than that. */

const common = new Set(
  `a about all also an and any are as at be been but by can could did do does for from had has have how i if in into is it its
  just me my no not of on or our out please so some than that the their them then there these they this to up us was we were
  what when where which who why will with would you your`.split(/\s+/),
);

/** The words that carry meaning, without endings, each once. */
export function contentStems(text: string): ReadonlySet<string> {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return new Set(
    words.filter((word) => !common.has(word) && (word.length > 1 || /[^\p{ASCII}]/u.test(word))).map(stem),
  );
}

/** Gives of any text the part of the query's words that it has too: from 0 (nothing) to 1 (all). A query is read once, however long. */
export function likenessTo(query: string): (text: string) => number {
  const asked = contentStems(query);
  return (text) => {
    if (asked.size === 0) return 0;
    const said = contentStems(text);
    let shared = 0;
    for (const word of asked) if (said.has(word)) shared++;
    return shared / asked.size;
  };
}

function stem(word: string): string {
  return word.length <= 3
    ? word
    : word
        .replace(/(?:ies)$/, "y")
        .replace(/(?<=[^s])s$/, "")
        .replace(/(?<=.{3})(?:ing|ed)$/, "");
}
