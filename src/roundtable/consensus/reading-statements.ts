/**
 * Reads a statement for comparing it with others: what it is about, what it denies, its figures and dates, the names in it. It knows the
 * words of ten languages (`vocabulary.ts`); of any other language it knows terms, figures and names in capitals.
 * @example readStatement("ben", "We shouldn't migrate in May.").signs.get("migra") // -1
 */
import { lazily } from "../../text/lazily.js";
import { fold, wordTerm } from "../../text/tokenizer.js";
import { stopWords } from "../../text/vocabulary.js";
import * as vocabulary from "./vocabulary.js";

export interface Statement {
  /** Whose it is. */
  readonly seat: string;
  readonly text: string;
  /** What it is about: words cut to their beginnings, figures, and `@` with a number for words that have an opposite. */
  readonly terms: ReadonlySet<string>;
  /** The same in order, with repetitions. */
  readonly sequence: readonly string[];
  /** Which of its terms it affirms (1) or denies (-1); of words that have an opposite, which side it takes. */
  readonly signs: ReadonlyMap<string, Sign>;
  /** Which side of an opposite its words are on, denied or not. */
  readonly sides: ReadonlyMap<string, Sign>;
  /** Numbers, months and days of the week. */
  readonly figures: readonly string[];
  /** Words with a capital that seem to be names. */
  readonly names: ReadonlySet<string>;
  /** The word that each term stands for. */
  readonly words: ReadonlyMap<string, string>;
}
/** 0: both. */
export type Sign = 1 | -1 | 0;

/** What a word of the vocabulary stands for: approval or a concept, and which side of it. */
interface Entry {
  readonly concept: string;
  readonly side: 1 | -1;
  /** It says nothing of what a statement is about. */
  readonly isLight: boolean;
}

interface Token {
  readonly kind: "word" | "figure" | "denies_after" | "denies_before" | "break";
  readonly key: string;
  readonly word: string;
  readonly entry?: Entry | undefined;
  readonly isName?: boolean;
}

/** Words that are read of one statement: what is longer is no sentence. */
const mostTokens = 150;
const approvalConcept = "approval";

const lexicon = lazily(() => {
  const whole = new Map<string, Entry>();
  const beginnings = new Map<string, Entry>();
  const add = (words: string, concept: string, side: Entry["side"], isLight = false): void => {
    for (const word of listed(words)) {
      const map = word.endsWith("-") ? beginnings : whole;
      const key = word.endsWith("-") ? word.slice(0, -1) : word;
      if (!map.has(key)) map.set(key, { concept, side, isLight });
    }
  };
  const [affirms = "", denies = ""] = vocabulary.approval.trim().split("\n");
  add(affirms, approvalConcept, 1);
  add(denies, approvalConcept, -1);
  for (const [at, line] of vocabulary.opposites.trim().split("\n").entries()) {
    const isLight = line.startsWith("~ ");
    const [one = "", other = ""] = (isLight ? line.slice(2) : line).split(" / ");
    add(one, `@${at}`, 1, isLight);
    add(other, `@${at}`, -1, isLight);
  }
  const lines = (text: string) => text.trim().split("\n");
  const figures = new Map<string, string>();
  const figureBeginnings = new Map<string, string>();
  const addFigure = (words: readonly string[], figure: string): void => {
    for (const word of words) {
      if (word.endsWith("-")) figureBeginnings.set(word.slice(0, -1), figure);
      else figures.set(word, figure);
    }
  };
  for (const line of lines(vocabulary.numberWords)) addFigure(listed(line).slice(1), listed(line)[0] ?? "");
  for (const [at, line] of lines(vocabulary.months).entries()) addFigure(listed(line), String(at + 1));
  for (const [at, line] of lines(vocabulary.weekdays).entries()) addFigure(listed(line), weekday(at + 1));
  const multipliers = new Map(
    lines(vocabulary.multipliers).flatMap((line) => {
      const [factor, ...words] = listed(line);
      return words.map((word): [string, number] => [word, Number(factor)]);
    }),
  );
  return {
    ...{ whole, beginnings, figures, figureBeginnings, multipliers },
    negations: new Set(listed(vocabulary.negations)),
    small: new Set([...listed(vocabulary.smallWords), ...stopWords]),
    noDenials: new Set(vocabulary.noDenials),
  };
});

