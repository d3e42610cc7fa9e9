/** Picks at random, the same for the same seed. */
import { randomFrom } from "../random.js";

export class Chance {
  private readonly random: () => number;

  constructor(seed: number) {
    this.random = randomFrom(seed);
    // The first numbers of neighbouring seeds are alike.
    for (let warmUp = 0; warmUp < 8; warmUp++) this.random();
  }

  /** A whole number from 0 to `n` − 1. */
  below(n: number): number {
    return Math.floor(this.random() * n);
  }

  between(least: number, most: number): number {
    return least + this.below(most - least + 1);
  }

  pick<T>(list: readonly T[]): T {
    const picked = list[this.below(list.length)];
    if (picked === undefined) throw new RangeError("there is nothing to pick from");
    return picked;
  }

  /** True so many times of a hundred. */
  percent(share: number): boolean {
    return this.below(100) < share;
  }

  /** A list of `least` to `most` things. */
  list<T>(least: number, most: number, make: (index: number) => T): T[] {
    return Array.from({ length: this.between(least, most) }, (_, index) => make(index));
  }

  characters(alphabet: string, length: number): string {
    return Array.from({ length }, () => alphabet.charAt(this.below(alphabet.length))).join("");
  }

  digits(length: number): string {
    return this.characters("0123456789", length);
  }

  hex(length: number): string {
    return this.characters("0123456789abcdef", length);
  }

  uuid(): string {
    return [8, 4, 4, 4, 12].map((length) => this.hex(length)).join("-");
  }

  /** A day of 2024 to 2027, such as `2026-03-09`. */
  date(): string {
    return `${this.between(2024, 2027)}-${two(this.between(1, 12))}-${two(this.between(1, 28))}`;
  }

  /** Such as `14:03:59`. */
  clock(): string {
    return [this.below(24), this.below(60), this.below(60)].map(two).join(":");
  }

  /** ISO 8601 with milliseconds. */
  moment(): string {
    return `${this.date()}T${this.clock()}.${String(this.below(1_000)).padStart(3, "0")}Z`;
  }
}

const two = (number: number): string => String(number).padStart(2, "0");
