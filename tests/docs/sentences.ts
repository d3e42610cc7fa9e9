/** Sentences of the pages, as a reader meets them: without code, tables and headings. */

export const mostWords = 30;

/** Those of more words than a reader holds together. */
export function longSentences(text: string): string[] {
  const prose = text.replaceAll(/^\s*```[\s\S]*?^\s*```/gm, "\n").replaceAll(/^(\||#).*$/gm, "\n");
  return prose.split(/\n\s*\n|\n(?=\s*(?:- |\d+\. ))/).flatMap((paragraph) => sentencesOf(paragraph).filter(isLong));
}

/** A full stop ends one, and so does a colon before a list. What is code is one word. */
function sentencesOf(paragraph: string): string[] {
  return paragraph
    .replaceAll(/`[^`]*`/g, "code")
    .replaceAll(/\[([^\][]*)\]\([^()]*\)/g, "$1")
    .replaceAll(/[*_]/g, "")
    .split(/(?<=[.!?][)"”]?)\s+(?=[\p{Lu}\d("“]|code)/u)
    .map((sentence) => sentence.trim());
}

function isLong(sentence: string): boolean {
  return (sentence.match(/[\p{L}\p{N}][\p{L}\p{N}'’.,-]*/gu) ?? []).length > mostWords;
}
