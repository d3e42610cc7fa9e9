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
const maxTerms = 12;
const maxFound = 15;

export function passagesOf({ path, title }: SitePage, markdown: string): Passage[] {
  return markdown.split(/^(?=#{1,3} )/m).map((part) => {
    const [, heading = title] = /^#+ (.+)$/m.exec(part.split("\n", 1)[0] ?? "") ?? [];
    const text = part.slice(part.indexOf("\n") + 1).trim();
    const address = `${addressOf(path, "")}#${anchorOf(heading)}`;
    const words = { page: spaced(title), heading: spaced(heading), text: spaced(text) };
    return { address, page: title, heading, text, words };
  });
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
        (text.includes(term) ? weights.text : 0);
      return score === 0 ? [] : [{ passage, score }];
    });
    const rarity = Math.log(1 + passages.length / (hits.length + 1));
    // The square root, so that a passage with two of the words stands before one that has one of them everywhere.
    for (const { passage, score } of hits) scores.set(passage, (scores.get(passage) ?? 0) + rarity * Math.sqrt(score));
  }
  const ranked = [...scores].sort(([, one], [, other]) => other - one);
  return ranked.slice(0, maxFound).map(([passage]) => passage);
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
