import { type Detector, Scanner, type Subject, type TextWindow } from "./detector.js";
import { characterFolder, type FoldedCharacter, type Folding, foldPhraseFor } from "./folding.js";
import { normalise } from "./normalise.js";
import { buildPhraseAutomaton, nextNode, type PhraseNode } from "./phrase-automaton.js";

/**
 * Phrases, looked for in linear time. A phrase is found however it is written: normalised (normalise.ts), without its
 * accents, and with any punctuation between its words.
 */

/** How phrases are compared. */
export interface PhraseOptions {
  /** Upper and lower case differ. Otherwise case is folded, with ß as ss. */
  caseSensitive: boolean;
  /** A phrase counts only where no letter, digit, mark or underscore touches it. */
  wholeWords: boolean;
  /** Accents and the punctuation between words have to be those of the phrase. */
  literal: boolean;
}

/** After these white space begins a new sentence, which no phrase reaches into. */
const sentenceEnd = /[.!?;:…。！？।؟]/u;
/** Up to so many phrases, looking for the longest word of each is quicker than a scan. */
const maxAnchors = 24;

/** Detectors for phrases; white space in them stands for any run of white space. */
export function phraseDetectors(phrases: readonly string[], options: PhraseOptions): Detector[] {
  const { caseSensitive, wholeWords, literal } = options;
  const asWritten = detectorOf(phrases, { caseSensitive, accents: !literal, punctuation: false }, wholeWords);
  // Punctuation of a phrase may matter ("C++", ".net"), so only what stands between its words is folded.
  const ofWords = phrases.filter((phrase) => /[\p{L}\p{N}][\s\p{P}\p{S}]+[\p{L}\p{N}]/u.test(normalise(phrase)));
  if (literal || ofWords.length === 0) return [asWritten];
  return [asWritten, detectorOf(ofWords, { caseSensitive, accents: true, punctuation: true }, wholeWords)];
}

function detectorOf(phrases: readonly string[], folding: Folding, wholeWords: boolean): Detector {
  const folded = [...new Set(phrases.map((phrase) => foldPhraseFor(phrase, folding)))].filter(Boolean);
  const root = buildPhraseAutomaton(folded);
  const longest = folded.reduce((length, phrase) => Math.max(length, phrase.length), 0);
  const anchors = anchorsOf(folded);
  const fold = characterFolder(folding);
  return {
    reads: "normal",
    mayMatch: (subject) => anchors === undefined || containsAnchor(subject, anchors),
    open: () => new PhraseScanner(root, longest, folding, fold, wholeWords),
  };
}

/** The longest word of each phrase in lower case, if all are ASCII and there are few enough to look for one by one. */
function anchorsOf(folded: readonly string[]): string[] | undefined {
  if (folded.length > maxAnchors || folded.some((phrase) => !isAscii(phrase))) return undefined;
  return folded.map((phrase) => {
    const words = phrase.toLowerCase().split(" ");
    return words.reduce((longest, word) => (word.length > longest.length ? word : longest), "");
  });
}

function containsAnchor({ normal, lower }: Subject, anchors: readonly string[]): boolean {
  return anchors.some((anchor) => lower.includes(anchor)) || (!isAscii(normal) && foldsToAscii.test(normal));
}

/** What folding may make ASCII in ways that lower case does not, or take away: other Latin letters, accents, and signs with a stroke. */
const foldsToAscii = /(?![\0-\x7f])[\p{Script=Latin}\p{M}\u2260\u226e\u226f]/u;
const asciiOnly = /^[\0-\x7f]*$/;
const isAscii = (text: string) => asciiOnly.test(text);

function isAsciiAlphanumeric(code: number): boolean {
  return (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122);
}

/** A phrase that has been read to its end, at `end`, and waits for the character after it. */
interface Completed {
  node: PhraseNode;
  end: number;
}

class PhraseScanner extends Scanner {
  /** For the last folded units, at the unit's number modulo their length: where its character starts, what is before it. */
  private readonly offsets: Int32Array;
  private readonly afterWord: Uint8Array;
  private node: PhraseNode;
  private units = 0;
  private cursor = 0;
  private lastIsWord = false;
  private lastIsSpace = false;
  /** The punctuation read last may end a sentence. */
  private mayEndSentence = false;
  private completed: Completed | undefined;

