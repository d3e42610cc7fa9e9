/**
 * What stands at the ends of a text, in linear time. `/[.!]+$/` isn't: it begins anew at each sign of a run that doesn't end the text,
 * so that 60,000 of them take a minute.
 */

/**
 * The text without the characters at its end that `cut` matches, each for itself.
 * @example trimEndOf("yes!..", /[.!]/) // "yes"
 */
export function trimEndOf(text: string, cut: RegExp): string {
  let end = text.length;
  while (end > 0) {
    const start = end - widthBefore(text, end);
    if (!cut.test(text.slice(start, end))) break;
    end = start;
  }
  return text.slice(0, end);
}

/**
 * The text from its first character that isn't one of `cut` on.
 * @example trimStartOf("__init", /_/) // "init"
 */
export function trimStartOf(text: string, cut: RegExp): string {
  let start = 0;
  for (const character of text) {
    if (!cut.test(character)) break;
    start += character.length;
  }
  return text.slice(start);
}

/** A surrogate pair is one character. */
function widthBefore(text: string, end: number): 1 | 2 {
  const isPair = /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(Math.max(0, end - 2), end));
  return isPair ? 2 : 1;
}

/** A heading of Markdown: how deep it is, and what it says without its marks. */
export interface Heading {
  readonly level: number;
  readonly title: string;
}

/**
 * The heading that a line is, if it is one. It may stand three spaces in, and close with its marks.
 * @example headingOf("## Facts ##") // { level: 2, title: "Facts" }
 */
export function headingOf(line: string): Heading | undefined {
  const [, marks] = /^\s{0,3}(#{1,6})\s/.exec(line) ?? [];
  if (marks === undefined) return undefined;
  const words = line.trimStart().slice(marks.length).trim();
  return { level: marks.length, title: trimEndOf(words, /#/).trimEnd() };
}
