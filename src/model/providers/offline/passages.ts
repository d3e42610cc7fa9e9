/**
 * Data as it can be quoted: sentences, and what stands above them. Much of what a model is given is Markdown, whose headings,
 * wrapped lines, tables and blocks of code are no sentences.
 */
import { headingOf } from "../../../text/edges.js";
import { sentences, words } from "./words.js";

export interface Passage {
  readonly text: string;
  /** The headings that it stands under; what they say counts for it. */
  readonly heading: string;
}

/** A line of at least so many characters that ends in no full stop goes on in the next one. */
const wrappedLine = 60;
/** What begins a line of its own: a list item, a table row, a quotation, a heading. */
const ownLine = /^\s*(?:[-*+•]\s|\d+[.)]\s|\||>|#{1,6}\s|$)/;
const tableRule = /^[\s:|-]+$/;

/** The passages of a text, in order. */
export function passages(text: string): Passage[] {
  const headings: string[] = [];
  return linesOf(text).flatMap((line) => {
    const heading = headingOf(line);
    if (heading === undefined) return sentencesOf(line, headings.join(" "));
    headings.splice(heading.level - 1, headings.length, plain(heading.title));
    return [];
  });
}

/** A heading over nothing is all there is: then it can be quoted itself. */
export function passagesOrHeadings(text: string): Passage[] {
  const found = passages(text);
  return found.length > 0 ? found : sentences(text).map((sentence) => ({ text: sentence, heading: "" }));
}

/** The lines of a text, wrapped ones put together again, without blocks of code. */
function linesOf(text: string): string[] {
  const lines: string[] = [];
  let inCode = false;
  let open = false;
  for (const line of text.split("\n")) {
    if (line.trimStart().startsWith("```")) {
      inCode = !inCode;
      open = false;
    } else if (!inCode) {
      const last = lines.at(-1);
      if (open && last !== undefined && !ownLine.test(line)) lines[lines.length - 1] = `${last} ${line.trim()}`;
      else lines.push(line);
      open = line.length >= wrappedLine && headingOf(line) === undefined && !line.trimStart().startsWith("|");
    }
  }
  return lines;
}

function sentencesOf(line: string, heading: string): Passage[] {
  if (line.trimStart().startsWith("|")) {
    const [first, ...rest] = tableRule.test(line) ? [] : cellsOf(line);
    if (first === undefined) return [];
    // The first cell says what the others are about.
    return [
      { text: rest.length === 0 ? first : `${first}: ${rest.join("; ")}`, heading: `${heading} ${first}`.trim() },
    ];
  }
  const found: Passage[] = [];
  let begun = "";
  for (const sentence of sentences(plain(line))) {
    begun = begun === "" ? sentence : `${begun} ${sentence}`;
    // A number alone, such as "429.", begins what follows.
    if (words(begun).every((word) => /^\d+$/.test(word))) continue;
    found.push({ text: begun, heading });
    begun = "";
  }
  return begun === "" ? found : [...found, { text: begun, heading }];
}

function cellsOf(line: string): string[] {
  return plain(line)
    .replace(/^\s*\||\|\s*$/g, "")
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim())
    .filter((cell) => cell !== "");
}

/** Without the marks of emphasis and the addresses of links. */
function plain(text: string): string {
  return text.replace(/\[([^\][]*)\]\([^()\s]*\)/g, "$1").replace(/\*\*|__(?=\S)|(?<=\S)__/g, "");
}
