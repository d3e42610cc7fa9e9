/** Words of Japanese and Chinese, which are written without spaces: read from left to right, the longest known word first. */
import { lexicon, weekday } from "./lexicon.js";
import { adversative, figure, type Token } from "./token.js";
import * as vocabulary from "./vocabulary.js";

const digits = "〇一二三四五六七八九";
const powers: ReadonlyMap<string, number> = new Map([
  ["十", 10],
  ["百", 100],
  ["千", 1_000],
]);
/** What belongs to the number before it: 4万. */
export const largePowers: ReadonlyMap<string, number> = new Map([
  ["万", 10_000],
  ["億", 100_000_000],
  ["亿", 100_000_000],
]);
const longestEntry = 4;
const longestIdiom = 10;

/** Reads a run of letters without spaces: words of the vocabulary, the longest first; numbers; single letters otherwise. */
export function unspacedTokens(run: string, hasKana: boolean): Token[] {
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
