/** Finds national numbers of the forms in national-id-forms.ts. */
import { lazily } from "../../../text/lazily.js";
import { type Finding, leftContext } from "../detector.js";
import { isPartOfWord, leftOf, WordTable, wordsOf } from "./context.js";
import { letteredIdForms, type NationalIdForm, numericIdForms } from "./national-id-forms.js";
import { announcedBy } from "./phones.js";

const mask = "[national id]";

const compile = (row: NationalIdForm, form: RegExp) => ({
  ...row,
  form,
  announcing: row.words === undefined ? undefined : new WordTable(row.words),
});

/** A form counts where no digit, and no separator with a digit, goes before or after it. */
const complete = (form: string): string => String.raw`(?<!\d|\d[.\-\/])(?:${form})(?!\d|[.\-\/]\d)`;
const unionOf = (rows: readonly NationalIdForm[]): string => rows.map(({ form }) => form).join("|");
const numeric = lazily(() => ({
  ids: numericIdForms().map((row) => compile(row, new RegExp(complete(row.form), "g"))),
  /** Whether a run has any of the forms: most runs have none. */
  any: new RegExp(complete(unionOf(numericIdForms()))),
}));
const lettered = lazily(() => letteredIdForms().map((row) => compile(row, new RegExp(`^(?:${row.form})$`))));

/** Check digits fit one in ten of them. */
const noughtsAndOnes = /^[01\D]+$/;

const isAnnounced = (announcing: WordTable, left: string): boolean => announcing.endOfLast(wordsOf(left)) >= 0;

/**
 * National numbers in a complete run of digits and separators. `left` is the text before it. Where it announces a
 * telephone number, check digits that happen to fit in digits without separators don't count.
 */
export function findNumericIds(run: string, left: string): Finding[] {
  const found: Finding[] = [];
  if (!numeric().any.test(run)) return found;
  for (const { form, isValid, announcing } of numeric().ids) {
    for (const { 0: text, index } of run.matchAll(form)) {
      if (noughtsAndOnes.test(text) || !isValid(text)) continue;
      const inRun = run.slice(Math.max(0, index - leftContext), index);
      const before = index >= leftContext ? inRun : (left + inRun).slice(-leftContext);
      if (announcing !== undefined && !isAnnounced(announcing, before)) continue;
      if (announcing === undefined && /^\d+$/.test(text) && announcedBy(before) === "phone") continue;
      found.push({ start: index, end: index + text.length, mask });
    }
  }
  return found;
}

/** A candidate with letters, in whatever case: RE2 source too. */
export const letteredIdCandidate = lazily(() => String.raw`\b(?:${unionOf(letteredIdForms())})\b`);

export function findLetteredId(text: string, start: number, end: number): Finding[] {
  if (isPartOfWord(text.charAt(start - 1)) || isPartOfWord(text.charAt(end))) return [];
  const candidate = text.slice(start, end).toUpperCase();
  const plain = candidate.replace(/ /g, "");
  const compact = plain.replace(/^([XYZ]?)-?([\d.]+)-?([A-Z])$/, "$1$2$3");
  const isId = lettered().some(({ form, isValid, announcing }) => {
    if (!form.test(candidate)) return false;
    if (announcing !== undefined && !isAnnounced(announcing, leftOf(text, start))) return false;
    return [candidate, plain, compact].some(isValid);
  });
  return isId ? [{ start, end, mask }] : [];
}