function listed(words: string): string[] {
  return words.split(/\s/).filter((word) => word !== "");
}

function weekday(number: number): string {
  return `day ${number}`;
}

const adversative: ReadonlySet<string> = new Set(
  "but aber sondern mais pero sino ma però mas maar lecz ale 但 而".split(" "),
);
/** A run of a script without spaces between its words. */
const unspacedRun = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー々]+/gu;
const tokenPattern = /\p{N}+(?:[.,:/-]\p{N}+)*|[\p{L}\p{M}]+|[.,;:!?、，；：。！？]/gu;

export function readStatement(seat: string, text: string): Statement {
  const tokens = tokensOf(text.normalize("NFKC")).slice(0, mostTokens);
  const denied = deniedTokens(tokens);
  const approves = approvalOf(tokens, denied);
  const signs = new Map<string, Sign>();
  const sides = new Map<string, Sign>();
  const content = tokens.filter((token) => isContent(token) && !isApproval(token));
  for (const token of content) {
    if (token.kind === "figure") continue;
    const key = token.entry?.concept ?? token.key;
    const side = token.entry?.side ?? 1;
    note(sides, key, side);
    note(signs, key, product(side, product(denied.has(token) ? -1 : 1, approves)));
  }
  const about = content.filter(({ entry }) => entry?.isLight !== true);
  const sequence = about.map(({ entry, key }) => entry?.concept ?? key);
  return {
    seat,
    text,
    terms: new Set(sequence),
    sequence,
    signs,
    sides,
    figures: about.flatMap(({ kind, key }) => (kind === "figure" ? [key] : [])),
    names: new Set(about.flatMap(({ isName, key }) => (isName === true ? [key] : []))),
    words: new Map(about.map(({ key, word }) => [key, word])),
  };
}

function note(signs: Map<string, Sign>, key: string, sign: 1 | -1): void {
  const known = signs.get(key);
  signs.set(key, known === undefined || known === sign ? sign : 0);
}

function product(one: 1 | -1, other: 1 | -1): 1 | -1 {
  return one === other ? 1 : -1;
}

function isContent({ kind }: Token): boolean {
  return kind === "word" || kind === "figure";
}

function isApproval({ entry }: Token): boolean {
  return entry?.concept === approvalConcept;
}

/** What is denied: in each clause what follows the first word that denies, or where nothing does what stands before it. */
function deniedTokens(tokens: readonly Token[]): ReadonlySet<Token> {
  const denied = new Set<Token>();
  let isNextDenied = false;
  for (const clause of clausesOf(tokens)) {
    const scope: Token[] = isNextDenied ? clause.filter(isContent) : [];
    isNextDenied = false;
    const first = clause.findIndex(({ kind }) => kind === "denies_after");
    const last = clause.findLastIndex(({ kind }) => kind === "denies_before");
    if (first >= 0) {
      const after = clause.slice(first + 1).filter(isContent);
      const around = after.length > 0 ? after : clause.filter(isContent);
      isNextDenied = around.length === 0;
      scope.push(...around);
    }
    if (last >= 0) scope.push(...clause.slice(0, last).filter(isContent));
    // "Not a mistake" denies the mistake, and nothing else.
    const approvals = scope.filter(isApproval);
    for (const token of approvals.length > 0 ? approvals : scope) denied.add(token);
  }
  return denied;
}

function clausesOf(tokens: readonly Token[]): Token[][] {
  const clauses: Token[][] = [[]];
  for (const token of tokens) {
    if (token.kind === "break") clauses.push([]);
    else clauses.at(-1)?.push(token);
  }
  return clauses;
}

