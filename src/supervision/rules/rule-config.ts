/** What one rule of a rules supervisor may say. */
import { z } from "zod";
import { rulesLimits } from "./limits.js";
import { matchSchema } from "./matches/table.js";

export const ruleConfigSchema = z
  .strictObject({
    /** What records call it by; of one without, they say its place in the list, from 1. */
    id: z
      .string()
      .regex(/^[A-Za-z][\w.-]{0,63}$/, { error: "an id begins with a letter and has letters, digits, _, . and -" })
      .optional(),
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