  constructor(
    private readonly root: PhraseNode,
    longest: number,
    private readonly folding: Folding,
    private readonly fold: (character: string) => FoldedCharacter,
    private readonly wholeWords: boolean,
  ) {
    super();
    this.node = root;
    this.offsets = new Int32Array(longest + 1);
    this.afterWord = new Uint8Array(longest + 1);
  }

  get hold(): number {
    return this.node.depth === 0 ? this.cursor : this.startOf(this.node);
  }

  feed(chunk: string, window: TextWindow): void {
    const base = window.end - chunk.length;
    while (this.cursor < window.end) {
      const code = chunk.charCodeAt(this.cursor - base);
      if (code < 128) {
        this.readAscii(code);
        this.cursor += 1;
      } else {
        const character = String.fromCodePoint(chunk.codePointAt(this.cursor - base) ?? code);
        this.readOther(character);
        this.cursor += character.length;
      }
    }
  }

  finish(): void {
    this.decide(false, false);
    this.node = this.root;
  }

  private readAscii(code: number): void {
    const isSpace = code === 32 || (code >= 9 && code <= 13);
    if (isSpace) {
      this.readSpace(true);
      return;
    }
    if (this.folding.punctuation && !isAsciiAlphanumeric(code)) {
      this.readPunctuation(String.fromCharCode(code));
      return;
    }
    const isUpper = code >= 65 && code <= 90;
    const isWord = isUpper || (code >= 97 && code <= 122) || (code >= 48 && code <= 57) || code === 95;
    this.decide(isWord, false);
    this.step(isUpper && !this.folding.caseSensitive ? code + 32 : code);
    this.lastIsWord = isWord;
    this.lastIsSpace = false;
    this.complete(this.cursor + 1);
  }

  private readPunctuation(character: string): void {
    this.readSpace(false);
    this.mayEndSentence = sentenceEnd.test(character);
  }

  private readSpace(isWhite: boolean): void {
    this.decide(false, false);
    // A run of white space is one space, but for one that begins a new sentence: nothing goes on with that.
    if (this.folding.punctuation && isWhite && this.mayEndSentence) this.step(0);
    else if (!this.lastIsSpace) this.step(32);
    this.mayEndSentence = false;
    this.lastIsWord = false;
    this.lastIsSpace = true;
  }

  private readOther(character: string): void {
    const { folded, isWord, isMark, isPunctuation } = this.fold(character);
    if (folded === "") {
      // An accent that stands for itself belongs to the letter before it.
      if (this.completed !== undefined) this.completed.end = this.cursor + character.length;
      return;
    }
    if (isPunctuation) {
      this.readPunctuation(character);
      return;
    }
    this.decide(isWord, isMark);
    for (let unit = 0; unit < folded.length; unit++) this.step(folded.charCodeAt(unit));
    this.lastIsWord = isWord;
    this.lastIsSpace = false;
    this.complete(this.cursor + character.length);
  }

  private step(unit: number): void {
    this.node = nextNode(this.node, unit);
    const slot = this.units % this.offsets.length;
    this.offsets[slot] = this.cursor;
    this.afterWord[slot] = this.lastIsWord ? 1 : 0;
    this.units += 1;
  }

  private complete(end: number): void {
    const node = this.node.isPhrase ? this.node : this.node.shorter;
    if (node !== undefined) this.completed = { node, end };
  }

  /** With the next character known, a completed phrase counts or does not. A mark makes its last letter another one. */
  private decide(nextIsWord: boolean, nextIsMark: boolean): void {
    if (this.completed === undefined) return;
    const { node, end } = this.completed;
    this.completed = undefined;
    if (nextIsMark || (this.wholeWords && nextIsWord)) return;
    // The longest that counts covers the shorter ones, which end at the same place.
    for (let phrase: PhraseNode | undefined = node; phrase !== undefined; phrase = phrase.shorter) {
      const afterWord = this.afterWord[(this.units - phrase.depth) % this.afterWord.length] === 1;
      if (this.wholeWords && afterWord) continue;
      this.found.push({ start: this.startOf(phrase), end });
      return;
    }
  }

  /** Where the text read at a node, up to the last unit, has started. */
  private startOf(node: PhraseNode): number {
    return this.offsets[(this.units - node.depth) % this.offsets.length] ?? 0;
  }
}
