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
  /** What is searched: words in lower case, a blank before each. */
  readonly words: { readonly page: string; readonly heading: string; readonly text: string };
}

/** What a word in a place counts: said in the title of a page, in a heading, in the text. */
const weights = { page: 3, heading: 4, text: 1 } as const;
/** A word says less of a passage that is longer than this, in characters. */
const usualLength = 2_000;
const maxTerms = 12;
const maxFound = 15;
/** So that one long page isn't all that is found. */
const maxOfPage = 2;

export function passagesOf({ path, title, about }: SitePage, markdown: string): Passage[] {
  const page = spaced(`${title} ${about}`);
  return parted(markdown).map(([line = "", ...lines]) => {
    const heading = /^#+ (.+)$/.exec(line)?.[1] ?? title;
    const text = lines.join("\n").trim();
    const words = { page, heading: spaced(heading), text: spaced(text) };
    return { address: `${addressOf(path, "")}#${anchorOf(heading)}`, page: title, heading, text, words };
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

/** The passages that hold most of what is asked for, the best first. Rare words count more than common ones. */
export function findPassages(passages: readonly Passage[], query: string): Passage[] {
  const terms = [...new Set(spaced(query).split(" ").filter(isTerm).map(beginning))].slice(0, maxTerms);
  const scores = new Map<Passage, number>();
  for (const term of terms) {
    const hits = passages.flatMap((passage) => {
      const { page, heading, text } = passage.words;
      const score =
        (page.includes(term) ? weights.page : 0) +
        (heading.includes(term) ? weights.heading : 0) +
        (text.includes(term) ? weights.text / (1 + text.length / usualLength) : 0);
      return score === 0 ? [] : [{ passage, score }];
    });
    const rarity = Math.log(1 + passages.length / (hits.length + 1));
    // The square root, so that a passage with two of the words stands before one that has one of them everywhere.
    for (const { passage, score } of hits) scores.set(passage, (scores.get(passage) ?? 0) + rarity * Math.sqrt(score));
  }
  const ranked = [...scores].sort(([, one], [, other]) => other - one);
  const ofPage = new Map<string, number>();
  const shown = ranked.filter(([{ page }]) => {
    const count = (ofPage.get(page) ?? 0) + 1;
    ofPage.set(page, count);
    return count <= maxOfPage;
  });
  return shown.slice(0, maxFound).map(([passage]) => passage);
}

function spaced(text: string): string {
  return ` ${text.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, " ")}`;
}

function isTerm(word: string): boolean {
  return word !== "" && !stopWords.has(word);
}

/** Words are found by how they begin, whatever their endings: "erasing" as "erase". */
function beginning(word: string): string {
  const stem = word.replace(/(?:ings?|ed|es|s|e|y|ies|als?|ions?)$/, "");
  return ` ${stem.length < 3 ? word : stem}`;
}
