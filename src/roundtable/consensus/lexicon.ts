/** The vocabulary made ready for look-ups, once it is needed: which side a word takes, and what the forms of a word share. */
import { lazily } from "../../text/lazily.js";
import { fold, wordTerm } from "../../text/tokenizer.js";
import { stopWords } from "../../text/vocabulary.js";
import * as vocabulary from "./vocabulary.js";

/** What a word of the vocabulary stands for: approval or a concept, and which side of it. */
export interface Entry {
  readonly concept: string;
  readonly side: 1 | -1;
  /** It says nothing of what a statement is about. */
  readonly isLight: boolean;
}

/** The concept of what says yes or no to the whole of a statement. */
export const approvalConcept = "approval";

export const lexicon = lazily(() => {
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
    whole,
    beginnings,
    figures,
    figureBeginnings,
    multipliers,
    negations: new Set(listed(vocabulary.negations)),
    replacements: new Set(listed(vocabulary.replacements)),
    origins: new Set(listed(vocabulary.origins)),
    small: new Set([...listed(vocabulary.smallWords), ...stopWords]),
    noDenials: new Set(vocabulary.noDenials),
  };
});

function listed(words: string): string[] {
  return words.split(/\s/).filter((word) => word !== "");
}

/** As a figure; from Monday, 1, on. */
export function weekday(number: number): string {
  return `day ${number}`;
}

/** A side of an opposite: as it stands, or turned round by its beginning ("unsafe", "insensato"). */
export function entryOf(word: string): Entry | undefined {
  const { whole, beginnings } = lexicon();
  // Irregular forms of English have their base form in its term: "bought".
  return (
    whole.get(word) ??
    longestBeginning(word, beginnings) ??
    turned(word, whole, beginnings) ??
    whole.get(wordTerm(word))
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

export function longestBeginning<T>(word: string, beginnings: ReadonlyMap<string, T>): T | undefined {
  for (let length = Math.min(word.length, 14); length >= 3; length--) {
    const found = beginnings.get(word.slice(0, length));
    if (found !== undefined) return found;
  }
  return undefined;
}

const vowels: ReadonlySet<string> = new Set("aeiouy");
const beginningLength = 5;

/** What the forms of a word share, whatever its language: "verlegen" and "Verlegung", "migrar" and "migración". */
export function beginningOf(word: string): string {
  const term = fold(wordTerm(word));
  let end = term.length;
  while (end > 3 && vowels.has(term[end - 1] ?? "")) end -= 1;
  return term.slice(0, Math.min(end, beginningLength));
}

/** The word without a beginning that turns it round, cut like a term: "possi" of "impossible". */
export function withoutTurning(word: string): string[] {
  return turningBeginnings.flatMap((beginning) =>
    word.startsWith(beginning) && word.length >= beginning.length + 4
      ? [beginningOf(word.slice(beginning.length))]
      : [],
  );
}
