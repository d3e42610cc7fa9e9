/** A statement as tokens: words of ten languages, numbers in their ways of writing, dates, and what seems to be a name. */
import { beginningOf, type Entry, entryOf, lexicon, longestBeginning, weekday } from "./lexicon.js";
import * as vocabulary from "./vocabulary.js";

/** What a statement is read as: words, figures, what denies, and where a clause ends. */
export interface Token {
  readonly kind: "word" | "figure" | "denies_after" | "denies_before" | "replaces" | "origin" | "break";
  readonly key: string;
  readonly word: string;
  readonly entry?: Entry | undefined;
  readonly isName?: boolean;
}

/** Where another clause begins, to which what was denied before doesn't belong. */
const adversative: ReadonlySet<string> = new Set(
  "but aber sondern mais pero sino ma però mas maar lecz ale 但 而".split(" "),
);
function figure(key: string, word: string): Token {
  return { kind: "figure", key, word };
}

/** Words that are read of one statement: what is longer is no sentence. */
const mostTokens = 150;
/** A run of a script without spaces between its words. */
const unspacedRun = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー々]+/gu;
const tokenPattern = /\p{N}+(?:[.,:/-]\p{N}+)*|[\p{L}\p{M}]+|[.,;:!?、，；：。！？]/gu;

/** @param text in compatibility form (NFKC) */
export function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  // "Demand declines" is less of it; who declines an offer doesn't want it.
  const read = text.replace(declined, "reject");
  const isGerman = /\b(?:der|die|das|und|ist|nicht|wir|eine?)\b/i.test(text);
  // Italian's "mai" is never, not May.
  const isItalian = /\bnon\b/i.test(text);
  const hasKana = /[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text);
  let before = "";
  for (const [written] of read.replace(unspacedRun, " $& ").matchAll(tokenPattern)) {
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
      const isCounted = /^\p{N}/u.test(before);
      const factor = isCounted ? lexicon().multipliers.get(written.toLowerCase()) : undefined;
      if (isCounted && !isGerman && /^[ap]m$/i.test(written)) addHalfOfDay(tokens, written);
      else if (factor === undefined) tokens.push(...wordTokens(written, { before, isGerman, isItalian }));
      else multiplyLast(tokens, factor);
    }
    before = written;
  }
  return tokens;
}

