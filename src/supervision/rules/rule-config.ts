/** What one rule of a rules supervisor may say. */
import { z } from "zod";
import { sensitivities } from "./injection.js";
import { compilePattern } from "./patterns.js";
import { personalDataKinds } from "./personal-data.js";
import { foldPhrase } from "./phrases.js";
import { hasWords } from "./topics.js";

/** Limits of a rules configuration. Lengths are UTF-16 code units. */
export const rulesLimits = {
  rules: 200,
  /** Phrases of one rule, and characters of one phrase. */
  phrases: 1_000,
  phraseLength: 500,
  /** Characters of all phrases of a configuration together: what the phrase automata keep in memory. */
  allPhrasesLength: 50_000,
  patternLength: 1_000,
  /** Pattern rules of a configuration; each keeps a program and the states it has met. */
  patterns: 50,
  topics: 100,
  topicLength: 200,
  replacementLength: 2_000,
  reasonLength: 500,
  /** The greatest `max` of a length rule. */
  textLength: 10_000_000,
} as const;

const phraseSchema = z.string().min(1).max(rulesLimits.phraseLength);
const topicsSchema = z
  .array(z.string().max(rulesLimits.topicLength).refine(hasWords, { error: "a topic needs at least one word" }))
  .min(1)
  .max(rulesLimits.topics);

const matchSchema = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("phrases"),
    phrases: z
      .array(
        phraseSchema.refine((phrase) => foldPhrase(phrase, false) !== "", {
          error: "a phrase needs a visible character",
        }),
      )
      .min(1)
      .max(rulesLimits.phrases),
    caseSensitive: z.boolean().optional(),
    wholeWords: z.boolean().optional(),
    /** Accents and the punctuation between words have to be those of the phrase. */
    literal: z.boolean().optional(),
  }),
  z
    .strictObject({
      type: z.literal("pattern"),
      pattern: z.string().min(1).max(rulesLimits.patternLength),
      flags: z
        .string()
        .regex(/^(?!.*(.).*\1)[ims]*$/, {
          error: "flags are i (any case), m (^ and $ at lines) and s (. matches line breaks), each once",
        })
        .optional(),
    })
    .superRefine((match, context) => {
      try {
        compilePattern(match.pattern, match.flags);
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error);
        context.addIssue({ code: "custom", path: ["pattern"], message });
      }
    }),
  z.strictObject({
    type: z.literal("personalData"),
    kinds: z.array(z.enum(personalDataKinds)).min(1).optional(),
    /** Internet addresses of private networks count too. */
    privateIps: z.boolean().optional(),
  }),
  z.strictObject({ type: z.literal("secrets") }),
  z.strictObject({ type: z.literal("injection"), sensitivity: z.enum(sensitivities).optional() }),
  z.strictObject({ type: z.literal("length"), max: z.int().min(0).max(rulesLimits.textLength) }),
  z
    .strictObject({ type: z.literal("topics"), allow: topicsSchema.optional(), deny: topicsSchema.optional() })
    .refine((match) => (match.allow === undefined) !== (match.deny === undefined), {
      error: "give either allow or deny, not both and not neither",
    }),
]);

export const ruleConfigSchema = z
  .strictObject({
    match: matchSchema,
    /** `fence` delivers the text marked as data that gives orders. */
    action: z.enum(["block", "redact", "replace", "review", "fence"]),
    /** What `replace` puts in the place of each match; for `redact`, instead of the usual mask. */
    replacement: z.string().max(rulesLimits.replacementLength).optional(),
    /** Why, in words for people; it goes into the verdict. */
    reason: z.string().min(1).max(rulesLimits.reasonLength),
  })
  .superRefine(({ match, action, replacement }, context) => {
    const issue = (message: string) => context.addIssue({ code: "custom", path: ["replacement"], message });
    if (action === "replace" && replacement === undefined) issue("replace needs a replacement; to mask, use redact");
    if (action === "fence" && match.type !== "injection") {
      context.addIssue({
        code: "custom",
        path: ["action"],
        message: "fence is for injection: it marks a text that gives orders",
      });
    }
    if ((action === "block" || action === "review" || action === "fence") && replacement !== undefined) {
      issue(`${action} leaves the text as it is: a replacement is for redact and replace`);
    }
    if (match.type === "length" && (replacement?.length ?? 0) > match.max) {
      issue("the replacement ends the shortened text and must fit into max");
    }
  });

export type RuleConfig = z.infer<typeof ruleConfigSchema>;
export type RuleMatch = RuleConfig["match"];
