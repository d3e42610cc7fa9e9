import { z } from "zod";
import { SENSITIVITIES } from "./injection.js";
import { compilePattern } from "./patterns.js";
import { PERSONAL_DATA_KINDS } from "./personal-data.js";
import { foldPhrase } from "./phrases.js";
import { compileRule, DEFAULT_MASK } from "./rule.js";
import { hasWords } from "./topics.js";
import { lookAt } from "./whole-look.js";

/** Limits of a rules configuration. Lengths are UTF-16 code units. */
export const RULES_LIMITS = {
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

const phraseSchema = z.string().min(1).max(RULES_LIMITS.phraseLength);
const topicsSchema = z
  .array(z.string().max(RULES_LIMITS.topicLength).refine(hasWords, { error: "a topic needs at least one word" }))
  .min(1)
  .max(RULES_LIMITS.topics);

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
      .max(RULES_LIMITS.phrases),
    caseSensitive: z.boolean().optional(),
    wholeWords: z.boolean().optional(),
  }),
  z
    .strictObject({
      type: z.literal("pattern"),
      pattern: z.string().min(1).max(RULES_LIMITS.patternLength),
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
    kinds: z.array(z.enum(PERSONAL_DATA_KINDS)).min(1).optional(),
  }),
  z.strictObject({ type: z.literal("secrets") }),
  z.strictObject({ type: z.literal("injection"), sensitivity: z.enum(SENSITIVITIES).optional() }),
  z.strictObject({ type: z.literal("length"), max: z.int().min(0).max(RULES_LIMITS.textLength) }),
  z
    .strictObject({ type: z.literal("topics"), allow: topicsSchema.optional(), deny: topicsSchema.optional() })
    .refine((match) => (match.allow === undefined) !== (match.deny === undefined), {
      error: "give either allow or deny, not both and not neither",
    }),
]);

const ruleSchema = z
  .strictObject({
    match: matchSchema,
    /** `fence` delivers the text marked as data that gives orders. */
    action: z.enum(["block", "redact", "replace", "review", "fence"]),
    /** What `replace` puts in the place of each match; for `redact`, instead of the usual mask. */
    replacement: z.string().max(RULES_LIMITS.replacementLength).optional(),
    /** Why, in words for people; it goes into the verdict. */
    reason: z.string().min(1).max(RULES_LIMITS.reasonLength),
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
  })
  .superRefine((rule, context) => {
    // Otherwise an edited text would break the rule again, and every match would end in a block.
    if (rule.action !== "redact" && rule.action !== "replace") return;
    const replacement = rule.replacement ?? DEFAULT_MASK;
    if (matches(rule, replacement)) {
      const message = `the rule matches its own replacement ${JSON.stringify(replacement)}; give one that it does not match`;
      context.addIssue({ code: "custom", path: ["replacement"], message });
    }
  });

function matches(rule: z.infer<typeof ruleSchema>, text: string): boolean {
  // What the whole text decides replaces all of it, once.
  if (rule.match.type === "topics" || rule.match.type === "length") return false;
  try {
    return lookAt(text, [compileRule(rule, 0)]).findings.length > 0;
  } catch {
    // A pattern that does not compile has an issue already.
    return false;
  }
}

/** The configuration of a supervisor of kind `rules`. */
export const rulesConfigSchema = z
  .strictObject({ rules: z.array(ruleSchema).min(1).max(RULES_LIMITS.rules) })
  .superRefine(({ rules }, context) => {
    const issue = (message: string) => context.addIssue({ code: "custom", path: ["rules"], message });
    const phrases = rules.flatMap(({ match }) => (match.type === "phrases" ? match.phrases : []));
    if (phrases.reduce((sum, phrase) => sum + phrase.length, 0) > RULES_LIMITS.allPhrasesLength) {
      issue(`all phrases together may have ${RULES_LIMITS.allPhrasesLength} characters`);
    }
    if (rules.filter(({ match }) => match.type === "pattern").length > RULES_LIMITS.patterns) {
      issue(`at most ${RULES_LIMITS.patterns} rules may have patterns`);
    }
  });

export type RulesConfig = z.infer<typeof rulesConfigSchema>;
export type RuleConfig = RulesConfig["rules"][number];
export type RuleMatch = RuleConfig["match"];
