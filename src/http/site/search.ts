/** Search over the pages, passage by passage: a passage is what stands under a heading. */
import { stopWords } from "../../text/vocabulary.js";
import { anchorOf } from "./layout.js";
import { addressOf, type SitePage } from "./site-map.js";

export interface Passage {
  readonly address: string;
  /** The page's title, and the heading's. */
  readonly page: string;
  readonly heading: string;
  readonly text: string;
  /** What it counts beside those of other sections. */
  readonly share: number;
  /** What is searched: words in lower case, a blank before each. */
  readonly words: { readonly page: string; readonly heading: string; readonly text: string };
}

/** What a word in a place counts: said in the title of a page, in a heading, in the text. */
const weights = { page: 2, heading: 5, text: 1 } as const;
/** Whoever asks has a job to do; what is inside, and what changed once, comes last. */
const sectionShares = new Map([
  ["By job", 1.2],
  ["Inside", 0.6],
]);
/** How much said again adds: after BM25, the more the smaller. */
const saturation = 1.5;
/** A passage longer than this, in characters, has words by its length. */
const usualLength = 1_500;
/** What a word counts that is another for the one that was asked for. */
const synonymShare = 0.8;
const shownLength = 240;
/** What questions are framed in. */
const frames = new Set("get make see happen possible want need know work support now say use possible".split(" "));
const maxTerms = 12;
const maxFound = 15;
/** So that one long page isn't all that is found: what a second passage of it counts, and how many there are. */
const againShare = 0.8;
const maxOfPage = 2;

export function passagesOf({ path, title, about, section }: SitePage, markdown: string): Passage[] {
  const share = sectionShares.get(section) ?? 1;
  const page = spaced(`${title} ${about}`);
  return parted(markdown).map(([line = "", ...lines]) => {
    const heading = /^#+ (.+)$/.exec(line)?.[1] ?? title;
    const text = lines.join("\n").trim();
    const words = { page, heading: spaced(heading), text: spaced(text) };
    return { address: `${addressOf(path, "")}#${anchorOf(heading)}`, page: title, heading, text, words, share };
  });
}

/** The lines of a page, from heading to heading. What looks like one in a block of code is none. */
function parted(markdown: string): string[][] {
  const parts: string[][] = [];
  let isCode = false;
  for (const line of markdown.split("\n")) {
    if (line.startsWith("```")) isCode = !isCode;
    if (parts.length === 0 || (!isCode && /^#{1,3} /.test(line))) parts.push([]);
    parts.at(-1)?.push(line);
  }
  return parts;
}

/** What is said of the same thing in other words, by the beginnings of words. */
export type Synonyms = ReadonlyMap<string, readonly string[]>;

/** @param table lines of `words of askers: words of pages`, with commas between them; see `docs/site/synonyms.txt` */
export function readSynonyms(table: string): Synonyms {
  const rows = table.split("\n").flatMap((line): [string, string[]][] => {
    const [asked = "", said = ""] = line.startsWith("#") ? [] : line.split(":");
    return asked === "" ? [] : asked.split(",").map((word) => [phraseOf(word), said.split(",").map(phraseOf)]);
  });
  return new Map(rows);
}

/** The passages that hold most of what is asked for, the best first. Rare words count more than common ones. */
export function findPassages(passages: readonly Passage[], query: string, synonyms: Synonyms): Passage[] {
  const scores = new Map<Passage, number>();
  for (const term of termsOf(query, synonyms)) {
    const others = synonyms.get(term) ?? [];
    const hits = passages.flatMap((passage) => {
      const often = others.reduce((sum, other) => sum + synonymShare * saidIn(passage, other), saidIn(passage, term));
      return often === 0 ? [] : [{ passage, often }];
    });
    const rarity = Math.log(1 + passages.length / (hits.length + 1));
    for (const { passage, often } of hits) {
      const length = 0.5 + (0.5 * passage.words.text.length) / usualLength;
      const score = (rarity * often) / (often + saturation * length);
      scores.set(passage, (scores.get(passage) ?? 0) + score * passage.share);
    }
  }
  const best = ([, one]: Scored, [, other]: Scored) => other - one;
  const ofPage = new Map<string, number>();
  const ranked = [...scores].sort(best).flatMap(([passage, score]): Scored[] => {
    const before = ofPage.get(passage.page) ?? 0;
    ofPage.set(passage.page, before + 1);
    return before < maxOfPage ? [[passage, score * againShare ** before]] : [];
  });
  return ranked
    .sort(best)
    .slice(0, maxFound)
    .map(([passage]) => passage);
}

type Scored = [Passage, number];

/** How often it is said in a passage, by the weights of the places. */
function saidIn({ words: { page, heading, text } }: Passage, term: string): number {
  let often = (page.includes(term) ? weights.page : 0) + (heading.includes(term) ? weights.heading : 0);
  for (let at = text.indexOf(term); at !== -1; at = text.indexOf(term, at + term.length)) often += weights.text;
  return often;
}

/** What a passage says of it: from the sentence or row on that has most of the words, without the marks of Markdown. */
export function excerptOf({ text }: Passage, query: string, synonyms: Synonyms): string {
  const terms = termsOf(query, synonyms).flatMap((term) => [term, ...(synonyms.get(term) ?? [])]);
  const parts = plainPartsOf(text);
  const counts = parts.map((part) => {
    const words = spaced(part);
    return terms.filter((term) => words.includes(term)).length;
  });
  return parts
    .slice(counts.indexOf(Math.max(0, ...counts)))
    .join(" ")
    .slice(0, shownLength);
}

/** Sentences, and rows of tables, as they are read. */
function plainPartsOf(markdown: string): string[] {
  let isCode = false;
  const lines = markdown.split("\n").map((line) => {
    if (line.startsWith("```")) isCode = !isCode;
    if (isCode || line.startsWith("```") || /^[|\s:-]+$/.test(line)) return "\n";
    if (!line.startsWith("|")) return line;
    const cells = line.split("|").slice(1, -1);
    return `${cells.map((cell) => cell.trim()).join(" · ")};\n`;
  });
  return lines
    .join(" ")
    .replaceAll(/!?\[([^\][]+)\]\([^()\s]+\)/g, "$1")
    .replaceAll(/[`*]/g, "")
    .split(/\n|(?<=[.!?]) /)
    .map((part) => part.replaceAll(/\s+/g, " ").trim().replace(/^- /, ""))
    .filter((part) => part !== "");
}

/** What is asked for: the words that tell something, or all where none does. */
function termsOf(query: string, synonyms: Synonyms): string[] {
  const words = spaced(query).trim().split(" ");
  const asked = words.filter((word) => synonyms.has(beginning(word)) || !(stopWords.has(word) || frames.has(word)));
  return [...new Set((asked.length === 0 ? words : asked).map(beginning))].slice(0, maxTerms);
}

/** Words in lower case, a blank before each. */
function spaced(text: string): string {
  return ` ${text.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, " ")}`;
}

/** Of several words all are looked for, one behind the other. */
function phraseOf(words: string): string {
  const said = spaced(words).trim();
  return said.includes(" ") ? ` ${said}` : beginning(said);
}

/** Words are found by how they begin, whatever their endings: "erasing" as "erase". */
function beginning(word: string): string {
  const stem = word.replace(/(?:ings?|ed|es|s|e|y|ies|als?|ions?)$/, "");
  return ` ${stem.length < 3 ? word : stem}`;
}
