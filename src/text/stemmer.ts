/**
 * The Porter2 ("Snowball English") stemmer: https://snowballstem.org/algorithms/english/stemmer.html.
 * It joins the inflections of a word ("painted", "painting", "paints" → "paint") so that a question finds an
 * entry that says the same thing in another form. Its output is an index term, not a word to be shown.
 */

/** Words whose stem the rules would get wrong. */
const exceptions: ReadonlyMap<string, string> = new Map(
  suffixTable(
    "skis>ski skies>sky idly>idl gently>gentl ugly>ugli early>earli only>onli singly>singl sky>sky news>news howe>howe atlas>atlas cosmos>cosmos bias>bias andes>andes",
  ),
);

/** Words that step 1a leaves finished. */
const finishedAfter1a: ReadonlySet<string> = new Set(
  "inning outing canning herring earring proceed exceed succeed".split(" "),
);

const doubleLetter = /(?:bb|dd|ff|gg|mm|nn|pp|rr|tt)$/;
const vowel = /[aeiouy]/;
/** The start of a word that counts as a whole region, against over-stemming ("general" and "generous" differ). */
const r1Prefix = /^(?:gener|commun|arsen|past|univers|later|emerg|organ|inter)/;
const afterFirstSyllable = /[aeiouy][^aeiouy]/;

type Replacement = readonly [suffix: string, by: string];

/** Reads `ization>ize ational>ate`. */
function suffixTable(text: string): readonly Replacement[] {
  return text.split(" ").map((one) => {
    const [suffix = "", by = ""] = one.split(">");
    return [suffix, by];
  });
}

/** Step 2 and 3 replacements, longest suffix first. */
const step2Suffixes = suffixTable(
  "ization>ize ational>ate fulness>ful ousness>ous iveness>ive tional>tion biliti>ble lessli>less entli>ent ation>ate alism>al aliti>al ousli>ous iviti>ive fulli>ful ogist>og enci>ence anci>ance abli>able izer>ize ator>ate alli>al bli>ble",
);
const step3Suffixes = suffixTable("ational>ate tional>tion alize>al icate>ic iciti>ic ical>ic ness> ful>");
const step4Suffixes = "ement ance ence able ible ment ant ent ism ate iti ous ive ize al er ic".split(" ");

/** Index just after the first non-vowel that follows a vowel, from `start` on; the word's length if there is none. */
function regionAfter(word: string, start: number): number {
  const found = afterFirstSyllable.exec(word.slice(start));
  return found === null ? word.length : start + found.index + 2;
}

/** Whether the word ends in a short syllable (a lone vowel between consonants, at the end). */
function endsShort(word: string): boolean {
  return /[^aeiouy][aeiouy][^aeiouywxY]$/.test(word) || /^[aeiouy][^aeiouy]$/.test(word) || word === "past";
}

/** Removes plural and similar "s" endings. */
function step1a(word: string): string {
  if (word.endsWith("sses")) return word.slice(0, -2);
  if (word.endsWith("ied") || word.endsWith("ies")) return word.slice(0, word.length > 4 ? -2 : -1);
  if (word.endsWith("us") || word.endsWith("ss")) return word;
  if (word.endsWith("s") && vowel.test(word.slice(0, -2))) return word.slice(0, -1);
  return word;
}

/** Removes -ed and -ing, and repairs what is left. */
function step1b(word: string, r1: number): string {
  const eed = /(?:eedly|eed)$/.exec(word);
  if (eed !== null) return eed.index >= r1 ? `${word.slice(0, eed.index)}ee` : word;
  const suffix = /(?:ingly|edly|ing|ed)$/.exec(word);
  if (suffix === null) return word;
  let stem = word.slice(0, suffix.index);
  if (suffix[0] === "ing" && /^[^aeiouy]y$/.test(stem)) return `${stem.slice(0, -1)}ie`;
  if (!vowel.test(stem)) return word;
  if (/(?:at|bl|iz)$/.test(stem)) return `${stem}e`;
  if (doubleLetter.test(stem)) {
    // "add", "egg", "off" keep their double letter
    return /^[aeo]..$/.test(stem) ? stem : stem.slice(0, -1);
  }
  if (stem.length <= r1 && endsShort(stem)) stem = `${stem}e`;
  return stem;
}

/** Applies the first (longest) suffix of a table that the word ends in, if it lies in the region. */
function replaceSuffix(word: string, table: readonly Replacement[], region: number): string | undefined {
  for (const [suffix, replacement] of table) {
    if (!word.endsWith(suffix)) continue;
    const at = word.length - suffix.length;
    return at >= region ? word.slice(0, at) + replacement : word;
  }
  return undefined;
}

function step2(word: string, r1: number): string {
  const replaced = replaceSuffix(word, step2Suffixes, r1);
  if (replaced !== undefined) return replaced;
  if (word.endsWith("ogi")) return word.length - 3 >= r1 && word.at(-4) === "l" ? word.slice(0, -1) : word;
  if (word.endsWith("li") && word.length - 2 >= r1 && /[cdeghkmnrt]$/.test(word.slice(0, -2))) return word.slice(0, -2);
  return word;
}

function step3(word: string, r1: number, r2: number): string {
  const replaced = replaceSuffix(word, step3Suffixes, r1);
  if (replaced !== undefined) return replaced;
  return word.endsWith("ative") && word.length - 5 >= r2 ? word.slice(0, -5) : word;
}

function step4(word: string, r2: number): string {
  for (const suffix of step4Suffixes) {
    if (word.endsWith(suffix)) return word.length - suffix.length >= r2 ? word.slice(0, -suffix.length) : word;
  }
  if (/[st]ion$/.test(word) && word.length - 3 >= r2) return word.slice(0, -3);
  return word;
}

function step5(word: string, r1: number, r2: number): string {
  const at = word.length - 1;
  if (word.endsWith("e")) {
    return at >= r2 || (at >= r1 && !endsShort(word.slice(0, at))) ? word.slice(0, at) : word;
  }
  return word.endsWith("ll") && at >= r2 ? word.slice(0, at) : word;
}

/**
 * The Porter2 stem of one English word.
 * @param word a lower-case word of the letters a–z (apostrophes already taken off); anything else comes back as it is.
 */
export function stem(word: string): string {
  if (word.length <= 2 || !/^[a-z]+$/.test(word)) return word;
  const exception = exceptions.get(word);
  if (exception !== undefined) return exception;
  // a "y" that acts as a consonant is written "Y" while the rules run
  let current = word.replace(/^y/, "Y").replace(/([aeiouy])y/g, "$1Y");
  const prefix = r1Prefix.exec(current);
  const r1 = prefix === null ? regionAfter(current, 0) : prefix[0].length;
  const r2 = regionAfter(current, r1);
  current = step1a(current);
  if (finishedAfter1a.has(current)) return current;
  current = step1b(current, r1);
  if (/[^aeiouy][yY]$/.test(current) && current.length > 2) current = `${current.slice(0, -1)}i`;
  current = step2(current, r1);
  current = step3(current, r1, r2);
  current = step4(current, r2);
  current = step5(current, r1, r2);
  return current.toLowerCase();
}
