/**
 * Texts for a schema's `pattern`: whether one matches (in linear time, since patterns come from tenants), and one that does, for
 * the plain part of the syntax: literals, classes, groups, alternatives, repetitions.
 */
import { RE2JS } from "re2js";

/** A check for the pattern; undefined if it uses what can't be checked in linear time. */
export function patternCheck(pattern: string): ((text: string) => boolean) | undefined {
  try {
    const compiled = RE2JS.compile(RE2JS.translateRegExp(pattern));
    return (text) => compiled.matcher(text).find();
  } catch {
    return undefined;
  }
}

/**
 * A text that matches the whole pattern, or undefined if the pattern isn't plain.
 * @param extra how many more repetitions than necessary, where more are allowed
 * @param variant which of a class's characters is taken
 */
export function patternSample(pattern: string, extra: number, variant: number): string | undefined {
  try {
    const reader = new PatternReader(pattern, extra, variant);
    const text = reader.alternatives();
    return reader.atEnd ? text : undefined;
  } catch (error) {
    if (error instanceof NotPlain) return undefined;
    throw error;
  }
}

class NotPlain extends Error {}

const ALPHABET = [
  ..."abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-_ .:/@,;!#$%&'()*+<=>?[]^`{|}~\"\\",
];
const CLASSES: Readonly<Record<string, RegExp>> = {
  d: /\d/,
  D: /\D/,
  w: /\w/,
  W: /\W/,
  s: /\s/,
  S: /\S/,
};
const MOST_REPETITIONS = 1_000;
const DEEPEST_GROUP = 20;

class PatternReader {
  private at = 0;
  private depth = 0;
  private length = 0;

  constructor(
    private readonly pattern: string,
    private readonly extra: number,
    private readonly variant: number,
  ) {}

  get atEnd(): boolean {
    return this.at >= this.pattern.length;
  }

  /** Reads up to the end of the group, and writes the first alternative. */
  alternatives(): string {
    const first = this.sequence();
    while (this.take("|")) this.sequence();
    return first;
  }

  private sequence(): string {
    let text = "";
    while (!this.atEnd && this.peek() !== "|" && this.peek() !== ")") text += this.repeated();
    return text;
  }

  private repeated(): string {
    const atom = this.atom();
    const [least, most] = this.quantifier();
    const count = Math.min(most, least + this.extra, Math.max(least, MOST_REPETITIONS));
    this.length += atom.length * count;
    if (count > MOST_REPETITIONS || this.length > 20_000) throw new NotPlain();
    return atom.repeat(count);
  }

  private atom(): string {
    const character = this.next();
    switch (character) {
      case "^":
      case "$":
        return "";
      case ".":
        return this.pick(() => true);
      case "[":
        return this.characterClass();
      case "(":
        return this.group();
      case "\\":
        return this.escaped();
      case "*":
      case "+":
      case "?":
      case ")":
        throw new NotPlain();
      default:
        return character;
    }
  }

  private group(): string {
    this.depth += 1;
    if (this.depth > DEEPEST_GROUP) throw new NotPlain();
    if (this.take("?") && !this.take(":")) {
      const name = /^<[A-Za-z_]\w*>/.exec(this.pattern.slice(this.at))?.[0];
      // Look-around is beyond us.
      if (name === undefined) throw new NotPlain();
      this.at += name.length;
    }
    const text = this.alternatives();
    if (!this.take(")")) throw new NotPlain();
    this.depth -= 1;
    return text;
  }

  private escaped(): string {
    const character = this.next();
    const known = CLASSES[character];
    if (known !== undefined) return this.pick((candidate) => known.test(candidate));
    if (/[a-zA-Z0-9]/.test(character)) throw new NotPlain();
    return character;
  }

  private characterClass(): string {
    const negated = this.take("^");
    const parts: ((candidate: string) => boolean)[] = [];
    while (!this.take("]")) {
      const low = this.classCharacter();
      if (typeof low === "string" && this.peek() === "-" && this.pattern[this.at + 1] !== "]") {
        this.next();
        const high = this.classCharacter();
        if (typeof high !== "string") throw new NotPlain();
        parts.push((candidate) => candidate >= low && candidate <= high);
      } else {
        parts.push(typeof low === "string" ? (candidate) => candidate === low : (candidate) => low.test(candidate));
      }
    }
    return this.pick((candidate) => parts.some((part) => part(candidate)) !== negated);
  }

  private classCharacter(): string | RegExp {
    const character = this.next();
    if (character !== "\\") return character;
    const escaped = this.next();
    const known = CLASSES[escaped];
    if (known === undefined && /[a-zA-Z0-9]/.test(escaped)) throw new NotPlain();
    return known ?? escaped;
  }

  private quantifier(): [number, number] {
    const range = this.range();
    // A lazy repetition matches the same texts.
    if (range !== undefined) this.take("?");
    return range ?? [1, 1];
  }

  private range(): [number, number] | undefined {
    if (this.take("*")) return [0, Number.POSITIVE_INFINITY];
    if (this.take("+")) return [1, Number.POSITIVE_INFINITY];
    if (this.take("?")) return [0, 1];
    const braces = /^\{(\d+)(,?)(\d*)\}/.exec(this.pattern.slice(this.at, this.at + 30));
    if (braces === null) return undefined;
    this.at += braces[0].length;
    const least = Number(braces[1]);
    const most = braces[3] ? Number(braces[3]) : braces[2] ? Number.POSITIVE_INFINITY : least;
    return [least, most];
  }

  private pick(allowed: (candidate: string) => boolean): string {
    const candidates = ALPHABET.filter(allowed);
    const character = candidates[this.variant % Math.max(1, candidates.length)];
    if (character === undefined) throw new NotPlain();
    return character;
  }

  private peek(): string | undefined {
    return this.pattern[this.at];
  }

  private next(): string {
    const character = this.pattern[this.at];
    if (character === undefined) throw new NotPlain();
    this.at += 1;
    return character;
  }

  private take(character: string): boolean {
    if (this.peek() !== character) return false;
    this.at += 1;
    return true;
  }
}
