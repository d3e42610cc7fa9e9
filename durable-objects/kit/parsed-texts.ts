/** JSON texts of rows, each read by its schema once: rows that were read before needn't be validated again. */
import type { z } from "zod";

/** Characters of the texts that are kept, at most. */
const keptCharacters = 500_000;

export class ParsedTexts<T> {
  private readonly known = new Map<string, T>();
  private characters = 0;

  constructor(private readonly schema: z.ZodType<T>) {}

  /** What the text says. The same value for the same text: nobody may change it. */
  read(text: string): T {
    const known = this.known.get(text);
    if (known !== undefined) return known;
    const value = this.schema.parse(JSON.parse(text));
    this.characters += text.length;
    if (this.characters > keptCharacters) {
      this.known.clear();
      this.characters = text.length;
    }
    this.known.set(text, value);
    return value;
  }
}
