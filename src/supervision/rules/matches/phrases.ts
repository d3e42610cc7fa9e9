/** The match `phrases`: words and expressions, however they are written. */
import { z } from "zod";
import { foldPhrase } from "../folding.js";
import { rulesLimits } from "../limits.js";
import { phraseDetectors } from "../phrases.js";
import { matchKind } from "./match-kind.js";

const phrase = z
  .string()
  .min(1)
  .max(rulesLimits.phraseLength)
  .refine((text) => foldPhrase(text, false) !== "", { error: "a phrase needs a visible character" });

export const phrasesMatch = matchKind({
  schema: z.strictObject({
    type: z.literal("phrases"),
    phrases: z.array(phrase).min(1).max(rulesLimits.phrases),
    caseSensitive: z.boolean().optional(),
    wholeWords: z.boolean().optional(),
    /** Accents and the punctuation between words have to be those of the phrase. */
    literal: z.boolean().optional(),
  }),
  compile: ({ phrases, caseSensitive = false, wholeWords = false, literal = false }) => ({
    detectors: phraseDetectors(phrases, { caseSensitive, wholeWords, literal }),
  }),
});