/** Whether the whole of it is affirmed: "a mistake" and "not right" turn it round, "not a mistake" doesn't. */
function approvalOf(tokens: readonly Token[], denied: ReadonlySet<Token>): 1 | -1 {
  let approves: 1 | -1 = 1;
  for (const token of tokens) {
    if (!isApproval(token)) continue;
    const isAgainst = (token.entry?.side === -1) !== denied.has(token);
    if (isAgainst) approves = approves === 1 ? -1 : 1;
  }
  return approves;
}

function tokensOf(text: string): Token[] {
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

function figure(key: string, word: string): Token {
  return { kind: "figure", key, word };
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
  const { negations, small, figures, figureBeginnings } = lexicon();
  const word = written.toLowerCase();
  // Of "don't" and "isn't" the apostrophe ends a word: what is left of the second part says that it is denied.
  if (word === "t" && before.toLowerCase().endsWith("n")) return [{ kind: "denies_after", key: "not", word }];
  if (word === "n") return [{ kind: "denies_after", key: "ne", word }];
  if (/^(?:do|does|did|is|are|was|were|has|have|had|ca|could|wo|would|should|must|need)n$/.test(word)) return [];
  if (adversative.has(word)) return [{ kind: "break", key: "", word }];
  if (negations.has(word)) return [{ kind: "denies_after", key: word, word }];
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

/** A side of an opposite: as it stands, or turned round by its beginning ("unsafe", "insensato"). */
function entryOf(word: string): Entry | undefined {
  const { whole, beginnings } = lexicon();
  // Irregular forms of English have their base form in its term: "bought".
  return (
    whole.get(word) ?? longestBeginning(word, beginnings) ?? turned(word, whole, beginnings) ?? whole.get(wordTerm(word))
  );
}

const turningBeginnings = ["un", "in", "im", "non", "dis", "des", "nie", "on"] as const;

function turned(
  word: string,
  whole: ReadonlyMap<string, Entry>,
  beginnings: ReadonlyMap<string, Entry>,
): Entry | undefined {
  for (const beginning of turningBeginnings) {
    if (!word.startsWith(beginning) || word.length < beginning.length + 4) continue;
    const rest = word.slice(beginning.length);
    const entry = whole.get(rest) ?? longestBeginning(rest, beginnings);
    if (entry !== undefined) return { ...entry, side: entry.side === 1 ? -1 : 1 };
  }
  return undefined;
}

function longestBeginning<T>(word: string, beginnings: ReadonlyMap<string, T>): T | undefined {
  for (let length = Math.min(word.length, 14); length >= 3; length--) {
    const found = beginnings.get(word.slice(0, length));
    if (found !== undefined) return found;
  }
  return undefined;
}

const vowels: ReadonlySet<string> = new Set("aeiouy");
const beginningLength = 5;

/** What the forms of a word share, whatever its language: "verlegen" and "Verlegung", "migrar" and "migración". */
function beginningOf(word: string): string {
  const term = fold(wordTerm(word));
  let end = term.length;
  while (end > 3 && vowels.has(term[end - 1] ?? "")) end -= 1;
  return term.slice(0, Math.min(end, beginningLength));
}

/** The word without a beginning that turns it round, cut like a term: "possi" of "impossible". */
export function withoutTurning(word: string): string[] {
  return turningBeginnings.flatMap((beginning) =>
    word.startsWith(beginning) && word.length >= beginning.length + 4 ? [beginningOf(word.slice(beginning.length))] : [],
  );
}

const digits = "〇一二三四五六七八九";
const powers: ReadonlyMap<string, number> = new Map([
  ["十", 10],
  ["百", 100],
  ["千", 1_000],
]);
const largePowers: ReadonlyMap<string, number> = new Map([
  ["万", 10_000],
  ["億", 100_000_000],
  ["亿", 100_000_000],
]);
const longestEntry = 4;
const longestIdiom = 10;

/** Reads a run of letters without spaces: words of the vocabulary, the longest first; numbers; single letters otherwise. */
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
      const day = isChinese ? "一二三四五六日".indexOf(letter === "天" ? "日" : letter) : "月火水木金土日".indexOf(letter);
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
