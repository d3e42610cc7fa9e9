/**
 * Forms of a word beyond English, where no stemmer is at hand: words that begin alike and share most of their letter triples
 * ("Rechnung" and "Rechnungen", "книга" and "книги"). They are looked for among the words that a memory has, so nothing more
 * than words has to be stored.
 */
import { plainWords } from "./tokenizer.js";

/** Words that only English has among the languages that share its letters, and words that only others have. */
const englishWords = new Set(
  "the and what when where who whom whose which how why did does have has had are were this that these those with from about".split(
    " ",
  ),
);
const otherWords = new Set(
  `der das ist und wo wann wie mein meine meinen nicht ich wir haben hat welche wer
   le les est quand mon mes je nous qui quel quelle avec dans une
   el los las donde cuando mi mis que quien cual con una esta
   il dove quando mio mia chi quale che gli della
   onde meu minha quem qual com uma meus
   het een waar wanneer mijn ik welke wie met
   gdzie kiedy jest moja moje kto ktory jaki
   var nar min mitt jag hvor nar hvem mijn ile nerede benim hangi ne zaman`.split(/\s+/),
);

/** Whether a text is written in another language than English, as far as its letters and small words tell. */
export function isBeyondEnglish(text: string): boolean {
  const words = plainWords(text);
  if (words.some((word) => englishWords.has(word))) return false;
  return words.some((word) => otherWords.has(word) || /[^\p{ASCII}]/u.test(word));
}

/** Shortest word whose forms are looked for, in letters. */
const leastLetters = 4;
/** Letters that forms of a word begin with. */
const commonBeginning = 4;
/** Share of common triples (Dice) from which two words are forms of one. */
const leastAlike = 0.55;

const arabicArticle = /^(?:وال|بال|كال|فال|لل|ال)(?=\p{L}{3})/u;

function base(term: string): string {
  return term.replace(arabicArticle, "");
}

/** What the forms of a term begin with; none for numbers, short words and scripts that are cut into pairs. */
export function beginningsOf(term: string): string[] {
  const word = base(term);
  if (word.length < leastLetters || !/^[\p{L}\p{M}]+$/u.test(word)) return [];
  const beginning = word.slice(0, Math.min(commonBeginning, word.length - 1));
  return /\p{Script=Arabic}/u.test(word) ? [beginning, `ال${beginning}`] : [beginning];
}

/** How much of their letter triples two terms share: 0–1, and 0 below what makes them forms of one word. */
export function formLikeness(one: string, other: string): number {
  const [first, second] = [triples(base(one)), triples(base(other))];
  let shared = 0;
  for (const triple of first) if (second.has(triple)) shared += 1;
  const alike = (2 * shared) / (first.size + second.size);
  return alike >= leastAlike ? alike : 0;
}

function triples(word: string): ReadonlySet<string> {
  const letters = `_${word}`;
  return new Set(Array.from({ length: Math.max(1, letters.length - 2) }, (_, at) => letters.slice(at, at + 3)));
}