/** "40,000", "40.000" and "40 000" are one number; "4.5" is another than "45"; 17:00 is 17. A date's parts are figures of their own. */
function addNumber(tokens: Token[], written: string, before: string): void {
  const last = tokens.at(-1);
  if (last?.word === before && last.kind === "figure" && /^\d{1,3}$/.test(last.word) && /^\d{3}$/.test(written)) {
    tokens[tokens.length - 1] = figure(`${last.word}${written}`, written);
    return;
  }
  const [, hour, minutes] = /^(\d{1,2}):([0-5]\d)$/.exec(written) ?? [];
  if (hour !== undefined) {
    const time = minutes === "00" ? String(Number(hour)) : `${Number(hour)}:${minutes}`;
    tokens.push(figure(time, hour));
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

const declined = /\bdeclin(?:e|es|ed|ing)(?= (?:the|this|that|an?|any|all|their|his|her|our|your|its|to)\b)/gi;

/** "5 pm" is 17. */
function addHalfOfDay(tokens: Token[], written: string): void {
  const last = tokens.at(-1);
  const [hour, minutes] = last?.kind === "figure" ? last.key.split(":") : [];
  if (last === undefined || !(Number(hour) >= 1 && Number(hour) <= 12)) return;
  const time = (Number(hour) % 12) + (/^p/i.test(written) ? 12 : 0);
  tokens[tokens.length - 1] = figure(minutes === undefined ? String(time) : `${time}:${minutes}`, last.word);
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
  const { negations, replacements, origins, small, figures, figureBeginnings } = lexicon();
  const word = written.toLowerCase();
  // Of "don't" and "isn't" the apostrophe ends a word: what is left of the second part says that it is denied.
  if (word === "t" && before.toLowerCase().endsWith("n")) return [{ kind: "denies_after", key: "not", word }];
  if (word === "n") return [{ kind: "denies_after", key: "ne", word }];
  if (/^(?:do|does|did|is|are|was|were|has|have|had|ca|could|wo|would|should|must|need)n$/.test(word)) return [];
  if (adversative.has(word)) return [{ kind: "break", key: "", word }];
  if (negations.has(word)) return [{ kind: "denies_after", key: word, word }];
  if (replacements.has(word) || (word === "than" && before === "rather"))
    return [{ kind: "replaces", key: word, word }];
  if (origins.has(word)) return [{ kind: "origin", key: word, word }];
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

const digits = "〇一二三四五六七八九";
const powers: ReadonlyMap<string, number> = new Map([
  ["十", 10],
  ["百", 100],
  ["千", 1_000],
]);
/** What belongs to the number before it: 4万. */
const largePowers: ReadonlyMap<string, number> = new Map([
  ["万", 10_000],
  ["億", 100_000_000],
  ["亿", 100_000_000],
]);
const longestEntry = 4;
const longestIdiom = 10;

/** Words of Japanese and Chinese, which are written without spaces: words of the vocabulary, the longest first; numbers; single letters otherwise. */
function unspacedTokens(run: string, hasKana: boolean): Token[] {
  const { whole, noDenials } = lexicon();
  const tokens: Token[] = [];
  for (let at = 0; at < run.length; ) {
    const idiom = longestAt(run, at, longestIdiom, (text) => (noDenials.has(text) ? text : undefined));
    const dayOf = run.startsWith("星期", at) || run.startsWith("曜", at + 1);
    if (idiom !== undefined) {
      at += idiom.length;
    } else if (dayOf) {
      const isChinese = run.startsWith("星期", at);
      const letter = run[isChinese ? at + 2 : at] ?? "";
      const day = isChinese
        ? "一二三四五六日".indexOf(letter === "天" ? "日" : letter)
        : "月火水木金土日".indexOf(letter);
      if (day >= 0) tokens.push(figure(weekday(day + 1), letter));
      at += isChinese ? 3 : run.startsWith("日", at + 2) ? 3 : 2;
    } else {
      const denies = hasKana ? vocabulary.deniesBefore.find((ending) => run.startsWith(ending, at)) : undefined;
      const number = numberAt(run, at);
      const entry = longestAt(run, at, longestEntry, (text) => {
        const found = whole.get(text);
        return found === undefined ? undefined : { text, found };
      });
      const letter = run[at] ?? "";
      if (denies !== undefined) {
        tokens.push({ kind: "denies_before", key: denies, word: denies });
        at += denies.length;
      } else if (entry !== undefined) {
        tokens.push({ kind: "word", key: entry.text, word: entry.text, entry: entry.found });
        at += entry.text.length;
      } else if (number !== undefined) {
        tokens.push(figure(String(number.value), number.text));
        at += number.text.length;
      } else {
        const katakana = /^[\p{Script=Katakana}ー]+/u.exec(run.slice(at, at + 20))?.[0];
        if (katakana !== undefined && katakana.length > 1) {
          tokens.push({ kind: "word", key: katakana, word: katakana, isName: true });
          at += katakana.length;
          continue;
        }
        if (!hasKana && vocabulary.deniesAfter.includes(letter)) {
          tokens.push({ kind: "denies_after", key: letter, word: letter });
        } else if (adversative.has(letter)) {
          tokens.push({ kind: "break", key: "", word: letter });
        } else if (/\p{Script=Han}/u.test(letter) && !vocabulary.smallLetters.includes(letter)) {
          tokens.push({ kind: "word", key: letter, word: letter });
        }
        at += 1;
      }
    }
  }
  return tokens;
}

function longestAt<T>(run: string, at: number, longest: number, find: (text: string) => T | undefined): T | undefined {
  for (let length = Math.min(longest, run.length - at); length > 0; length--) {
    const found = find(run.slice(at, at + length));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** A number in letters, such as 四万 or 三十; single ones only where something is counted: they stand in too many words. */
function numberAt(run: string, at: number): { readonly text: string; readonly value: number } | undefined {
  let value = 0;
  let part = 0;
  let digit = 0;
  let end = at;
  for (; end < run.length; end++) {
    const letter = run[end] ?? "";
    const known = letter === "两" ? 2 : digits.indexOf(letter);
    const power = powers.get(letter);
    const large = largePowers.get(letter);
    if (known >= 0) digit = known;
    else if (power !== undefined) {
      part += (digit === 0 ? 1 : digit) * power;
      digit = 0;
    } else if (large !== undefined) {
      value += (part + digit) * large;
      part = 0;
      digit = 0;
    } else break;
  }
  const text = run.slice(at, end);
  if (text === "") return undefined;
  const isCounted = text.length > 1 || counters.includes(run[end] ?? "-");
  return isCounted ? { text, value: value + part + digit } : undefined;
}

const counters = "月日年人名个個欧元円圆割成倍周週天点點号號期";
