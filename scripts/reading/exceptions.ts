/** Patterns that can't be shown to take linear time, each with the bound that makes it harmless; and what is built of what others wrote. */
export interface Exception {
  readonly path: string;
  /** Without one: every long union that the file builds of its tables. */
  readonly pattern?: RegExp;
  /** Why the text that it reads is short, or what is tried at each place of a text. */
  readonly bound: string;
  /** It is bounded as long as nothing in it repeats without end: then that is checked. */
  readonly finite?: true;
}

const sentence = "reads one sentence, of at most 240 units (sentences.ts)";

export const exceptions: readonly Exception[] = [
  {
    path: "src/supervision/rules/injection/forms.ts",
    pattern: /!\[[^\]]{0,60}\]\(\s{0,4}http|<(?:script|iframe|img)\b|\bonerror ?=/,
    bound: sentence,
    finite: true,
  },
  {
    path: "src/platform/secrets.ts",
    pattern: /[\w-]{16}\.[\w-]{22,}(?:\.k[0-9a-f]{8})?/g,
    bound: "tries 16 characters and a dot at each place; what is read behind a dot is not read again",
  },
  { path: "src/supervision/rules/injection/hidden.ts", pattern: /(?:[0-9a-fA-F]{2} ?){12,}/g, bound: sentence },
  { path: "src/supervision/rules/injection/hidden.ts", pattern: /(?:[01]{8} ?){8,}/g, bound: sentence },
  {
    path: "src/supervision/rules/personal/phones.ts",
    bound: "each form is checked alone, and ends within a number's length",
    finite: true,
  },
  {
    path: "src/supervision/rules/personal/national-ids.ts",
    bound: "each form is checked alone, and ends within a number's length",
    finite: true,
  },
  {
    path: "src/supervision/rules/secret/announced-values.ts",
    bound: "reads a name of 40 characters, or what stands left of a value (leftOf, context.ts)",
  },
];

/** Places that build a pattern and never run it. */
export const neverRun: readonly string[] = [
  // A schema's pattern that RE2 can't read is compiled to see whether anybody can.
  "src/application/argument-check.ts",
];
