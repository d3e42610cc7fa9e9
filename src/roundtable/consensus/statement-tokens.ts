/** A statement as tokens: words of ten languages, numbers in their ways of writing, dates, and what seems to be a name. */
import { beginningOf, entryOf, lexicon, longestBeginning } from "./lexicon.js";
import { adversative, figure, type Token } from "./token.js";
import { largePowers, unspacedTokens } from "./unspaced-tokens.js";

export type { Token } from "./token.js";

/** Words that are read of one statement: what is longer is no sentence. */
const mostTokens = 150;
/** A run of a script without spaces between its words. */
const unspacedRun = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー々]+/gu;
const tokenPattern = /\p{N}+(?:[.,:/-]\p{N}+)*|[\p{L}\p{M}]+|[.,;:!?、，；：。！？]/gu;

/** @param text in compatibility form (NFKC) */
export function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  const isGerman = /\b(?:der|die|das|und|ist|nicht|wir|eine?)\b/i.test(text);
  // Italian's "mai" is never, not May.
  const isItalian = /\bnon\b/i.test(text);
  const hasKana = /[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text);
  let before = "";
  for (const [written] of text.replace(unspacedRun, " $& ").matchAll(tokenPattern)) {
    if (tokens.length >= mostTokens) break;
    if (/^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー々]/u.test(written)) {
      const factor = /^\p{N}/u.test(before) ? largePowers.get(written.charAt(0)) : undefined;
      if (factor !== undefined) multiplyLast(tokens, factor);
      tokens.push(...unspacedTokens(factor === undefined ? written : written.slice(1), hasKana));
    } else if (/^\p{N}/u.test(written)) {
      addNumber(tokens, written, before);
    } else if (/^[.,;:!?、，；：。！？]/.test(written)) {
      tokens.push({ kind: "break", key: "", word: written });
    } else {
      const factor = /^\p{N}/u.test(before) ? lexicon().multipliers.get(written.toLowerCase()) : undefined;
      if (factor === undefined) tokens.push(...wordTokens(written, { before, isGerman, isItalian }));
      else multiplyLast(tokens, factor);
    }
    before = written;
  }
  return tokens;
}

/** "40,000", "40.000" and "40 000" are one number; "4.5" is another than "45". A date's parts are figures of their own. */
function addNumber(tokens: Token[], written: string, before: string): void {
  const last = tokens.at(-1);
  if (last?.word === before && last.kind === "figure" && /^\d{1,3}$/.test(last.word) && /^\d{3}$/.test(written)) {
    tokens[tokens.length - 1] = figure(`${last.word}${written}`, written);
    return;
  }
  const parts = written.split(/[.,:/-]/);
  const isGrouped = /^\d{1,3}[.,]/.test(written) && parts.slice(1).every((part) => part.length === 3);
  if (isGrouped) tokens.push(figure(parts.join(""), written));
  else if (parts.length === 2) tokens.push(figure(parts.join("."), written));
  else for (const part of parts) tokens.push(figure(String(Number(part)), part));
}

/** "40 thousand" and "4万" are 40,000. */
function multiplyLast(tokens: Token[], factor: number): void {
  const last = tokens.at(-1);
  if (last?.kind === "figure") tokens[tokens.length - 1] = figure(String(Number(last.key) * factor), last.word);
}

/** Words that stand before common nouns: what follows one is no name. */
const determiners: ReadonlySet<string> = new Set(
  `der die das den dem des ein eine einen einem einer eines kein keine keinen unser unsere unseren im am zum zur vom beim
   jede jeder jedes diese dieser dieses diesen the a an`.split(/\s+/),
);

interface WordContext {
  readonly before: string;
  readonly isGerman: boolean;
  readonly isItalian: boolean;
}

function wordTokens(written: string, { before, isGerman, isItalian }: WordContext): Token[] {
  const { negations, replacements, small, figures, figureBeginnings } = lexicon();
  const word = written.toLowerCase();
  // Of "don't" and "isn't" the apostrophe ends a word: what is left of the second part says that it is denied.
  if (word === "t" && before.toLowerCase().endsWith("n")) return [{ kind: "denies_after", key: "not", word }];
  if (word === "n") return [{ kind: "denies_after", key: "ne", word }];
  if (/^(?:do|does|did|is|are|was|were|has|have|had|ca|could|wo|would|should|must|need)n$/.test(word)) return [];
  if (adversative.has(word)) return [{ kind: "break", key: "", word }];
  if (negations.has(word)) return [{ kind: "denies_after", key: word, word }];
  if (replacements.has(word) || (word === "than" && before === "rather"))
    return [{ kind: "replaces", key: word, word }];
  if (isItalian && word === "mai") return [];
  const number = figures.get(word) ?? longestBeginning(word, figureBeginnings);
  if (number !== undefined) return [figure(number, word)];
  const entry = entryOf(word);
  if (entry === undefined && small.has(word)) return [];
  const isName = entry === undefined && isNameLike(written, before, isGerman);
  return [{ kind: "word", key: beginningOf(word), word, entry, isName }];
}

/** Words in capitals; and words with a capital that no article stands before, nor a full stop. */
function isNameLike(written: string, before: string, isGerman: boolean): boolean {
  if (/^\p{Lu}{2,}$/u.test(written)) return true;
  if (!/^\p{Lu}/u.test(written) || before === "" || /^[.!?:。！？]/.test(before)) return false;
  if (!isGerman) return true;
  return !determiners.has(before.toLowerCase()) && !/^\p{Ll}+(?:e|en|er|es|em)$/u.test(before);
}
