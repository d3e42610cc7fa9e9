import type { Detector, Finding, Scanner, Subject, TextWindow } from "./detector.js";
import { normalise } from "./normalise.js";
import { buildPhraseAutomaton, nextNode, type PhraseNode } from "./phrase-automaton.js";

/** How phrases are compared. */
export interface PhraseOptions {
  /** Upper and lower case differ. Otherwise case is folded, with ß as ss. */
  caseSensitive: boolean;
  /** A phrase counts only where no letter, digit, mark or underscore touches it. */
  wholeWords: boolean;
}

const WHITE_SPACE = /\s+/g;
const WORD = /[\p{L}\p{N}\p{M}_]/u;
const MARK = /\p{M}/u;
/** Up to so many phrases, looking for the longest word of each is quicker than a scan. */
const MAX_ANCHORS = 24;

/** The form in which a phrase and a text are compared; empty when nothing of the phrase can be seen. */
export function foldPhrase(phrase: string, caseSensitive: boolean): string {
  const collapsed = normalise(phrase).replace(WHITE_SPACE, " ").trim();
  return Array.from(collapsed, (character) => foldCharacter(character, caseSensitive)).join("");
}

/** Case is folded through upper case (ß, final sigma); decomposing makes é and e with an accent the same. */
function foldCharacter(character: string, caseSensitive: boolean): string {
  const folded = caseSensitive ? character : character.toUpperCase().toLowerCase();
  return folded.normalize("NFD");
}

/** A detector for phrases; white space in them stands for any run of white space. */
export function phraseDetector(phrases: readonly string[], options: PhraseOptions): Detector {
  const folded = [...new Set(phrases.map((phrase) => foldPhrase(phrase, options.caseSensitive)))].filter(Boolean);
  const root = buildPhraseAutomaton(folded);
  const longest = folded.reduce((length, phrase) => Math.max(length, phrase.length), 0);
  const anchors = anchorsOf(folded);
  return {
    reads: "normal",
    mayMatch: (subject) => anchors === undefined || containsAnchor(subject, anchors),
    open: () => new PhraseScanner(root, longest, options),
  };
}

/** The longest word of each phrase in lower case, if all are ASCII and there are few enough to look for one by one. */
function anchorsOf(folded: readonly string[]): string[] | undefined {
  if (folded.length > MAX_ANCHORS || folded.some((phrase) => !isAscii(phrase))) return undefined;
  return folded.map((phrase) => {
    const words = phrase.toLowerCase().split(" ");
    return words.reduce((longest, word) => (word.length > longest.length ? word : longest), "");
  });
}

function containsAnchor({ normal, lower }: Subject, anchors: readonly string[]): boolean {
  // In other scripts folding may change a text in ways that lower case does not.
  return anchors.some((anchor) => lower.includes(anchor)) || !isAscii(normal);
}

const ASCII = /^[\0-\x7f]*$/;
const isAscii = (text: string) => ASCII.test(text);

/** A phrase that has been read to its end, at `end`, and waits for the character after it. */
interface Completed {
  node: PhraseNode;
  end: number;
}

class PhraseScanner implements Scanner {
  readonly overloaded = false;
  private readonly root: PhraseNode;
  private readonly options: PhraseOptions;
  /** For the last folded units, at the unit's number modulo their length: where its character starts, what is before it. */
  private readonly offsets: Int32Array;
  private readonly afterWord: Uint8Array;
  private node: PhraseNode;
  private units = 0;
  private cursor = 0;
  private lastIsWord = false;
  private lastIsSpace = false;
  private completed: Completed | undefined;
  private found: Finding[] = [];

  constructor(root: PhraseNode, longest: number, options: PhraseOptions) {
    this.root = root;
    this.node = root;
    this.options = options;
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

  take(): Finding[] {
    const found = this.found;
    if (found.length > 0) this.found = [];
    return found;
  }

  private readAscii(code: number): void {
    const isSpace = code === 32 || (code >= 9 && code <= 13);
    if (isSpace) {
      this.readSpace();
      return;
    }
    const isUpper = code >= 65 && code <= 90;
    const isWord = isUpper || (code >= 97 && code <= 122) || (code >= 48 && code <= 57) || code === 95;
    this.decide(isWord, false);
    this.step(isUpper && !this.options.caseSensitive ? code + 32 : code);
    this.lastIsWord = isWord;
    this.lastIsSpace = false;
    this.complete(this.cursor + 1);
  }

  private readSpace(): void {
    this.decide(false, false);
    // A run of white space is one space.
    if (!this.lastIsSpace) this.step(32);
    this.lastIsWord = false;
    this.lastIsSpace = true;
  }

  private readOther(character: string): void {
    const isWord = WORD.test(character);
    this.decide(isWord, isWord && MARK.test(character));
    for (const unit of foldCharacter(character, this.options.caseSensitive).split("")) this.step(unit.charCodeAt(0));
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
    if (nextIsMark || (this.options.wholeWords && nextIsWord)) return;
    // The longest that counts covers the shorter ones, which end at the same place.
    for (let phrase: PhraseNode | undefined = node; phrase !== undefined; phrase = phrase.shorter) {
      const afterWord = this.afterWord[(this.units - phrase.depth) % this.afterWord.length] === 1;
      if (this.options.wholeWords && afterWord) continue;
      this.found.push({ start: this.startOf(phrase), end });
      return;
    }
  }

  /** Where the text read at a node, up to the last unit, has started. */
  private startOf(node: PhraseNode): number {
    return this.offsets[(this.units - node.depth) % this.offsets.length] ?? 0;
  }
}
